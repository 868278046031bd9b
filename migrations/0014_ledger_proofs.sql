-- Proofs that a hardware wallet signs what this service prepares. Outside production only.

create table ledger_proofs (
  id uuid not null,
  organization_id uuid not null references organizations (id),
  -- Whoever prepared it.
  account_id uuid not null references accounts (id),
  kind text not null check (kind in ('deployment', 'funding', 'configure', 'approval')),
  provider text not null check (provider = 'ledger'),
  intent_hash text not null check (intent_hash ~ '^0x[0-9a-f]{64}$'),
  -- Canonical JSON, kept as the text that was hashed.
  intent_json text not null,
  state text not null check (state in ('prepared', 'claimed', 'confirmed', 'failed')),
  claimed_by_account_id uuid references accounts (id),
  -- What the claimer gave last: a transaction's hash, or the digest of an approval.
  given_hash text check (given_hash ~ '^0x[0-9a-f]{64}$'),
  error_code text,
  evidence_json text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  check ((claimed_by_account_id is null) = (state = 'prepared')),
  check ((error_code is not null) = (state = 'failed')),
  check (state not in ('confirmed', 'failed') or
    (given_hash is not null and evidence_json is not null))
);

alter table ledger_proofs enable row level security;
alter table ledger_proofs force row level security;
create policy tenant on ledger_proofs to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
create policy observation on ledger_proofs for select to countersign_observer using (true);

grant select, insert on ledger_proofs to countersign_app;
grant update (state, claimed_by_account_id, given_hash, error_code, evidence_json, updated_at)
  on ledger_proofs to countersign_app;
grant select on ledger_proofs to countersign_observer;
