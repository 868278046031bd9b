-- Migration 0051 gave every payment that was logged before it the mode `approved`. The log says
-- which of them were automatic; they count against the automatic cap of a period.
alter table vault_payments no force row level security;
alter table vaults no force row level security;
-- Triggers note each change there.
alter table task_changes no force row level security;
update vault_payments x set mode = 'automatic'
  from vaults v
  join chain_logs l on l.vault_address = v.address and l.name = 'PaymentExecuted'
  where v.organization_id = x.organization_id and v.id = x.vault_id
    and l.block_number = x.block_number and l.args ->> 'chainPaymentId' = x.chain_payment_id
    and l.args ->> 'mode' = 'automatic' and x.mode <> 'automatic';
alter table task_changes force row level security;
alter table vaults force row level security;
alter table vault_payments force row level security;
