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
-- Decided once the job is there and locked, since one that is just being added cannot be seen.
create or replace function enqueue_job_unless_due(
  task text, payload json, queue_name text, run_at timestamptz, job_key text, max_attempts integer
) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  asked timestamptz := coalesce(run_at, now());
  made bigint;
begin
  loop
    made := (graphile_worker.add_job(
      identifier => task, payload => payload, queue_name => queue_name, run_at => asked,
      max_attempts => max_attempts, job_key => job_key, job_key_mode => 'preserve_run_at')).id;
    exit when made is not null;
  end loop;
  update graphile_worker._private_jobs j set run_at = asked where j.id = made and j.run_at > asked;
  return made;
end
$$;
