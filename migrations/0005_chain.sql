-- What the follower has read of the chain. It belongs to no tenant: anyone can read the chain.

create table chain_position (
  only_row boolean primary key default true check (only_row),
  block_number bigint not null,
  block_hash text not null,
  block_time timestamptz not null,
  seen_at timestamptz not null
);

-- The newest blocks, as far back as a reorganisation may reach.
create table chain_blocks (
  number bigint primary key,
  hash text not null,
  parent_hash text not null,
  block_time timestamptz not null
);

-- Addresses whose logs are followed, from the block in which each was made.
create table chain_watches (
  address text primary key check (address ~ '^0x[0-9a-f]{40}$'),
  from_block bigint not null,
  caught_up boolean not null default false,
  -- Tokens that were sent to the address before it was watched.
  opening_balance numeric(78, 0) not null default 0
);

create table chain_logs (
  block_number bigint not null,
  log_index integer not null,
  block_hash text not null,
  block_time timestamptz not null,
  transaction_hash text not null,
  vault_address text not null,
  name text not null,
  args jsonb not null,
  -- One transfer between two vaults is a log of both.
  primary key (block_number, log_index, vault_address)
);
create index chain_logs_vault on chain_logs (vault_address, block_number, log_index);

grant select, insert, update, delete on chain_position, chain_blocks, chain_watches, chain_logs
  to countersign_app;
