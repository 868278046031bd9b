-- Payments with several signatures. Each reservation of a payment names the signatures that it
-- counts. Rows are only added, so that what a payment was sent with stays on record.
create table payment_signatures (
  organization_id uuid not null references organizations (id),
  payment_id uuid not null,
  -- The reservation that counts the signature.
  epoch integer not null,
  approval_id uuid not null,
  account_id uuid not null references accounts (id),
  approver_address text not null
    check (approver_address ~ '^0x[0-9a-f]+$' and length(approver_address) = 42),
  digest text not null check (digest ~ '^0x[0-9a-f]+$' and length(digest) = 66),
  signature text not null,
  -- The vault counts addresses, and the service counts people.
  primary key (organization_id, payment_id, epoch, approver_address),
  unique (organization_id, payment_id, epoch, account_id),
  foreign key (organization_id, payment_id) references payments (organization_id, id)
    on delete cascade,
  foreign key (organization_id, approval_id) references approvals (organization_id, id)
);

alter table payments no force row level security;
alter table approvals no force row level security;
-- Triggers note each change there.
alter table task_changes no force row level security;
alter table payments disable trigger guard;
insert into payment_signatures (organization_id, payment_id, epoch, approval_id, account_id,
    approver_address, digest, signature)
  select p.organization_id, p.id, p.epoch, p.approval_id, a.account_id, p.approver_address,
    p.approval_digest, p.signature
  from payments p
  join approvals a on a.organization_id = p.organization_id and a.id = p.approval_id;
alter table payments
  add column required_approvals integer not null default 0
    check (required_approvals between 0 and 8);
update payments set required_approvals = 1 where mode = 'approved';
alter table payments enable trigger guard;
alter table payments force row level security;
alter table approvals force row level security;

alter table payment_signatures enable row level security;
alter table payment_signatures force row level security;
create policy tenant on payment_signatures to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
create policy observation on payment_signatures for select to countersign_observer using (true);
grant select, insert on payment_signatures to countersign_app;
grant select (organization_id, payment_id, epoch, approval_id, account_id, approver_address,
  digest) on payment_signatures to countersign_observer;
grant update (required_approvals) on payments to countersign_app;
grant select (required_approvals) on payments to countersign_observer;

-- `approval_id` and `approval_digest` stay those of the first signature.
alter table payments
  drop column approver_address,
  drop column signature,
  add constraint payments_first_signature check (num_nulls(approval_id, approval_digest) in (0, 2));

-- The API role adds signatures to a reservation only; what is queued or sent stays as it is.
create function guard_payment_signature() returns trigger
language plpgsql set search_path = countersign, pg_temp
as $$
begin
  if pg_has_role(current_user, 'countersign_worker', 'usage') or exists (
    select from payments p where p.organization_id = new.organization_id and p.id = new.payment_id
      and p.state = 'reserved' and p.mode = 'approved' and p.epoch = new.epoch) then
    return new;
  end if;
  raise exception 'The role % may not add a signature to this payment', current_user
    using errcode = 'insufficient_privilege';
end
$$;
create trigger guard before insert on payment_signatures
  for each row execute function guard_payment_signature();

-- What the API role may write of a payment: a reservation that a person signed for, another
-- signature's time on one that is reserved, or a block of one that is not sent.
create or replace function guard_payment() returns trigger
language plpgsql set search_path = countersign, pg_temp
as $$
declare
  is_unsent boolean;
begin
  if pg_has_role(current_user, 'countersign_worker', 'usage') then
    return new;
  end if;
  if tg_op = 'UPDATE' and (new.state = 'blocked' and old.state in ('reserved', 'queued')
      or new.state = 'reserved' and old.state = 'reserved' and new.block_code is null)
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

-- A vault logs every signature that it took; an automatic payment has none.
alter table unrecorded_payments
  add column approval_digests text[] not null default '{}',
  add column approver_addresses text[] not null default '{}';
alter table unrecorded_payments no force row level security;
update unrecorded_payments set approval_digests = array[approval_digest],
  approver_addresses = array[approver_address] where approval_digest is not null;
alter table unrecorded_payments force row level security;
alter table task_changes force row level security;
alter table unrecorded_payments
  drop column approval_digest,
  drop column approver_address,
  add constraint unrecorded_payments_signatures
    check (cardinality(approval_digests) = cardinality(approver_addresses));
grant update (approval_digests, approver_addresses) on unrecorded_payments to countersign_worker;

create trigger note_task_change after insert or update or delete on payment_signatures
  for each row execute function note_task_change();
