-- Executors, vaults, policies and the intents to change them on chain.

-- Keeps an observer of the chain from linking an organization's id to its vaults.
alter table organizations add column salt bytea not null
  default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

create function scope_vault() returns text language sql stable
  as $$ select nullif(current_setting('app.vault', true), '') $$;

create table executor_bindings (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  provider_type text not null
    check (provider_type in ('agent_stack_cli', 'developer_controlled_wallet', 'local')),
  address text not null unique check (address ~ '^0x[0-9a-f]{40}$'),
  chain_id bigint not null,
  state text not null check (state in ('active', 'disabled')),
  -- What the provider needs to sign again; a local key is encrypted.
  provider_reference bytea not null,
  native_balance_wei numeric(78, 0) not null default 0,
  balance_read_at timestamptz,
  created_at timestamptz not null,
  unique (organization_id, id)
);
create unique index executor_bindings_active on executor_bindings (organization_id)
  where state = 'active';

create table executor_provisionings (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  state text not null check (state in ('requested', 'provisioning', 'active', 'failed')),
  attempts integer not null default 0,
  failure_code text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (organization_id, id)
);
create unique index executor_provisionings_one on executor_provisionings (organization_id)
  where state in ('requested', 'provisioning');

create table vaults (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  label text not null check (char_length(label) between 1 and 100),
  is_default boolean not null default false,
  archived_at timestamptz,
  created_by_account_id uuid references accounts (id),
  chain_id bigint not null,
  address text not null check (address ~ '^0x[0-9a-f]{40}$'),
  token_address text not null check (token_address ~ '^0x[0-9a-f]{40}$'),
  owner_address text not null check (owner_address ~ '^0x[0-9a-f]{40}$'),
  artifact_hash text not null,
  deployment_transaction_hash text not null,
  state text not null check (state in ('pending', 'verified', 'disabled')),
  failure_code text,
  -- These three come from the follower alone.
  balance numeric(78, 0) not null default 0 check (balance >= 0),
  spent_total numeric(78, 0) not null default 0 check (spent_total >= 0),
  policy_version bigint not null default 0,
  created_at timestamptz not null,
  unique (organization_id, id),
  check (not (is_default and archived_at is not null))
);
create unique index vaults_default on vaults (organization_id) where is_default;
create unique index vaults_organization_address on vaults (organization_id, chain_id, address)
  where state <> 'disabled';
-- A claim that is not proven must not keep the true owner out, so only verified ones exclude.
create unique index vaults_verified_address on vaults (chain_id, address)
  where state = 'verified';

create table policies (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  vault_id uuid not null,
  version bigint not null check (version > 0),
  executor_address text not null,
  approver_addresses text[] not null,
  recipient_addresses text[] not null,
  approved_cap numeric(78, 0) not null,
  automatic_cap numeric(78, 0) not null,
  lifetime_cap numeric(78, 0) not null,
  reserve_floor numeric(78, 0) not null,
  expires_at timestamptz not null,
  automatic_enabled boolean not null,
  paused boolean not null,
  -- Set by an emergency brake after the configuration.
  paused_in_block bigint,
  chain_transaction_hash text not null,
  block_number bigint not null,
  created_at timestamptz not null,
  unique (organization_id, id),
  unique (organization_id, vault_id, version),
  foreign key (organization_id, vault_id) references vaults (organization_id, id)
);

create table vault_payments (
  organization_id uuid not null references organizations (id),
  vault_id uuid not null,
  chain_payment_id text not null,
  recipient_address text not null,
  amount numeric(78, 0) not null,
  transaction_hash text not null,
  block_number bigint not null,
  block_time timestamptz not null,
  primary key (organization_id, vault_id, chain_payment_id),
  foreign key (organization_id, vault_id) references vaults (organization_id, id)
);
create index vault_payments_recipient on vault_payments (organization_id, recipient_address);

create table vault_deployments (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  label text not null check (char_length(label) between 1 and 100),
  chain_id bigint not null,
  token_address text not null,
  owner_address text not null,
  organization_hash text not null,
  artifact_hash text not null,
  constructor_data_hash text not null,
  transaction jsonb not null,
  state text not null check (
    state in ('prepared', 'submitted', 'confirmed', 'reconciling', 'rejected', 'failed')),
  transaction_hash text,
  submitted_at timestamptz,
  vault_id uuid,
  failure_code text,
  created_by_account_id uuid not null references accounts (id),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (organization_id, id),
  foreign key (organization_id, vault_id) references vaults (organization_id, id)
);

create table policy_intents (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  vault_id uuid not null,
  expected_version bigint not null,
  executor_address text not null,
  approver_addresses text[] not null,
  recipient_addresses text[] not null,
  approved_cap numeric(78, 0) not null,
  automatic_cap numeric(78, 0) not null,
  lifetime_cap numeric(78, 0) not null,
  reserve_floor numeric(78, 0) not null,
  expires_at timestamptz not null,
  automatic_enabled boolean not null,
  paused boolean not null,
  changes jsonb not null,
  transaction jsonb not null,
  state text not null check (
    state in ('prepared', 'submitted', 'confirmed', 'reconciling', 'rejected', 'failed')),
  transaction_hash text,
  submitted_at timestamptz,
  policy_version bigint,
  failure_code text,
  created_by_account_id uuid not null references accounts (id),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (organization_id, id),
  foreign key (organization_id, vault_id) references vaults (organization_id, id)
);

do $$
declare
  name text;
begin
  foreach name in array array['executor_bindings', 'executor_provisionings', 'vaults', 'policies',
                              'vault_payments', 'vault_deployments', 'policy_intents'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    if name <> 'vaults' then
      execute format('create policy tenant on %I to countersign_app
        using (organization_id = scope_organization())
        with check (organization_id = scope_organization())', name);
    end if;
  end loop;
end
$$;
-- Whoever reads a log of the chain may find the one vault whose log it is.
create policy tenant on vaults to countersign_app
  using (organization_id = scope_organization()
    or (address = scope_vault() and state = 'verified'))
  with check (organization_id = scope_organization());

grant select, insert on executor_bindings, executor_provisionings, vaults, policies,
  vault_payments, vault_deployments, policy_intents to countersign_app;
grant update (state, native_balance_wei, balance_read_at) on executor_bindings to countersign_app;
grant update (state, attempts, failure_code, updated_at) on executor_provisionings
  to countersign_app;
grant update (is_default, archived_at, state, owner_address, failure_code, balance, spent_total,
              policy_version) on vaults to countersign_app;
grant update (paused_in_block), delete on policies to countersign_app;
grant delete on vault_payments to countersign_app;
grant update (state, transaction_hash, submitted_at, vault_id, failure_code, updated_at)
  on vault_deployments to countersign_app;
grant update (state, transaction_hash, submitted_at, policy_version, failure_code, updated_at)
  on policy_intents to countersign_app;
