-- Deposits and token approvals go through the payment engine: each wallet that signs here has a
-- lane with a lease, and a transaction that is stuck is replaced at its nonce with a higher fee.

create table funding_lanes (
  organization_id uuid not null references organizations (id),
  wallet_id uuid not null,
  -- The fencing token: every claim of the lane takes the next one.
  epoch bigint not null default 1 check (epoch > 0),
  lease_until timestamptz not null,
  -- The highest block that a final decision of this lane stands on.
  finalized_floor bigint not null default 0 check (finalized_floor >= 0),
  primary key (organization_id, wallet_id)
);

alter table funding_lanes enable row level security;
alter table funding_lanes force row level security;
create policy tenant on funding_lanes to countersign_app
  using (organization_id = scope_organization())
  with check (organization_id = scope_organization());
create policy observation on funding_lanes for select to countersign_observer using (true);
grant select on funding_lanes to countersign_app, countersign_observer;
grant insert, update (epoch, lease_until, finalized_floor) on funding_lanes to countersign_worker;

-- Replacements stand beside what they replace: the same nonce and call, one rank higher.
alter table funding_transactions
  add column fee_rank integer not null default 0 check (fee_rank >= 0),
  add column sent_at timestamptz;
grant update (sent_at) on funding_transactions to countersign_worker;
grant select (fee_rank, sent_at) on funding_transactions to countersign_observer;

drop index funding_transactions_in_flight;
drop index funding_transactions_action;
drop index funding_transactions_approval;
-- One nonce of a wallet is in flight at a time, with all its replacements.
create unique index funding_transactions_in_flight on funding_transactions (wallet_id, fee_rank)
  where outcome is null;
-- An action has one nonce, and a control has one approval that may count.
create unique index funding_transactions_action
  on funding_transactions (organization_id, action_id, fee_rank) where action_id is not null;
create unique index funding_transactions_approval
  on funding_transactions (organization_id, control_id, fee_rank)
  where action_id is null and outcome is distinct from 'lost';
