-- A transaction that notifies holds PostgreSQL's one lock for notifications until its commit is on
-- the disk, so that all such commits go there one after the other. A connection that says so wakes
-- the readers by itself once it has committed; for any other (of the version before) it stays.
create or replace function wake_live_readers() returns trigger language plpgsql
as $$
begin
  if current_setting('app.wakes', true) is distinct from 'afterwards' then
    perform pg_notify('countersign_live', '');
  end if;
  return null;
end
$$;
