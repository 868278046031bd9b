-- What automatic payments count towards their limits, added up in buckets of 15 minutes: a
-- reservation reads the buckets of a week, however many payments there are. There is a row for each
-- vault, and one for each recipient of a vault.
--
-- Whoever changes a payment adds to a row of its bucket that nobody else holds, and otherwise
-- writes another one; nobody waits, as with the totals of migration 0049. So a bucket may have
-- several rows, at most as many as transactions counted in it at the same time. The total is the
-- sum of all.
create table automatic_totals (
  id bigint generated always as identity,
  organization_id uuid not null references organizations (id),
  vault_id uuid not null,
  -- Empty: all recipients.
  recipient_address text not null,
  -- When it begins.
  bucket timestamptz not null,
  amount numeric(78, 0) not null,
  primary key (organization_id, recipient_address, bucket, vault_id, id),
  foreign key (organization_id, vault_id) references vaults (organization_id, id)
) with (fillfactor = 50);
create index automatic_totals_age on automatic_totals (organization_id, bucket);

create function bucket_of(moment timestamptz) returns timestamptz
language sql immutable parallel safe
return date_bin('15 minutes', moment, '2000-01-01 00:00:00+00');

-- Live and confirmed ones count. By nothing but the row: with the clock in it, a payment could be
-- subtracted that was never added.
create function counts_as_automatic(mode text, state text, has_open_attempt boolean)
returns boolean language sql immutable parallel safe
return mode = 'automatic'
  and (state in ('reserved', 'queued', 'submitting', 'broadcast', 'reconciling', 'confirmed')
    or (state = 'blocked' and has_open_attempt));
revoke all on function bucket_of, counts_as_automatic from public;
grant execute on function bucket_of, counts_as_automatic to countersign_app, countersign_observer;

create or replace view counted_payments with (security_invoker = true) as
select organization_id, id, vault_id, mode, recipient_address, amount, authorised_at
from payments where counts_as_automatic(mode, state, has_open_attempt);

-- By organization, because that is how the index finds the newest.
alter table organizations no force row level security;
alter table payments no force row level security;
insert into automatic_totals (organization_id, vault_id, recipient_address, bucket, amount)
  select o.id, t.vault_id, t.recipient_address, t.bucket, t.amount
  from organizations o cross join lateral (
    select p.vault_id, r.recipient_address, bucket_of(p.authorised_at) as bucket,
      sum(p.amount) as amount
    from payments p cross join lateral (values (''), (p.recipient_address)) r (recipient_address)
    where p.organization_id = o.id and p.mode = 'automatic'
      and p.authorised_at > now() - interval '30 days'
      and counts_as_automatic(p.mode, p.state, p.has_open_attempt)
    group by 1, 2, 3) t;
alter table payments force row level security;
alter table organizations force row level security;

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
  began timestamptz := bucket_of(payment.authorised_at);
  free bigint;
begin
  select id into free from automatic_totals
    where organization_id = payment.organization_id and recipient_address = recipient
      and bucket = began and vault_id = payment.vault_id
    limit 1 for update skip locked;
  if found then
    update automatic_totals set amount = amount + change
      where organization_id = payment.organization_id and recipient_address = recipient
        and bucket = began and vault_id = payment.vault_id and id = free;
    return;
  end if;
  insert into automatic_totals (organization_id, vault_id, recipient_address, bucket, amount)
    values (payment.organization_id, payment.vault_id, recipient, began, change);
  -- More than were added, so that few stay for ever; late enough that a clock that is days off
  -- deletes nothing that still counts.
  delete from automatic_totals where ctid = any(array(
    select ctid from automatic_totals where organization_id = payment.organization_id
      and bucket < least(now(), payment.authorised_at) - interval '30 days'
    order by bucket limit 8 for update skip locked));
end
$$;

create function count_automatic_payment() returns trigger
language plpgsql security definer set search_path = countersign, pg_temp
as $$
declare
  -- Payments that were settled before migration 0028 have no time.
  counted boolean := tg_op <> 'INSERT' and old.authorised_at is not null
    and counts_as_automatic(old.mode, old.state, old.has_open_attempt);
  counts boolean := tg_op <> 'DELETE' and new.authorised_at is not null
    and counts_as_automatic(new.mode, new.state, new.has_open_attempt);
begin
  if counted and counts
    and (old.vault_id, old.recipient_address, old.amount, bucket_of(old.authorised_at))
      = (new.vault_id, new.recipient_address, new.amount, bucket_of(new.authorised_at)) then
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
