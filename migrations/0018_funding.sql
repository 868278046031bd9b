-- The funding signer: what it may do for a vault, what it was asked to do, what it has signed.

create table funding_controls (
  id uuid not null,
  organization_id uuid not null references organizations (id),
  vault_id uuid not null,
  -- The wallet that deposits, and whose it is.
  account_id uuid not null,
  wallet_id uuid not null,
  provider text not null check (provider in ('local', 'privy')),
  provider_policy_id text not null check (char_length(provider_policy_id) between 1 and 200),
  signer_id text not null check (char_length(signer_id) between 1 and 200),
  state text not null check (state in ('pending', 'attached', 'verified', 'revoked', 'failed')),
  -- The rule as it was asked for. What the signer goes by is the provider's own copy.
  chain_id bigint not null,
  vault_address text not null check (vault_address ~ '^0x[0-9a-f]{40}$'),
  max_amount numeric(78, 0) not null check (max_amount > 0),
  expires_at timestamptz not null,
  -- What the provider gave when it was attached; a policy that is kept here is sealed.
  provider_reference bytea,
  readback_at timestamptz,
  failure_code text,
  -- What the last look at the chain and at the provider found: reads wait for neither.
  wallet_allowance numeric(78, 0),
  wallet_balance numeric(78, 0),
  wallet_gas_wei numeric(78, 0),
  provider_silent boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, vault_id) references vaults (organization_id, id),
  foreign key (account_id, wallet_id) references wallets (account_id, id),
  check (state not in ('attached', 'verified') or provider_reference is not null),
  check (state <> 'verified' or (readback_at is not null and failure_code is null)),
  check (state <> 'failed' or failure_code is not null)
);
create unique index funding_controls_current on funding_controls (organization_id, vault_id)
  where state in ('pending', 'attached', 'verified');

create table funding_actions (
  id uuid not null,
  organization_id uuid not null references organizations (id),
  vault_id uuid not null,
  control_id uuid not null,
  wallet_id uuid not null,
  action text not null check (action in ('deposit', 'withdraw_probe')),
  amount numeric(78, 0) not null check (amount >= 0),
  state text not null
    check (state in ('requested', 'broadcast', 'confirmed', 'denied', 'failed')),
  reconciliation_state text not null
    check (reconciliation_state in ('pending', 'required', 'confirmed', 'denied', 'failed')),
  approval_transaction_hash text check (approval_transaction_hash ~ '^0x[0-9a-f]{64}$'),
  transaction_hash text check (transaction_hash ~ '^0x[0-9a-f]{64}$'),
  provider_reference text,
  failure_code text,
  -- Whoever asked, with the key of the request; a scheduled probe has neither.
  account_id uuid references accounts (id),
  idempotency_key uuid,
  fingerprint bytea check (length(fingerprint) = 32),
  -- From here on the provider may have been asked: its answer may only be lost.
  submitted_at timestamptz,
  -- The newest block before that: what it did can only be in a later one.
  submitted_block bigint check (submitted_block >= 0),
  -- The last request to a provider that sends whose answer nobody has.
  unanswered_at timestamptz,
  broadcast_at timestamptz,
  confirmed_at timestamptz,
  reconciled_at timestamptz,
  balance_before numeric(78, 0),
  balance_after numeric(78, 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, vault_id) references vaults (organization_id, id),
  foreign key (organization_id, control_id) references funding_controls (organization_id, id),
  check ((account_id is null) = (idempotency_key is null)),
  check ((account_id is null) = (fingerprint is null)),
  check (state not in ('broadcast', 'confirmed') or action = 'deposit'),
  check (state <> 'confirmed' or (transaction_hash is not null and balance_after is not null)),
  check ((state in ('requested', 'broadcast')) = (reconciled_at is null))
);
-- Remembered for ever, as part of the row it made.
create unique index funding_actions_idempotency
  on funding_actions (organization_id, account_id, idempotency_key);
-- One deposit of a wallet at a time, in whichever organization: they share its nonces and balance.
create unique index funding_actions_open_deposit on funding_actions (wallet_id)
  where action = 'deposit' and state in ('requested', 'broadcast');
-- One transaction is one deposit: nobody is told twice that it was made.
create unique index funding_actions_confirmed_by on funding_actions (wallet_id, transaction_hash)
  where state = 'confirmed';

-- Written before it is sent, for a provider that only signs: a crash sends the same bytes again.
create table funding_transactions (
  id uuid not null,
  organization_id uuid not null references organizations (id),
  control_id uuid not null,
  -- Null: the token approval of the control.
  action_id uuid,
  wallet_id uuid not null,
  nonce bigint not null check (nonce >= 0),
  transaction_hash text not null check (transaction_hash ~ '^0x[0-9a-f]{64}$'),
  raw text not null,
  -- `lost`: its nonce went to something else, for ever.
  outcome text check (outcome in ('succeeded', 'reverted', 'lost')),
  created_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, control_id) references funding_controls (organization_id, id),
  foreign key (organization_id, action_id) references funding_actions (organization_id, id)
);
create unique index funding_transactions_in_flight on funding_transactions (wallet_id)
  where outcome is null;
-- An action signs once, and a control has one approval that may count.
create unique index funding_transactions_action on funding_transactions (organization_id, action_id)
  where action_id is not null;
create unique index funding_transactions_approval
  on funding_transactions (organization_id, control_id)
  where action_id is null and outcome is distinct from 'lost';

alter table funding_controls enable row level security;
alter table funding_controls force row level security;
alter table funding_actions enable row level security;
alter table funding_actions force row level security;
alter table funding_transactions enable row level security;
alter table funding_transactions force row level security;

create policy tenant on funding_controls to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
create policy tenant on funding_actions to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
create policy tenant on funding_transactions to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
create policy observation on funding_controls for select to countersign_observer using (true);
create policy observation on funding_actions for select to countersign_observer using (true);
create policy observation on funding_transactions for select to countersign_observer using (true);
-- The owner seals policies anew under another master key.
create policy administration on funding_controls to current_user using (true) with check (true);

grant select, insert, update (state, provider_reference, readback_at, failure_code,
  wallet_allowance, wallet_balance, wallet_gas_wei, provider_silent, updated_at)
  on funding_controls to countersign_app;
grant select, insert, update (state, reconciliation_state, transaction_hash, provider_reference,
  failure_code, submitted_at, submitted_block, unanswered_at, broadcast_at, confirmed_at,
  reconciled_at, balance_before, balance_after, updated_at) on funding_actions to countersign_app;
grant select, insert, update (outcome) on funding_transactions to countersign_app;

-- Operators see what was asked and done, and neither sealed policies nor signed bytes.
grant select (id, organization_id, vault_id, account_id, wallet_id, provider, provider_policy_id,
  signer_id, state, chain_id, vault_address, max_amount, expires_at, readback_at, failure_code,
  wallet_allowance, wallet_balance, wallet_gas_wei, provider_silent, created_at, updated_at)
  on funding_controls to countersign_observer;
grant select (id, organization_id, vault_id, control_id, wallet_id, action, amount, state,
  reconciliation_state, approval_transaction_hash, transaction_hash, provider_reference,
  failure_code, account_id, submitted_at, submitted_block, unanswered_at, broadcast_at,
  confirmed_at, reconciled_at, balance_before, balance_after, created_at, updated_at)
  on funding_actions to countersign_observer;
grant select (id, organization_id, control_id, action_id, wallet_id, nonce, transaction_hash,
  outcome, created_at) on funding_transactions to countersign_observer;
