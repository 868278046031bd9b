-- Operators search by the id of an expense and by the address of a recipient, in all organizations.
-- Hash indexes find one value and give no order, so no list of one tenant can be read through them.
create index expenses_id on expenses using hash (id);
create index recipients_address on recipients using hash (address);
