-- The analysis looks for earlier expenses to the same recipient with the same reference.

alter table expense_revisions
  -- Equal for references that differ only in case, Unicode form and white space.
  add column reference_key bytea check (octet_length(reference_key) = 32);
create index expense_revisions_reference
  on expense_revisions (organization_id, recipient_address, reference_key, submitted_at desc)
  where reference_key is not null;
