-- Approvals, payments, what was signed for them, and what the chain said.

-- One executor's lane: its nonces in order, worked by whoever holds the lease.
alter table executor_bindings
  add column next_nonce bigint not null default 0,
  -- Grows with every claim: what an earlier holder still writes changes nothing.
  add column lane_epoch bigint not null default 0,
  add column lease_until timestamptz,
  -- The chain was ahead of these books: only looks until everything is matched.
  add column is_held boolean not null default false,
  -- The highest block that a final decision stands on.
  add column finalized_floor bigint not null default 0;

create table approvals (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  expense_id uuid not null,
  expense_revision integer not null,
  vault_id uuid not null,
  account_id uuid not null references accounts (id),
  wallet_role_id uuid not null,
  approver_address text not null check (approver_address ~ '^0x[0-9a-f]{40}$'),
  policy_version bigint not null,
  report_hash text not null,
  expense_version_hash text not null,
  deadline timestamptz not null,
  digest text not null check (digest ~ '^0x[0-9a-f]{64}$'),
  -- Exactly what was shown to be signed.
  typed_data jsonb not null,
  state text not null check (
    state in ('prepared', 'signed', 'consumed', 'expired', 'superseded', 'invalidated')),
  -- Taken back before it was signed: it stays prepared, and cannot be signed any more.
  cancelled_at timestamptz,
  signature text check (signature ~ '^0x([0-9a-f]{2})*$'),
  end_code text,
  invalidation_transaction_hash text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (organization_id, id),
  unique (organization_id, digest),
  check ((signature is not null) or state not in ('signed', 'consumed')),
  foreign key (organization_id, expense_id, expense_revision)
    references expense_revisions (organization_id, expense_id, revision),
  foreign key (organization_id, vault_id) references vaults (organization_id, id),
  foreign key (organization_id, wallet_role_id) references wallet_roles (organization_id, id)
);
create index approvals_expense on approvals (organization_id, expense_id, id);
create index approvals_open on approvals (organization_id, wallet_role_id)
  where state in ('prepared', 'signed');

create table payments (
  -- The id that the expense was born with: one expense, one payment, for ever.
  id uuid not null,
  organization_id uuid not null references organizations (id),
  expense_id uuid not null,
  expense_revision integer not null,
  expense_version_hash text not null,
  vault_id uuid not null,
  chain_payment_id text not null unique check (chain_payment_id ~ '^0x[0-9a-f]{64}$'),
  mode text not null check (mode in ('approved', 'automatic')),
  recipient_address text not null check (recipient_address ~ '^0x[0-9a-f]{40}$'),
  token_address text not null check (token_address ~ '^0x[0-9a-f]{40}$'),
  amount numeric(78, 0) not null check (amount > 0),
  policy_version bigint not null check (policy_version > 0),
  report_id uuid not null,
  report_hash text not null,
  approval_id uuid,
  approval_digest text,
  approver_address text,
  signature text,
  deadline timestamptz not null,
  -- Grows whenever it is reserved anew: what belongs to an earlier life changes nothing.
  epoch integer not null default 1,
  state text not null check (state in ('reserved', 'queued', 'submitting', 'broadcast',
    'reconciling', 'confirmed', 'blocked', 'failed')),
  state_since timestamptz not null default now(),
  block_code text,
  -- Something signed may still be mined: only rule N clears it.
  has_open_attempt boolean not null default false,
  -- A person has looked at a nonce that something else used, and takes it for lost.
  is_given_up boolean not null default false,
  lane_id uuid,
  released_at timestamptz,
  postponed_until timestamptz,
  postponed_times integer not null default 0,
  -- These three are null until something is signed, and fixed from then on.
  executor_binding_id uuid,
  executor_provider_type text,
  executor_address text,
  provider_reference text,
  transaction_hash text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- No index on the id alone: a list must not walk past another tenant's rows.
  primary key (organization_id, id),
  unique (organization_id, expense_id),
  check ((mode = 'approved') = (approval_id is not null)),
  check (num_nulls(approval_id, approval_digest, approver_address, signature) in (0, 4)),
  foreign key (organization_id, expense_id, expense_revision)
    references expense_revisions (organization_id, expense_id, revision),
  foreign key (organization_id, vault_id) references vaults (organization_id, id),
  foreign key (organization_id, approval_id) references approvals (organization_id, id),
  foreign key (organization_id, report_id) references reports (organization_id, id),
  foreign key (organization_id, lane_id) references executor_bindings (organization_id, id),
  foreign key (organization_id, executor_binding_id)
    references executor_bindings (organization_id, id)
);
create index payments_live on payments (organization_id, vault_id)
  where state in ('reserved', 'queued', 'submitting', 'broadcast', 'reconciling', 'blocked');
