-- The second vault: spending periods and tiers in policies, recipients as a list of their own that
-- outlives policies, numbered pauses, revoked approvers, and a delay before changes count.

alter table vaults
  add column change_delay_seconds integer not null default 0
    check (change_delay_seconds between 0 and 604800),
  -- Like the policy's version, these two come from the follower alone.
  add column recipients_version bigint not null default 0,
  add column pause_number bigint not null default 0;
grant insert (change_delay_seconds), update (change_delay_seconds) on vaults to countersign_app;
grant update (recipients_version, pause_number) on vaults to countersign_worker;

alter table vault_deployments
  add column change_delay_seconds integer not null default 0
    check (change_delay_seconds between 0 and 604800);

-- What the vault counts in a period is derived from the times of its policies and payments.
alter table policies
  add column period_seconds integer not null default 0,
  add column period_cap numeric(78, 0) not null default 0,
  add column automatic_period_cap numeric(78, 0) not null default 0,
  -- [{"above": "1000000", "approvals": 2}], ascending.
  add column tiers jsonb not null default '[]',
  -- [{"address": "0x…", "block": 7}]: a rollback takes back what was revoked above its block.
  add column revoked_approvers jsonb not null default '[]',
  add column block_time timestamptz;
alter table policies no force row level security;
-- Triggers note each change there.
alter table task_changes no force row level security;
update policies set block_time = created_at;
alter table policies force row level security;
alter table policies alter column block_time set not null;
alter table policies drop column recipient_addresses, drop column paused_in_block;
grant update (revoked_approvers) on policies to countersign_worker;

-- The approvers of a policy that still count, in their order.
create function standing_approvers(approvers text[], revoked jsonb) returns text[]
language sql immutable
as $$
  select coalesce(array_agg(a.address order by a.place), '{}')
  from unnest(approvers) with ordinality as a (address, place)
  where not revoked @> jsonb_build_array(jsonb_build_object('address', a.address))
$$;

alter table policy_intents
  add column kind text not null default 'policy'
    check (kind in ('policy', 'recipients', 'policy_and_recipients')),
  add column expected_recipients_version bigint not null default 0,
  -- What the transaction changes; `recipient_addresses` is the whole list after it.
  add column recipients_added text[] not null default '{}',
  add column recipients_removed text[] not null default '{}',
  -- Changes that did not fit into the transaction.
  add column remaining_recipient_changes integer not null default 0,
  add column period_seconds integer not null default 0,
  add column period_cap numeric(78, 0) not null default 0,
  add column automatic_period_cap numeric(78, 0) not null default 0,
  add column tiers jsonb not null default '[]',
  add check (cardinality(recipients_added) + cardinality(recipients_removed) <= 500);

alter table vault_payments
  add column mode text not null default 'approved' check (mode in ('approved', 'automatic'));
alter table vault_payments alter column mode drop default;
create index vault_payments_time on vault_payments (organization_id, vault_id, block_time)
  include (mode, amount);

-- Who may be paid now: listed from `allowed_from` on (null if not listed), and not blocked.
create table vault_recipients (
  organization_id uuid not null references organizations (id),
  vault_id uuid not null,
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  allowed_from timestamptz,
  blocked boolean not null default false,
  -- The log that listed it; null if it is not listed.
  recipients_version bigint,
  transaction_hash text,
  block_number bigint,
  block_time timestamptz,
  primary key (organization_id, vault_id, address),
  foreign key (organization_id, vault_id) references vaults (organization_id, id),
  check ((allowed_from is null) = (recipients_version is null)
    and (allowed_from is null) = (transaction_hash is null)
    and (allowed_from is null) = (block_number is null))
);

-- What became of each recipient. A rollback rebuilds `vault_recipients` from it, and evidence finds
-- the log here that allowed a recipient at the time of a payment.
create table vault_recipient_logs (
  organization_id uuid not null references organizations (id),
  vault_id uuid not null,
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  block_number bigint not null,
  log_index integer not null,
  -- One log may remove a recipient and add it again; the removal comes first.
  kind text not null check (kind in ('removed', 'added', 'blocked', 'unblocked')),
  allowed_from timestamptz check ((allowed_from is not null) = (kind = 'added')),
  recipients_version bigint
    check ((recipients_version is not null) = (kind in ('removed', 'added'))),
  by_address text,
  transaction_hash text not null,
  block_time timestamptz not null,
  primary key (organization_id, vault_id, address, block_number, log_index, kind),
  foreign key (organization_id, vault_id) references vaults (organization_id, id)
);
create index vault_recipient_logs_block on vault_recipient_logs
  (organization_id, vault_id, block_number);

