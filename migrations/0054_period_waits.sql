-- A payment whose period has no room waits in the queue until the period ends. It equals
-- `postponed_until` while that is the reason, which distinguishes it from a short back-off.
alter table payments add column period_ends_at timestamptz;
grant update (period_ends_at) on payments to countersign_app;
grant select (period_ends_at) on payments to countersign_observer;
