-- Wallets that the service makes, and the ceremony that hands a key over.

-- Wallets that an identity brought are there at once; the others are made by a provider first.
alter table wallets
  add column state text not null default 'active'
    check (state in ('provisioning', 'active', 'failed', 'disabled')),
  add column purpose text check (char_length(purpose) between 1 and 100),
  add column creation_environment text,
  -- What it is meant for. Whose it is stays the account's: the name keeps it out of tenants' keys.
  add column for_organization_id uuid references organizations (id),
  add column provider text check (provider in ('local', 'privy')),
  -- What the provider needs to find the key again; a key that is kept here is encrypted.
  add column provider_reference bytea,
  add column idempotency_key text check (char_length(idempotency_key) between 1 and 255),
  add column fingerprint bytea check (length(fingerprint) = 32),
  add column attempts integer not null default 0,
  -- Whoever asks the provider right now.
  add column lease_until timestamptz,
  add column export_failures integer not null default 0,
  add column export_locked_until timestamptz;

-- Nothing half-made has an address.
alter table wallets
  drop constraint wallets_check,
  drop constraint wallets_check1,
  add constraint wallets_address_fits check (
    case when state in ('active', 'disabled')
      then (chain_type = 'ethereum') = (address is not null)
        and (chain_type = 'solana') = (native_address is not null)
      else address is null and native_address is null
    end),
  add constraint wallets_provider_fits check (
    (kind = 'server') = (provider is not null)
    and (kind = 'server') = (idempotency_key is not null)
    and (kind = 'server') = (fingerprint is not null)
    and (kind = 'server') = (purpose is not null)
    and (provider_reference is not null) = (kind = 'server' and state in ('active', 'disabled'))
    and (kind = 'server' or state in ('active', 'disabled')));

-- Remembered for ever, as part of the row it made; after a failure the key may be used again.
create unique index wallets_idempotency on wallets (account_id, idempotency_key)
  where state <> 'failed';

grant update (state, address, native_address, provider_reference, attempts, lease_until,
  export_failures, export_locked_until) on wallets to countersign_app;

-- As before, and of what is not ready nobody but the account itself knows.
drop policy account on wallets;
create policy account on wallets to countersign_app
  using (
    account_id = scope_account()
    or (
      state in ('active', 'disabled')
      and exists (
        select from memberships m
        where m.organization_id = scope_organization() and m.account_id = wallets.account_id
          and (m.revoked_at is null or wallets.created_at <= m.revoked_at)
      )
    )
  )
  with check (account_id = scope_account());

-- Operators look at wallets, and never at what opens them.
revoke select on wallets from countersign_observer;
grant select (id, account_id, kind, chain_type, address, native_address, created_at, state, purpose,
  creation_environment, for_organization_id, provider) on wallets to countersign_observer;

-- The owner seals keys anew under another master key, and takes a wallet out of service.
create policy administration on wallets to current_user using (true) with check (true);
create policy administration on executor_bindings to current_user using (true) with check (true);

create table wallet_exports (
  id uuid primary key,
  account_id uuid not null,
  wallet_id uuid not null,
  state text not null
    check (state in ('pending', 'completing', 'completed', 'cancelled', 'expired')),
  -- SHA-256 of the point that the answer will be sealed to.
  recipient_key_hash bytea not null check (length(recipient_key_hash) = 32),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  foreign key (account_id, wallet_id) references wallets (account_id, id)
);
create unique index wallet_exports_pending on wallet_exports (wallet_id) where state = 'pending';
create index wallet_exports_account on wallet_exports (account_id, created_at);

alter table wallet_exports enable row level security;
alter table wallet_exports force row level security;
create policy own on wallet_exports to countersign_app
  using (account_id = scope_account()) with check (account_id = scope_account());
create policy administration on wallet_exports for select to current_user using (true);
grant select, insert, update (state, updated_at) on wallet_exports to countersign_app;
