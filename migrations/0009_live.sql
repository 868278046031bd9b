-- Whose thing a live event is about, how readers are woken, and the role that looks across tenants.

do $$
begin
  if not exists (select from pg_roles where rolname = 'countersign_observer') then
    create role countersign_observer nologin nosuperuser nobypassrls nocreatedb nocreaterole;
  end if;
exception
  -- The role belongs to the whole cluster: another database's migration may have just made it.
  when duplicate_object or unique_violation then null;
end
$$;

do $$
begin
  if not pg_has_role(current_user, 'countersign_observer', 'usage') then
    execute format('grant countersign_observer to %I', current_user);
  end if;
end
$$;

-- Operators and the tail of live events read every tenant's rows, and write nothing. What is
-- secret they cannot read at all: keys, signatures, signed bytes, invitation tokens, answers.
grant usage on schema countersign to countersign_observer;
grant select on migrations, accounts, operators, worker_processes, wallets, memberships,
  wallet_roles, recipients, audit_events, live_events, chain_blocks, chain_logs, chain_position,
  chain_watches, executor_provisionings, vaults, policies, vault_payments, vault_deployments,
  policy_intents, expenses, expense_revisions, expense_comments, agent_runs, reports,
  payment_receipts to countersign_observer;
grant select (id, name, created_by_account_id, created_at) on organizations
  to countersign_observer;
grant select (id, organization_id, role, state, created_at, expires_at, ended_at) on invitations
  to countersign_observer;
grant select (id, organization_id, provider_type, address, chain_id, state, native_balance_wei,
  balance_read_at, created_at, next_nonce, lane_epoch, lease_until, is_held, finalized_floor)
  on executor_bindings to countersign_observer;
grant select (id, organization_id, expense_id, expense_revision, vault_id, account_id,
  wallet_role_id, approver_address, policy_version, report_hash, expense_version_hash, deadline,
  digest, state, cancelled_at, end_code, invalidation_transaction_hash, created_at, updated_at)
  on approvals to countersign_observer;
grant select (id, organization_id, expense_id, expense_revision, expense_version_hash, vault_id,
  chain_payment_id, mode, recipient_address, token_address, amount, policy_version, report_id,
  report_hash, approval_id, approval_digest, approver_address, deadline, epoch, state,
  state_since, block_code, has_open_attempt, is_given_up, lane_id, released_at, postponed_until,
  postponed_times, executor_binding_id, executor_provider_type, executor_address,
  provider_reference, transaction_hash, created_at, updated_at)
  on payments to countersign_observer;
grant select (id, organization_id, payment_id, lane_id, number, executor_address, nonce, fee_rank,
  max_fee_per_gas, max_priority_fee_per_gas, transaction_hash, call_hash, state, error_code,
  sent_at, created_at, updated_at) on payment_attempts to countersign_observer;

do $$
declare
  name text;
begin
  foreach name in array array['accounts', 'organizations', 'memberships', 'wallet_roles',
    'invitations', 'recipients', 'wallets', 'audit_events', 'live_events', 'executor_bindings',
    'executor_provisionings', 'vaults', 'policies', 'vault_payments', 'vault_deployments',
    'policy_intents', 'expenses', 'expense_revisions', 'expense_comments', 'agent_runs',
    'reports', 'approvals', 'payments', 'payment_attempts', 'payment_receipts'] loop
    execute format('create policy observation on %I for select to countersign_observer
      using (true)', name);
  end loop;
end
$$;

-- Employees follow what is their own. The database finds out whose it is, so that no writer of
-- an event can forget to say it. Events of before have no account: employees do not see those.
alter table live_events add column account_id uuid references accounts (id);
create index live_events_aggregate
  on live_events (organization_id, aggregate_type, aggregate_id, transaction_id, seq);
create index live_events_account on live_events (organization_id, account_id, transaction_id, seq);

create function place_live_event() returns trigger
language plpgsql set search_path = countersign, pg_temp
as $$
begin
  -- A transaction gets its number with its first write, perhaps long before it had its turn at this
  -- thing. Events of one thing stand in the order of their turns: whoever came later stands no
  -- earlier. Its own number is never higher than this, so no reader can have passed it.
  if new.organization_id is not null then
    select greatest(new.transaction_id, max(e.transaction_id)) into new.transaction_id
      from live_events e
      where e.organization_id = new.organization_id and e.aggregate_type = new.aggregate_type
        and e.aggregate_id = new.aggregate_id;
  end if;
  if new.aggregate_type = 'expense' then
    select submitter_account_id into new.account_id from expenses
      where organization_id = new.organization_id and id = new.aggregate_id::uuid;
  elsif new.aggregate_type = 'payment' then
    select submitter_account_id into new.account_id from expenses
      where organization_id = new.organization_id and payment_id = new.aggregate_id::uuid;
  elsif new.aggregate_type = 'agent_run' then
    select e.submitter_account_id into new.account_id
      from agent_runs r join expenses e
        on e.organization_id = r.organization_id and e.id = r.expense_id
      where r.organization_id = new.organization_id and r.id = new.aggregate_id::uuid;
  elsif new.aggregate_type = 'approval' then
    select e.submitter_account_id into new.account_id
      from approvals a join expenses e
        on e.organization_id = a.organization_id and e.id = a.expense_id
      where a.organization_id = new.organization_id and a.id = new.aggregate_id::uuid;
  elsif new.aggregate_type = 'support_case' then
    select opened_by_account_id into new.account_id from support_cases
      where organization_id = new.organization_id and id = new.aggregate_id::uuid;
  end if;
  return new;
end
$$;
create trigger place before insert on live_events
  for each row execute function place_live_event();

-- Readers look when they are told to. Telling is no promise: they also look from time to time.
create function wake_live_readers() returns trigger language plpgsql
as $$
begin
  perform pg_notify('countersign_live', '');
  return null;
end
$$;
create trigger wake after insert on live_events
  for each statement execute function wake_live_readers();

-- One row. A cursor behind the horizon, or of another epoch, cannot be resumed.
create table live_state (
  is_only boolean primary key default true check (is_only),
  epoch uuid not null default gen_random_uuid(),
  horizon_transaction_id xid8 not null default '0',
  horizon_seq bigint not null default 0
);
insert into live_state default values;
grant select on live_state to countersign_app, countersign_observer;

set local row_security = on;
create or replace function prune_expired(batch integer) returns bigint
language sql security definer set search_path = countersign, pg_temp
as $$
  with keys as (
    delete from idempotency_keys where ctid = any (array(
      select ctid from idempotency_keys where expires_at < now() limit batch)) returning 1
  ), events as (
    delete from live_events where ctid = any (array(
      select ctid from live_events where occurred_at < now() - interval '7 days' limit batch))
    returning transaction_id, seq
  ), horizon as (
    update live_state s set horizon_transaction_id = e.transaction_id, horizon_seq = e.seq
    from (select transaction_id, seq from events order by 1 desc, 2 desc limit 1) e
    where (e.transaction_id, e.seq) > (s.horizon_transaction_id, s.horizon_seq)
  )
  select (select count(*) from keys) + (select count(*) from events)
$$;
