-- The application role, the scope that row-level security reads, idempotency keys and jobs.

do $$
begin
  if not exists (select from pg_roles where rolname = 'countersign_app') then
    create role countersign_app nologin nosuperuser nobypassrls nocreatedb nocreaterole;
  end if;
exception
  -- The role belongs to the whole cluster: another database's migration may have just made it.
  when duplicate_object or unique_violation then null;
end
$$;

do $$
begin
  if not pg_has_role(current_user, 'countersign_app', 'usage') then
    execute format('grant countersign_app to %I', current_user);
  end if;
end
$$;

grant usage on schema countersign to countersign_app;
grant select on countersign.migrations to countersign_app;

-- What the current transaction may see. Unset means nothing.
create function scope_organization() returns uuid language sql stable
  as $$ select nullif(current_setting('app.organization', true), '')::uuid $$;
create function scope_account() returns uuid language sql stable
  as $$ select nullif(current_setting('app.account', true), '')::uuid $$;
create function scope_invitation() returns text language sql stable
  as $$ select nullif(current_setting('app.invitation', true), '') $$;

create table idempotency_keys (
  account_id uuid not null,
  operation text not null,
  key text not null,
  fingerprint bytea not null,
  answer json,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_id, operation, key)
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);
alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy own on idempotency_keys to countersign_app
  using (account_id = scope_account()) with check (account_id = scope_account());
create policy maintenance on idempotency_keys to current_user using (true);
grant select, insert, update (answer) on idempotency_keys to countersign_app;

-- The job queue's tables belong to the owner alone; this is the one door the application has.
create function enqueue_job(
  task text, payload json, queue_name text, run_at timestamptz, job_key text, max_attempts integer
) returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select id from graphile_worker.add_job(
    identifier => task, payload => payload, queue_name => queue_name, run_at => run_at,
    max_attempts => max_attempts, job_key => job_key, job_key_mode => 'replace')
$$;
revoke all on function enqueue_job from public;
grant execute on function enqueue_job to countersign_app;

-- One row for each living worker process; the advisory lock of the same id is its other sign.
create table worker_processes (
  id integer generated always as identity primary key,
  pool_id text,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now()
);
grant select on worker_processes to countersign_app;