create index payments_lane on payments (organization_id, lane_id, released_at)
  where state in ('queued', 'submitting', 'broadcast', 'reconciling', 'blocked');
create index payments_approval on payments (organization_id, approval_id);

create table payment_attempts (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  payment_id uuid not null,
  lane_id uuid not null,
  number integer not null check (number > 0),
  executor_address text not null,
  nonce bigint not null check (nonce >= 0),
  fee_rank integer not null check (fee_rank >= 0),
  max_fee_per_gas numeric(78, 0) not null,
  max_priority_fee_per_gas numeric(78, 0) not null,
  transaction_hash text not null unique check (transaction_hash ~ '^0x[0-9a-f]{64}$'),
  -- What was signed: sent again as it is, never signed anew.
  raw text not null check (raw ~ '^0x[0-9a-f]+$'),
  call_hash text not null,
  state text not null check (state in ('written', 'sent', 'mined', 'cleared')),
  error_code text,
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (organization_id, id),
  unique (organization_id, lane_id, nonce, fee_rank),
  unique (organization_id, payment_id, number),
  foreign key (organization_id, payment_id) references payments (organization_id, id),
  foreign key (organization_id, lane_id) references executor_bindings (organization_id, id)
);

create table payment_receipts (
  organization_id uuid not null references organizations (id),
  payment_id uuid not null,
  transaction_hash text not null,
  block_number bigint not null,
  block_hash text not null,
  log_index integer not null,
  status text not null check (status in ('success', 'reverted')),
  gas_used numeric(78, 0),
  effective_gas_price numeric(78, 0),
  -- The vault's log, every field of it.
  execution jsonb not null,
  confirmed_at timestamptz not null,
  primary key (organization_id, payment_id),
  foreign key (organization_id, payment_id) references payments (organization_id, id)
);

do $$
declare
  name text;
begin
  foreach name in array array['approvals', 'payments', 'payment_attempts', 'payment_receipts'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I to countersign_app
      using (organization_id = scope_organization())
      with check (organization_id = scope_organization())', name);
  end loop;
end
$$;

grant select, insert on approvals, payments, payment_attempts, payment_receipts to countersign_app;
grant update (state, cancelled_at, signature, end_code, invalidation_transaction_hash, updated_at)
  on approvals to countersign_app;
-- Who is paid from which expense never changes; the rest is written anew with each reservation.
grant update (expense_revision, expense_version_hash, vault_id, mode, recipient_address,
  token_address, amount, policy_version, report_id, report_hash, approval_id, approval_digest,
  approver_address, signature, deadline, epoch, state, state_since, block_code, has_open_attempt,
  is_given_up,
  lane_id, released_at, postponed_until, postponed_times, executor_binding_id,
  executor_provider_type, executor_address, provider_reference, transaction_hash, updated_at)
  on payments to countersign_app;
grant update (state, error_code, sent_at, updated_at) on payment_attempts to countersign_app;
grant update (next_nonce, lane_epoch, lease_until, is_held, finalized_floor)
  on executor_bindings to countersign_app;

-- For whoever comes back later: a job with the key that is due earlier keeps its time.
create function enqueue_job_unless_due(
  task text, payload json, queue_name text, run_at timestamptz, job_key text, max_attempts integer
) returns bigint
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select id from graphile_worker.add_job(
    identifier => task, payload => payload, queue_name => queue_name, run_at => run_at,
    max_attempts => max_attempts, job_key => job_key, job_key_mode => 'preserve_run_at')
$$;
revoke all on function enqueue_job_unless_due from public;
grant execute on function enqueue_job_unless_due to countersign_app;
