-- Workers get a database role of their own. A stolen API login can no longer queue a payment, write
-- a report, or change what the follower read from the chain.

do $$
begin
  if not exists (select from pg_roles where rolname = 'countersign_worker') then
    create role countersign_worker nologin nosuperuser nobypassrls nocreatedb nocreaterole;
  end if;
exception
  -- Roles belong to the whole cluster: another database's migration may have just created it.
  when duplicate_object or unique_violation then null;
end
$$;

do $$
begin
  -- A worker may do everything an API process may. Policies for countersign_app apply to it too.
  if not pg_has_role('countersign_worker', 'countersign_app', 'usage') then
    grant countersign_app to countersign_worker;
  end if;
  if not pg_has_role(current_user, 'countersign_worker', 'usage') then
    execute format('grant countersign_worker to %I', current_user);
  end if;
exception
  -- Two databases of one cluster may be migrated at once; the other one's grant is as good.
  when internal_error then
    if not pg_has_role('countersign_worker', 'countersign_app', 'usage')
      or not pg_has_role(current_user, 'countersign_worker', 'usage') then raise; end if;
end
$$;

grant usage on schema countersign to countersign_worker;

-- What only workers write: reports, attempts and receipts, executors, and what the chain says.
revoke insert on reports, payment_attempts, payment_receipts, executor_bindings, policies,
  vault_payments from countersign_app;
grant insert on reports, payment_attempts, payment_receipts, executor_bindings, policies,
  vault_payments to countersign_worker;

revoke update (state, error_code, sent_at, updated_at) on payment_attempts from countersign_app;
revoke update (provider_reference, provider_state, transaction_hash, heard_at, heard_block)
  on payment_attempts from countersign_app;
grant update (state, error_code, sent_at, updated_at, provider_reference, provider_state,
  transaction_hash, heard_at, heard_block) on payment_attempts to countersign_worker;

revoke update (paused_in_block), delete on policies from countersign_app;
grant update (paused_in_block), delete on policies to countersign_worker;
revoke delete on vault_payments from countersign_app;
grant delete on vault_payments to countersign_worker;

revoke insert, update, delete on chain_position, chain_blocks, chain_watches, chain_logs
  from countersign_app;
grant insert, update, delete on chain_position, chain_blocks, chain_watches, chain_logs
  to countersign_worker;
-- Registering a vault makes the follower watch it.
grant insert (address, from_block) on chain_watches to countersign_app;

revoke insert on vaults from countersign_app;
grant insert (id, organization_id, label, created_by_account_id, chain_id, address, token_address,
  owner_address, artifact_hash, deployment_transaction_hash, state, created_at, is_default)
  on vaults to countersign_app;
revoke update (balance, spent_total, policy_version) on vaults from countersign_app;
grant update (balance, spent_total, policy_version) on vaults to countersign_worker;

revoke update (next_nonce, lane_epoch, lease_until, is_held, finalized_floor)
  on executor_bindings from countersign_app;
revoke update (state, native_balance_wei, balance_read_at) on executor_bindings
  from countersign_app;
grant update (next_nonce, lane_epoch, lease_until, is_held, finalized_floor, state,
  native_balance_wei, balance_read_at) on executor_bindings to countersign_worker;

revoke insert, update on service_health from countersign_app;
revoke update on health_rounds from countersign_app;
revoke insert, update (severity, code, changed_at) on executor_health from countersign_app;
revoke insert, update (transaction_id, seq, moved_at) on push_position from countersign_app;
grant insert, update on service_health, health_rounds, executor_health, push_position
  to countersign_worker;

-- A report, and the authorization of an automatic payment, carry a MAC under a key that only
-- workers hold. Rows written by anybody else do not have one, and are never paid.
alter table reports
  add column mac bytea check (length(mac) = 32),
  add column mac_key_id text,
  add constraint reports_mac_key check ((mac is null) = (mac_key_id is null));
alter table payments
  add column mac bytea check (length(mac) = 32),
  add column mac_key_id text,
  add constraint payments_mac_key check ((mac is null) = (mac_key_id is null));
grant update (mac, mac_key_id) on payments to countersign_app;
grant update (mac, mac_key_id) on reports to countersign_worker;

