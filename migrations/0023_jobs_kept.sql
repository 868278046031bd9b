-- The job queue makes nothing of a job whose key belongs to one that a worker takes at this moment:
-- what it sees as free when it looks is taken when it writes. But that worker may have looked
-- before the caller's change was there, and nobody would look again. Asked once more, it sees that
-- the other was taken, and makes a new one.
create or replace function enqueue_job(
  task text, payload json, queue_name text, run_at timestamptz, job_key text, max_attempts integer
) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  made bigint;
begin
  loop
    made := (graphile_worker.add_job(
      identifier => task, payload => payload, queue_name => queue_name, run_at => run_at,
      max_attempts => max_attempts, job_key => job_key, job_key_mode => 'replace')).id;
    exit when made is not null;
  end loop;
  return made;
end
$$;

-- The sooner of the two: the queue's own way to keep the time of a pending job keeps a later one.
create or replace function enqueue_job_unless_due(
  task text, payload json, queue_name text, run_at timestamptz, job_key text, max_attempts integer
) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  pending timestamptz;
begin
  select j.run_at into pending from graphile_worker._private_jobs j
  where j.key = job_key and j.locked_at is null
  for update;
  return countersign.enqueue_job(task, payload, queue_name,
    least(coalesce(run_at, now()), pending), job_key, max_attempts);
end
$$;
