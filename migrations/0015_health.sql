-- How the parts are doing, as a worker last found them. Reads never ask anybody outside.

create table service_health (
  id text primary key,
  severity text not null check (severity in ('healthy', 'degraded', 'action_required')),
  code text check (char_length(code) <= 100),
  summary text not null check (char_length(summary) between 1 and 300),
  latency_ms integer check (latency_ms >= 0),
  -- What was counted, where something was: reads must not count it again.
  figures jsonb,
  checked_at timestamptz not null,
  changed_at timestamptz not null
);
grant select, insert, update on service_health to countersign_app;
grant select on service_health to countersign_observer;

-- One row: who looks around now, and when the next look is due.
create table health_rounds (
  is_only boolean primary key default true check (is_only),
  lease_until timestamptz,
  due_at timestamptz not null default now()
);
insert into health_rounds default values;
grant select, update on health_rounds to countersign_app;

-- What was last told of an organization's executor, so that only changes are told.
create table executor_health (
  organization_id uuid primary key references organizations (id),
  severity text not null check (severity in ('healthy', 'degraded', 'action_required')),
  code text check (char_length(code) <= 100),
  changed_at timestamptz not null
);
alter table executor_health enable row level security;
alter table executor_health force row level security;
create policy tenant on executor_health to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
create policy observation on executor_health for select to countersign_observer using (true);
grant select, insert, update (severity, code, changed_at) on executor_health to countersign_app;
grant select on executor_health to countersign_observer;

-- The queue's tables are the owner's alone; how long it is may be known, what is in it may not.
-- It goes through all jobs, so only the rounds call it. A job that fails is put off by
-- exp(attempts) seconds and not marked otherwise; one that was stopped by hand is.
create function job_queue_state()
returns table (due bigint, failed bigint, oldest_due_seconds bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select count(*) filter (where is_available and run_at <= now()),
    count(*) filter (where attempts >= max_attempts and locked_at is null
      and (updated_at > now() - interval '1 hour'
        or run_at - exp(least(attempts, 10)) * interval '1 second'
          between now() - interval '1 hour' and now())),
    coalesce(floor(extract(epoch from now() - min(run_at)
      filter (where is_available and run_at <= now()))), 0)::bigint
  from graphile_worker._private_jobs
$$;
revoke all on function job_queue_state from public;
grant execute on function job_queue_state to countersign_app;