-- When each key was first used: the one before it verifies for seven days more.
create table worker_keys (
  key_id text primary key,
  first_used_at timestamptz not null default now()
);
grant select, insert (key_id) on worker_keys to countersign_worker;
grant select on worker_keys to countersign_observer;

-- Operators are told of what was blocked as forged.
create index payments_blocked_code on payments (block_code, state_since) where state = 'blocked';

-- What the API role may write of a payment: a reservation that a person signed for, or a block of
-- one that is not sent. A worker checks the signature before it queues the payment.
create function guard_payment() returns trigger
language plpgsql set search_path = countersign, pg_temp
as $$
declare
  is_unsent boolean;
begin
  if pg_has_role(current_user, 'countersign_worker', 'usage') then
    return new;
  end if;
  if new.state = 'blocked' and tg_op = 'UPDATE' and old.state in ('reserved', 'queued')
    and to_jsonb(new) - '{state,state_since,block_code,updated_at}'::text[]
      = to_jsonb(old) - '{state,state_since,block_code,updated_at}'::text[] then
    return new;
  end if;
  is_unsent := new.mode = 'approved' and not new.has_open_attempt and not new.is_given_up
    and new.mac is null and new.postponed_until is null and new.postponed_times = 0
    and new.executor_binding_id is null and new.executor_provider_type is null
    and new.executor_address is null and new.provider_reference is null
    and new.transaction_hash is null;
  if tg_op = 'INSERT' then
    if new.state = 'reserved' and is_unsent and new.lane_id is null and new.released_at is null
      and new.block_code is null and new.epoch = 1 then
      return new;
    end if;
  elsif old.state in ('blocked', 'failed') and not old.has_open_attempt and is_unsent
    and (new.state = 'reserved'
      or new.state = old.state and new.block_code is not distinct from old.block_code) then
    return new;
  end if;
  raise exception 'The role % may not write this payment', current_user
    using errcode = 'insufficient_privilege';
end
$$;
create trigger guard before insert or update on payments
  for each row execute function guard_payment();

-- What a member asks of a payment. The API only records it; a worker does it.
create table payment_requests (
  id uuid not null,
  organization_id uuid not null references organizations (id),
  payment_id uuid not null,
  account_id uuid not null references accounts (id),
  kind text not null check (kind in ('release', 'reconcile')),
  -- What the member was shown: it is done to the payment as it was then, or not at all.
  step text not null check (step in ('release', 'release_again', 'give_up', 'reconcile')),
  payment_epoch integer not null,
  expected_version integer not null,
  request_id text check (char_length(request_id) <= 200),
  -- Null until a worker has done it; then `done`, or the code of the error that refused it.
  outcome text check (char_length(outcome) <= 80),
  message text check (char_length(message) <= 500),
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (organization_id, id),
  check ((outcome is null) = (ended_at is null)),
  foreign key (organization_id, payment_id) references payments (organization_id, id)
    on delete cascade
);
alter table payment_requests enable row level security;
alter table payment_requests force row level security;
create policy tenant on payment_requests to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
grant select, insert (id, organization_id, payment_id, account_id, kind, step, payment_epoch,
  expected_version, request_id) on payment_requests to countersign_app;
grant update (outcome, message, ended_at) on payment_requests to countersign_worker;
create policy observation on payment_requests for select to countersign_observer using (true);
grant select on payment_requests to countersign_observer;

-- The job queue: its tables stay the owner's, and workers may use them without the owner's login.
grant select, insert, update, delete on worker_processes to countersign_worker;
grant usage on all sequences in schema countersign to countersign_worker;
grant usage on schema graphile_worker to countersign_worker;
grant select, insert, update, delete on all tables in schema graphile_worker to countersign_worker;
revoke insert, update, delete on graphile_worker.migrations from countersign_worker;
grant usage on all sequences in schema graphile_worker to countersign_worker;
grant execute on all functions in schema graphile_worker to countersign_worker;

do $$
declare
  name text;
begin
  foreach name in array array['_private_jobs', '_private_job_queues', '_private_tasks',
                              '_private_known_crontabs'] loop
    execute format('create policy workers on graphile_worker.%I to countersign_worker
      using (true) with check (true)', name);
  end loop;
end
$$;