-- Whether a policy is paused: what the newest log of its version says, and without one the policy.
create table vault_pauses (
  organization_id uuid not null references organizations (id),
  vault_id uuid not null,
  policy_version bigint not null,
  block_number bigint not null,
  log_index integer not null,
  pause_number bigint not null,
  paused boolean not null,
  -- Null where the policy itself is configured as paused, or where the owner lifts the pause.
  by_address text,
  transaction_hash text not null,
  primary key (organization_id, vault_id, policy_version, block_number, log_index),
  foreign key (organization_id, vault_id) references vaults (organization_id, id)
);

do $$
declare
  name text;
begin
  foreach name in array array['vault_recipients', 'vault_recipient_logs', 'vault_pauses'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I to countersign_app
      using (organization_id = scope_organization())
      with check (organization_id = scope_organization())', name);
    execute format('create policy observation on %I for select to countersign_observer
      using (true)', name);
  end loop;
  foreach name in array array['vault_recipients', 'vault_pauses'] loop
    execute format('create trigger note_task_change after insert or update or delete on %I
      for each row execute function note_task_change()', name);
  end loop;
end
$$;
-- What is on chain is written by the worker alone, which reads it from there.
grant select on vault_recipients, vault_recipient_logs, vault_pauses
  to countersign_app, countersign_observer;
grant insert, delete on vault_recipients, vault_recipient_logs, vault_pauses
  to countersign_worker;

-- Unsent automatic payments count against a cap of their own, so the running totals of migration
-- 0049 say how much of them is automatic.
alter table vault_unsent_totals add column automatic numeric(78, 0) not null default 0;
alter table vault_unsent_changes add column automatic numeric(78, 0) not null default 0;
alter table payments no force row level security;
alter table vault_unsent_totals no force row level security;
update vault_unsent_totals t set automatic = (
  select coalesce(sum(p.amount), 0) from payments p
  where p.organization_id = t.organization_id and p.vault_id = t.vault_id
    and p.state in ('reserved', 'queued') and p.mode = 'automatic');
alter table vault_unsent_totals force row level security;
alter table payments force row level security;
alter table task_changes force row level security;

drop function change_unsent;
create function change_unsent(
  organization uuid, vault uuid, change numeric, automatic_change numeric, number integer)
returns void language plpgsql security definer set search_path = countersign, pg_temp
as $$
begin
  perform from vault_unsent_totals
    where organization_id = organization and vault_id = vault for update skip locked;
  if not found then
    insert into vault_unsent_changes (organization_id, vault_id, amount, automatic, payments)
      values (organization, vault, change, automatic_change, number);
    return;
  end if;
  with folded as (
    delete from vault_unsent_changes where organization_id = organization and vault_id = vault
    returning amount, automatic, payments)
  update vault_unsent_totals t set
    amount = t.amount + change + f.amount,
    automatic = t.automatic + automatic_change + f.automatic,
    payments = t.payments + number + f.payments
  from (select coalesce(sum(amount), 0) as amount, coalesce(sum(automatic), 0) as automatic,
    coalesce(sum(payments), 0) as payments from folded) f
  where t.organization_id = organization and t.vault_id = vault;
end
$$;
revoke all on function change_unsent from public;

create or replace function count_unsent_payment() returns trigger
language plpgsql security definer set search_path = countersign, pg_temp
as $$
begin
  if tg_op <> 'INSERT' and old.state in ('reserved', 'queued') then
    perform change_unsent(old.organization_id, old.vault_id, -old.amount,
      case when old.mode = 'automatic' then -old.amount else 0 end, -1);
  end if;
  if tg_op <> 'DELETE' and new.state in ('reserved', 'queued') then
    perform change_unsent(new.organization_id, new.vault_id, new.amount,
      case when new.mode = 'automatic' then new.amount else 0 end, 1);
  end if;
  return null;
end
$$;

drop trigger count_unsent_moved on payments;
create trigger count_unsent_moved after update of state, vault_id, amount, mode on payments
  for each row when (
    (old.state in ('reserved', 'queued')) <> (new.state in ('reserved', 'queued'))
    or (new.state in ('reserved', 'queued')
      and (old.vault_id, old.amount, old.mode)
        is distinct from (new.vault_id, new.amount, new.mode)))
  execute function count_unsent_payment();

create or replace view sent_payments with (security_invoker = true) as
select organization_id, id, vault_id, chain_payment_id, amount, mode
from payments
where state in ('submitting', 'broadcast', 'reconciling')
  or (state = 'blocked' and has_open_attempt);
