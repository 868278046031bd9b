-- What operators look for across tenants: by name, by what stands on the chain, by what went wrong.

-- Every piece of one to three characters, so that any part of a name, also a single character of
-- any script, is found by the index. No extension: pg_trgm knows words of the locale only, and
-- nothing shorter than three characters.
create function name_grams(name text) returns text[]
language sql immutable strict parallel safe
as $$
  select coalesce(array_agg(distinct substr(folded, place, size)), '{}')
  from (select lower(name) as folded) as n, generate_series(1, 3) as size,
    generate_series(1, char_length(folded) - size + 1) as place
$$;

-- The pieces that a name must have to hold the term: its threes, or the term itself if shorter.
create function search_grams(term text) returns text[]
language sql immutable strict parallel safe
as $$
  select array_agg(distinct substr(folded, place, 3))
  from (select lower(term) as folded) as t,
    generate_series(1, greatest(char_length(folded) - 2, 1)) as place
$$;

-- Few are made in a day: each goes straight into the index, so that a search reads nothing else.
create index organizations_name on organizations using gin (name_grams(name))
  with (fastupdate = off);

create index vaults_address on vaults (address);
create index vaults_deployment on vaults (deployment_transaction_hash);
create index vault_deployments_transaction on vault_deployments (transaction_hash)
  where transaction_hash is not null;
create index policies_transaction on policies (chain_transaction_hash);
create index policy_intents_transaction on policy_intents (transaction_hash)
  where transaction_hash is not null;
create index approvals_invalidation on approvals (invalidation_transaction_hash)
  where invalidation_transaction_hash is not null;

create index agent_runs_failed on agent_runs (updated_at, id) where state = 'failed';
create index payments_failed on payments (updated_at, id) where state in ('failed', 'blocked');
create index payments_failed_organization on payments (organization_id)
  where state in ('failed', 'blocked');
create index payments_reconciling on payments (organization_id) where state = 'reconciling';
create index payment_attempts_failed on payment_attempts (updated_at, id)
  where error_code is not null;
create index payment_receipts_newest
  on payment_receipts (organization_id, confirmed_at, payment_id);

-- Every order of the list, with and without each filter; within a priority the newest first.
create index support_cases_newest on support_cases (id);
create index support_cases_priority on support_cases (priority, id);
create index support_cases_priority_rising on support_cases (priority, id desc);
create index support_cases_state on support_cases (state, id);
create index support_cases_state_priority on support_cases (state, priority, id);
create index support_cases_state_priority_rising on support_cases (state, priority, id desc);
create index support_cases_open_priority on support_cases (organization_id, priority)
  where state <> 'resolved';
