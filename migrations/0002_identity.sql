-- Accounts of both realms, operators, and the wallets an account brings or is given.

create table accounts (
  id uuid primary key,
  realm text not null check (realm in ('consumer', 'admin')),
  issuer text not null,
  subject text not null,
  status text not null default 'active' check (status in ('active', 'disabled')),
  created_at timestamptz not null,
  unique (realm, issuer, subject)
);
-- The application makes consumers. Who may operate the service, and who is shut out of it, is
-- decided with the owner's login alone.
alter table accounts enable row level security;
alter table accounts force row level security;
create policy reading on accounts for select to countersign_app using (true);
create policy joining on accounts for insert to countersign_app with check (realm = 'consumer');
create policy administration on accounts to current_user using (true) with check (true);
grant select, insert on accounts to countersign_app;

create table operators (
  account_id uuid primary key references accounts (id),
  status text not null check (status in ('active', 'revoked')),
  granted_at timestamptz not null,
  revoked_at timestamptz
);
grant select on operators to countersign_app;

create table wallets (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  kind text not null check (kind in ('embedded', 'external', 'server')),
  chain_type text not null check (chain_type in ('ethereum', 'solana')),
  -- Lower case; null for a wallet of a chain that has no EVM address.
  address text check (address ~ '^0x[0-9a-f]{40}$'),
  native_address text,
  created_at timestamptz not null,
  unique (account_id, id),
  check ((chain_type = 'ethereum') = (address is not null)),
  check ((chain_type = 'solana') = (native_address is not null))
);
create unique index wallets_address on wallets (address);
create unique index wallets_native_address on wallets (native_address);
grant select, insert on wallets to countersign_app;
