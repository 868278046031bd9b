-- What reserved and queued payments hold of each vault, as a running total: a reservation reads one
-- row, however many payments wait. A payment that was sent is summed from its row, since a vault
-- has few of them at a time.
--
-- Whoever changes the state of a payment adds to the total if nobody else holds its row, and
-- otherwise leaves a change for the next one. Nobody waits for the row, so counting can neither
-- hold up a lane nor close a circle of waiting transactions. The total is the sum of both tables.
create table vault_unsent_totals (
  organization_id uuid not null references organizations (id),
  vault_id uuid not null,
  amount numeric(78, 0) not null,
  payments bigint not null,
  primary key (organization_id, vault_id),
  foreign key (organization_id, vault_id) references vaults (organization_id, id)
) with (fillfactor = 50);

create table vault_unsent_changes (
  id bigint generated always as identity,
  organization_id uuid not null references organizations (id),
  vault_id uuid not null,
  amount numeric(78, 0) not null,
  payments integer not null,
  primary key (organization_id, vault_id, id),
  foreign key (organization_id, vault_id) references vaults (organization_id, id)
);

alter table vaults no force row level security;
alter table payments no force row level security;
insert into vault_unsent_totals (organization_id, vault_id, amount, payments)
  select v.organization_id, v.id, coalesce(sum(p.amount), 0), count(p.id)
  from vaults v left join payments p on p.organization_id = v.organization_id
    and p.vault_id = v.id and p.state in ('reserved', 'queued')
  group by v.organization_id, v.id;
alter table vaults force row level security;
alter table payments force row level security;

do $$
declare
  name text;
begin
  foreach name in array array['vault_unsent_totals', 'vault_unsent_changes'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I for select to countersign_app
      using (organization_id = scope_organization())', name);
    execute format('create policy observation on %I for select to countersign_observer
      using (true)', name);
    execute format('create policy counting on %I to current_user using (true) with check (true)',
      name);
  end loop;
end
$$;
-- Only the triggers below write them.
grant select on vault_unsent_totals, vault_unsent_changes to countersign_app, countersign_observer;

create function change_unsent(organization uuid, vault uuid, change numeric, number integer)
returns void language plpgsql security definer set search_path = countersign, pg_temp
as $$
begin
  perform from vault_unsent_totals
    where organization_id = organization and vault_id = vault for update skip locked;
  if not found then
    insert into vault_unsent_changes (organization_id, vault_id, amount, payments)
      values (organization, vault, change, number);
    return;
  end if;
  with folded as (
    delete from vault_unsent_changes where organization_id = organization and vault_id = vault
    returning amount, payments)
  update vault_unsent_totals t set
    amount = t.amount + change + f.amount, payments = t.payments + number + f.payments
  from (select coalesce(sum(amount), 0) as amount, coalesce(sum(payments), 0) as payments
    from folded) f
  where t.organization_id = organization and t.vault_id = vault;
end
$$;
revoke all on function change_unsent from public;

create function count_unsent_payment() returns trigger
language plpgsql security definer set search_path = countersign, pg_temp
as $$
begin
  if tg_op <> 'INSERT' and old.state in ('reserved', 'queued') then
    perform change_unsent(old.organization_id, old.vault_id, -old.amount, -1);
  end if;
  if tg_op <> 'DELETE' and new.state in ('reserved', 'queued') then
    perform change_unsent(new.organization_id, new.vault_id, new.amount, 1);
  end if;
  return null;
end
$$;
revoke all on function count_unsent_payment from public;

create function open_unsent_total() returns trigger
language plpgsql security definer set search_path = countersign, pg_temp
as $$
begin
  insert into vault_unsent_totals (organization_id, vault_id, amount, payments)
    values (new.organization_id, new.id, 0, 0);
  return null;
end
$$;
revoke all on function open_unsent_total from public;

create trigger open_unsent_total after insert on vaults
  for each row execute function open_unsent_total();
create trigger count_unsent_reserved after insert on payments
  for each row when (new.state in ('reserved', 'queued'))
  execute function count_unsent_payment();
create trigger count_unsent_moved after update of state, vault_id, amount on payments
  for each row when (
    (old.state in ('reserved', 'queued')) <> (new.state in ('reserved', 'queued'))
    or (new.state in ('reserved', 'queued')
      and (old.vault_id, old.amount) is distinct from (new.vault_id, new.amount)))
  execute function count_unsent_payment();
create trigger count_unsent_deleted after delete on payments
  for each row when (old.state in ('reserved', 'queued'))
  execute function count_unsent_payment();

-- Live payments that were sent: in flight, or blocked while an attempt may still be mined.
create view sent_payments with (security_invoker = true) as
select organization_id, id, vault_id, chain_payment_id, amount
from payments
where state in ('submitting', 'broadcast', 'reconciling')
  or (state = 'blocked' and has_open_attempt);
grant select on sent_payments to countersign_app, countersign_observer;

-- Two indexes in place of one, so that few sent payments are found among many unsent ones.
drop index payments_live;
create index payments_unsent on payments (organization_id, vault_id)
  where state in ('reserved', 'queued');
create index payments_sent on payments (organization_id, vault_id)
  where state in ('submitting', 'broadcast', 'reconciling')
    or (state = 'blocked' and has_open_attempt);

-- Payments that count towards the limits of automatic payments: live and confirmed ones. The index
-- has every column that the sums need, so that they do not read the payments themselves.
create view counted_payments with (security_invoker = true) as
select organization_id, id, vault_id, mode, recipient_address, amount, authorised_at
from payments
where state in ('reserved', 'queued', 'submitting', 'broadcast', 'reconciling', 'confirmed')
  or (state = 'blocked' and has_open_attempt);
grant select on counted_payments to countersign_app, countersign_observer;
drop index payments_automatic;
create index payments_automatic on payments (organization_id, authorised_at)
  include (id, vault_id, recipient_address, amount, state, has_open_attempt)
  where mode = 'automatic';

-- Pages of an account's memberships, newest first.
drop index memberships_account;
create index memberships_account on memberships (account_id, id);

-- The same rule as before, as a lookup for each row: with `in`, every statement first collected all
-- memberships of the account. `exists` could be planned like that as well.
alter policy tenant on organizations using (
  id = scope_organization()
  or coalesce((select true from memberships m where m.organization_id = organizations.id
    and m.account_id = scope_account() limit 1), false));

-- Requests that processes have taken from the limit of a key in its current window. Unlogged: after
-- a crash of the server every window starts anew, which costs less than logging each lease.
create unlogged table rate_leases (
  -- A digest: an address or a subject is stored nowhere.
  key bytea primary key check (octet_length(key) = 16),
  ends_at timestamptz not null,
  used integer not null check (used > 0),
  -- Of the last lease. Zero when nothing was left.
  granted integer not null check (granted >= 0)
) with (fillfactor = 50);
grant select, insert, update, delete on rate_leases to countersign_app;

-- Live streams that are open in any process. A process ends those of its streams that another one
-- has removed from here. A process that died leaves rows; they are the oldest of their account, so
-- newer streams replace them first.
create table open_streams (
  id uuid primary key,
  account_id uuid not null,
  opened_at timestamptz not null default clock_timestamp(),
  ends_at timestamptz not null
);
create index open_streams_account on open_streams (account_id, opened_at);
create index open_streams_end on open_streams (ends_at);
grant select, insert, delete on open_streams to countersign_app;
grant select on open_streams to countersign_observer;
