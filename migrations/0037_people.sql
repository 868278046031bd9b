-- Roles that change, names that change, invitations to an e-mail address, and wallets that are
-- linked by a signature and unlinked.

grant update (role) on memberships to countersign_app;
grant update (name) on organizations to countersign_app;
grant update (label) on recipients to countersign_app;
-- Policies on accounts' data look for a membership by both.
create index memberships_account_in on memberships (organization_id, account_id);

-- In lower case. Only an account with this verified address may accept the invitation.
alter table invitations add column email text check (char_length(email) between 3 and 254);

-- An unlinked wallet keeps its row, because wallet roles of the past refer to it.
alter table wallets
  drop constraint wallets_state_check,
  add constraint wallets_state check (
    state in ('provisioning', 'active', 'failed', 'disabled', 'unlinked')),
  drop constraint wallets_address_fits,
  add constraint wallets_address_fits check (
    case when state in ('active', 'disabled', 'unlinked')
      then (chain_type = 'ethereum') = (address is not null)
        and (chain_type = 'solana') = (native_address is not null)
      else address is null and native_address is null
    end),
  drop constraint wallets_provider_fits,
  add constraint wallets_provider_fits check (
    (kind = 'server') = (provider is not null)
    and (kind = 'server') = (idempotency_key is not null)
    and (kind = 'server') = (fingerprint is not null)
    and (kind = 'server') = (purpose is not null)
    and (provider_reference is not null) = (kind = 'server' and state in ('active', 'disabled'))
    and (kind = 'server' or state in ('active', 'disabled', 'unlinked'))
    and (kind <> 'server' or state <> 'unlinked'));
-- Another account may link the address then.
drop index wallets_address;
create unique index wallets_address on wallets (address) where state <> 'unlinked';
create index wallets_unlinked on wallets (account_id) where state = 'unlinked';

-- Tenants keep seeing the addresses of wallets that had a role.
drop policy account on wallets;
create policy account on wallets to countersign_app
  using (
    account_id = scope_account()
    or (
      state in ('active', 'disabled', 'unlinked')
      and exists (
        select from memberships m
        where m.organization_id = scope_organization() and m.account_id = wallets.account_id
          and (m.revoked_at is null or wallets.created_at <= m.revoked_at)
      )
    )
  )
  with check (account_id = scope_account());

-- Whether a wallet of the account in scope has an active role in any organization.
create function wallet_has_role(wallet uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select from countersign.wallet_roles r
    where r.wallet_id = wallet and r.account_id = countersign.scope_account()
      and r.state = 'active');
end
$$;
revoke all on function wallet_has_role from public;
grant execute on function wallet_has_role to countersign_app;
-- Roles belong to tenants: the function above reads them as the owner.
create policy administration on wallet_roles for select to current_user using (true);
create index wallet_roles_wallet on wallet_roles (wallet_id) where state = 'active';

-- Messages that prove the control of a wallet once they are signed. Each can be used once.
create table wallet_link_challenges (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  address text not null check (address ~ '^0x[0-9a-f]+$' and length(address) = 42),
  message text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index wallet_link_challenges_account on wallet_link_challenges (account_id, expires_at);
alter table wallet_link_challenges enable row level security;
alter table wallet_link_challenges force row level security;
create policy own on wallet_link_challenges to countersign_app
  using (account_id = scope_account()) with check (account_id = scope_account());
grant select, insert, delete, update (used_at) on wallet_link_challenges to countersign_app;
