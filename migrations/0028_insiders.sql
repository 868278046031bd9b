-- Rules against members who act together: times that the database sets, every wallet that an
-- account ever linked, and members who wait for an owner.

-- `pending`: accepted an invitation, and an owner has not confirmed them yet.
alter table memberships
  drop constraint memberships_state_check,
  add constraint memberships_state check (state in ('active', 'pending', 'revoked')),
  -- Member since when, by the database's clock. The application cannot write it.
  add column recorded_at timestamptz;
alter table memberships no force row level security;
update memberships set recorded_at = created_at;
alter table memberships force row level security;
alter table memberships alter column recorded_at set not null;
create unique index memberships_current on memberships (organization_id, account_id)
  where state in ('active', 'pending');
create index memberships_pending on memberships (organization_id, id) where state = 'pending';

-- Null: written before this column was there.
alter table expenses add column recorded_at timestamptz;
alter table expense_revisions add column recorded_at timestamptz;

create function record_time() returns trigger language plpgsql
as $$
begin
  new.recorded_at := now();
  return new;
end
$$;

create trigger record_time before insert on memberships
  for each row execute function record_time();
-- A member who is confirmed, or comes back, is new from then on.
create trigger record_confirmation before update of state on memberships
  for each row when (old.state <> 'active' and new.state = 'active')
  execute function record_time();
create trigger record_time before insert on expenses
  for each row execute function record_time();
create trigger record_time before insert on expense_revisions
  for each row execute function record_time();

-- When a payment was authorised the last time: what the sums of automatic payments count by.
alter table payments add column authorised_at timestamptz;
grant select (authorised_at) on payments to countersign_observer;
alter table payments no force row level security;
-- What is older than the longest window is never counted, and stays null.
update payments set authorised_at = greatest(created_at, released_at)
  where greatest(created_at, released_at) > now() - interval '8 days';
alter table payments force row level security;

create function record_authorisation() returns trigger language plpgsql
as $$
begin
  new.authorised_at := now();
  return new;
end
$$;

create trigger record_authorisation before insert on payments
  for each row execute function record_authorisation();
create trigger record_reservation before update of state on payments
  for each row when (old.state in ('blocked', 'failed') and new.state in ('reserved', 'queued'))
  execute function record_authorisation();
create index payments_automatic on payments (organization_id, authorised_at)
  where mode = 'automatic';

-- Every account that ever had an address. Wallets can be unlinked; these rows stay.
create table wallet_links (
  address text not null check (address ~ '^0x[0-9a-f]+$' and length(address) = 42),
  account_id uuid not null references accounts (id),
  linked_at timestamptz not null default now(),
  primary key (address, account_id)
);
create index wallet_links_account on wallet_links (account_id);
alter table wallets no force row level security;
insert into wallet_links (address, account_id, linked_at)
  select address, account_id, created_at from wallets where address is not null;
alter table wallets force row level security;
alter table wallet_links enable row level security;
alter table wallet_links force row level security;
-- An account sees its own; an organization sees those of everybody who is or was a member.
create policy account on wallet_links for select to countersign_app
  using (
    account_id = scope_account()
    or exists (
      select from memberships m
      where m.organization_id = scope_organization() and m.account_id = wallet_links.account_id)
  );
create policy administration on wallet_links to current_user using (true) with check (true);
grant select on wallet_links to countersign_app;
create policy observation on wallet_links for select to countersign_observer using (true);
grant select on wallet_links to countersign_observer;

create function keep_wallet_link() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into countersign.wallet_links (address, account_id)
    values (new.address, new.account_id) on conflict do nothing;
  return null;
end
$$;
revoke all on function keep_wallet_link from public;
create trigger keep_wallet_link after insert or update of address, account_id on wallets
  for each row when (new.address is not null) execute function keep_wallet_link();

-- Quotas count by these.
create index organizations_creator on organizations (created_by_account_id);
create index wallets_made_for on wallets (for_organization_id) where kind = 'server';

-- Server wallets made for the organization in scope, whoever has them and however far they are.
create function count_server_wallets(organization uuid) returns bigint
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select count(*) from countersign.wallets
    where for_organization_id = organization and organization = countersign.scope_organization()
      and kind = 'server' and state <> 'failed');
end
$$;
revoke all on function count_server_wallets from public;
grant execute on function count_server_wallets to countersign_app;
