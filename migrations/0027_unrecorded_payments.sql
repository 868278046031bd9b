-- Payments in a vault's log for which there is no payment row: after the restore of an old backup,
-- or when somebody else uses the executor's key. A job derives the rows from vault_payments.

create table unrecorded_payments (
  id uuid not null,
  organization_id uuid not null references organizations (id),
  vault_id uuid not null,
  chain_payment_id text not null
    check (chain_payment_id ~ '^0x[0-9a-f]+$' and length(chain_payment_id) = 66),
  mode text not null check (mode in ('approved', 'automatic')),
  recipient_address text not null
    check (recipient_address ~ '^0x[0-9a-f]+$' and length(recipient_address) = 42),
  amount numeric(78, 0) not null check (amount >= 0),
  policy_version bigint not null check (policy_version > 0),
  report_hash text not null,
  expense_version_hash text not null,
  -- Null for automatic payments, which nobody signs.
  approval_digest text,
  approver_address text,
  transaction_hash text not null,
  block_number bigint not null,
  block_hash text not null,
  block_time timestamptz not null,
  state text not null check (state in ('open', 'acknowledged', 'recorded', 'withdrawn')),
  acknowledged_by_account_id uuid references accounts (id),
  acknowledged_at timestamptz,
  acknowledgement_reason text
    check (char_length(acknowledgement_reason) between 1 and 1000),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  unique (organization_id, vault_id, chain_payment_id),
  foreign key (organization_id, vault_id) references vaults (organization_id, id),
  check (num_nulls(approval_digest, approver_address) in (0, 2)),
  check (num_nulls(acknowledged_by_account_id, acknowledged_at, acknowledgement_reason) in (0, 3)),
  check (state <> 'acknowledged' or acknowledged_at is not null)
);
create index unrecorded_payments_open on unrecorded_payments (organization_id, updated_at desc)
  where state = 'open';
-- Operators look across organizations: at what is open, and for a hash.
create index unrecorded_payments_newest on unrecorded_payments (updated_at desc, id desc)
  where state = 'open';
create index unrecorded_payments_transaction on unrecorded_payments (transaction_hash);
create index unrecorded_payments_chain_payment on unrecorded_payments (chain_payment_id);

alter table unrecorded_payments enable row level security;
alter table unrecorded_payments force row level security;
create policy tenant on unrecorded_payments to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
create policy observation on unrecorded_payments for select to countersign_observer using (true);

-- Workers derive the rows; the API role only acknowledges.
grant select, update (state, acknowledged_by_account_id, acknowledged_at, acknowledgement_reason,
  updated_at) on unrecorded_payments to countersign_app;
-- Vault and payment id stay; a reorganisation may bring the log back in another block.
grant insert, update (mode, recipient_address, amount, policy_version, report_hash,
  expense_version_hash, approval_digest, approver_address, transaction_hash, block_number,
  block_hash, block_time) on unrecorded_payments to countersign_worker;
grant select on unrecorded_payments to countersign_observer;
