-- Policies that wait until they can come into force, and the transactions that activate them.

create table vault_proposals (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  vault_id uuid not null,
  -- The vault's own id: a hash of the policy and the version that it replaces. The same policy may
  -- be proposed again after a veto.
  proposal_id text not null check (proposal_id ~ '^0x[0-9a-f]{64}$'),
  expected_version bigint not null,
  -- As logged; amounts are strings.
  policy jsonb not null,
  -- The vault's newest pause when it was proposed. Activation lifts no later one.
  pause_number bigint not null,
  -- An intent of the service prepared it.
  is_prepared boolean not null,
  proposed_at timestamptz not null,
  activates_at timestamptz not null,
  -- From then on it is void.
  expires_at timestamptz not null,
  transaction_hash text not null,
  block_number bigint not null,
  log_index integer not null,
  state text not null
    check (state in ('waiting', 'activated', 'vetoed', 'superseded', 'expired')),
  -- The block that ended it, so that a rollback takes the end back.
  ended_block bigint check ((ended_block is null) = (state = 'waiting')),
  -- Null where only time ended it.
  ended_transaction_hash text,
  vetoed_by text check ((vetoed_by is not null) = (state = 'vetoed')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  unique (organization_id, vault_id, block_number, log_index),
  foreign key (organization_id, vault_id) references vaults (organization_id, id)
);
-- A vault holds one proposal at a time.
create unique index vault_proposals_waiting on vault_proposals (organization_id, vault_id)
  where state = 'waiting';

-- The proposal that the transaction of an intent made, once its log is final.
alter table policy_intents no force row level security;
alter table policy_intents
  add column proposal_row_id uuid,
  add foreign key (organization_id, proposal_row_id)
    references vault_proposals (organization_id, id);
alter table policy_intents force row level security;
create index policy_intents_proposal on policy_intents (organization_id, proposal_row_id)
  where proposal_row_id is not null;

-- The activation of a proposal through an executor's lane. It refers to no row of the proposal,
-- because what was signed outlives a proposal that a reorganisation removed.
create table policy_activations (
  organization_id uuid not null references organizations (id),
  -- The id of the proposal's row.
  id uuid not null,
  vault_id uuid not null,
  -- Null while there is no executor that could send it.
  lane_id uuid,
  epoch integer not null default 1,
  state text not null check (state in ('queued', 'submitting', 'broadcast', 'reconciling',
    'blocked', 'failed', 'confirmed', 'cancelled')),
  state_since timestamptz not null default now(),
  -- Why the service cannot activate it now: an owner has to.
  code text,
  has_open_attempt boolean not null default false,
  postponed_until timestamptz,
  postponed_times integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, vault_id) references vaults (organization_id, id),
  foreign key (organization_id, lane_id) references executor_bindings (organization_id, id)
);
create index policy_activations_lane on policy_activations (organization_id, lane_id)
  where state in ('queued', 'submitting', 'broadcast', 'reconciling') or has_open_attempt;

-- Persisted before they are sent, like the attempts of payments, with nonces of the same lane.
create table activation_attempts (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  activation_id uuid not null,
  lane_id uuid not null,
  nonce bigint not null,
  fee_rank integer not null,
  max_fee_per_gas numeric(78, 0) not null,
  max_priority_fee_per_gas numeric(78, 0) not null,
  transaction_hash text not null,
  raw text not null,
  is_cleared boolean not null default false,
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (organization_id, id),
  unique (lane_id, nonce, fee_rank),
  unique (transaction_hash),
  foreign key (organization_id, activation_id)
    references policy_activations (organization_id, id),
  foreign key (organization_id, lane_id) references executor_bindings (organization_id, id)
);
create index activation_attempts_activation on activation_attempts
  (organization_id, activation_id);

do $$
declare
  name text;
begin
  foreach name in array array['vault_proposals', 'policy_activations', 'activation_attempts'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I to countersign_app
      using (organization_id = scope_organization())
      with check (organization_id = scope_organization())', name);
    execute format('create policy observation on %I for select to countersign_observer
      using (true)', name);
  end loop;
  foreach name in array array['vault_proposals', 'policy_activations'] loop
    execute format('create trigger note_task_change after insert or update or delete on %I
      for each row execute function note_task_change()', name);
  end loop;
end
$$;
-- What is on chain, and what the executor signs, is written by the worker alone.
grant select on vault_proposals, policy_activations to countersign_app, countersign_observer;
grant select on activation_attempts to countersign_worker;
grant select (organization_id, id, activation_id, lane_id, nonce, fee_rank, max_fee_per_gas,
  max_priority_fee_per_gas, transaction_hash, is_cleared, sent_at, created_at)
  on activation_attempts to countersign_observer;
grant insert, delete, update (state, ended_block, ended_transaction_hash, vetoed_by, updated_at)
  on vault_proposals to countersign_worker;
grant insert, update (lane_id, epoch, state, state_since, code, has_open_attempt,
  postponed_until, postponed_times, updated_at) on policy_activations to countersign_worker;
grant insert, update (is_cleared, sent_at) on activation_attempts to countersign_worker;
grant update (proposal_row_id) on policy_intents to countersign_app;
