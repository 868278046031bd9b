-- What automatic payments count towards their limits, added up by quarters of an hour: a
-- reservation reads the quarters of a week, however many payments there are. There is a row for
-- each vault, and one for each recipient of a vault.
--
-- Whoever changes a payment adds to a row of its quarter that nobody else holds, and otherwise
-- writes another, as with the totals of migration 0049. So a quarter may have several rows, as many
-- at most as transactions counted in it at the same time. The total is the sum of all.
create table automatic_totals (
  id bigint generated always as identity,
  organization_id uuid not null references organizations (id),
  vault_id uuid not null,
  -- Empty: all recipients.
  recipient_address text not null,
  quarter timestamptz not null,
  amount numeric(78, 0) not null,
  primary key (organization_id, recipient_address, quarter, vault_id, id),
  foreign key (organization_id, vault_id) references vaults (organization_id, id)
) with (fillfactor = 50);
create index automatic_totals_age on automatic_totals (organization_id, quarter);

create function quarter_of(moment timestamptz) returns timestamptz
language sql immutable parallel safe
return date_bin('15 minutes', moment, '2000-01-01 00:00:00+00');

-- Live and confirmed ones count. Those that are older than the longest limit are left out.
create function counts_as_automatic(payment payments) returns boolean
language sql stable parallel safe
return payment.mode = 'automatic' and payment.authorised_at > now() - interval '8 days'
  and (payment.state in
      ('reserved', 'queued', 'submitting', 'broadcast', 'reconciling', 'confirmed')
    or (payment.state = 'blocked' and payment.has_open_attempt));
revoke all on function quarter_of, counts_as_automatic from public;
grant execute on function quarter_of, counts_as_automatic to countersign_app, countersign_observer;

create or replace view counted_payments with (security_invoker = true) as
select organization_id, id, vault_id, mode, recipient_address, amount, authorised_at
from payments p where counts_as_automatic(p);

alter table payments no force row level security;
insert into automatic_totals (organization_id, vault_id, recipient_address, quarter, amount)
  select p.organization_id, p.vault_id, r.address, quarter_of(p.authorised_at), sum(p.amount)
  from payments p cross join lateral (values (''), (p.recipient_address)) r (address)
  where counts_as_automatic(p) group by 1, 2, 3, 4;
alter table payments force row level security;

alter table automatic_totals enable row level security;
alter table automatic_totals force row level security;
create policy tenant on automatic_totals for select to countersign_app
  using (organization_id = scope_organization());
create policy observation on automatic_totals for select to countersign_observer using (true);
create policy counting on automatic_totals to current_user using (true) with check (true);
-- Only the triggers below write it.
grant select on automatic_totals to countersign_app, countersign_observer;

create function change_automatic(payment payments, recipient text, change numeric)
returns void language plpgsql security definer set search_path = countersign, pg_temp
as $$
declare
  free bigint;
begin
  select id into free from automatic_totals
    where organization_id = payment.organization_id and recipient_address = recipient
      and quarter = quarter_of(payment.authorised_at) and vault_id = payment.vault_id
    limit 1 for update skip locked;
  if found then
    update automatic_totals set amount = amount + change
      where organization_id = payment.organization_id and recipient_address = recipient
        and quarter = quarter_of(payment.authorised_at) and vault_id = payment.vault_id
        and id = free;
    return;
  end if;
  insert into automatic_totals (organization_id, vault_id, recipient_address, quarter, amount)
    values (payment.organization_id, payment.vault_id, recipient,
      quarter_of(payment.authorised_at), change);
  -- More than were added, so that few are left once they are too old to count; and so much later
  -- that a clock which was wrong for days deletes none that still do.
  delete from automatic_totals where ctid = any(array(
    select ctid from automatic_totals where organization_id = payment.organization_id
      and quarter < now() - interval '30 days' order by quarter limit 8 for update skip locked));
end
$$;

create function count_automatic_payment() returns trigger
language plpgsql security definer set search_path = countersign, pg_temp
as $$
declare
  counted boolean := tg_op <> 'INSERT' and counts_as_automatic(old);
  counts boolean := tg_op <> 'DELETE' and counts_as_automatic(new);
begin
  if counted and counts
    and (old.vault_id, old.recipient_address, old.amount, quarter_of(old.authorised_at))
      = (new.vault_id, new.recipient_address, new.amount, quarter_of(new.authorised_at)) then
    return null;
  end if;
  if counted then
    perform change_automatic(old, '', -old.amount);
    perform change_automatic(old, old.recipient_address, -old.amount);
  end if;
  if counts then
    perform change_automatic(new, '', new.amount);
    perform change_automatic(new, new.recipient_address, new.amount);
  end if;
  return null;
end
$$;
revoke all on function change_automatic, count_automatic_payment from public;

create trigger count_automatic_reserved after insert on payments
  for each row when (new.mode = 'automatic') execute function count_automatic_payment();
create trigger count_automatic_moved
  after update of state, has_open_attempt, mode, vault_id, recipient_address, amount, authorised_at
  on payments for each row when (old.mode = 'automatic' or new.mode = 'automatic')
  execute function count_automatic_payment();
create trigger count_automatic_deleted after delete on payments
  for each row when (old.mode = 'automatic') execute function count_automatic_payment();
