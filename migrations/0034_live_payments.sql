-- Payments that hold money of their vault: unsent, in flight, or blocked while an attempt may still
-- be mined. `isLive` in payments/payment.machine.ts states the same rule for one payment. The view
-- checks row-level security and grants as its caller.
create view live_payments with (security_invoker = true) as
select organization_id, id, vault_id, chain_payment_id, mode, recipient_address, amount,
  authorised_at
from payments
where state in ('reserved', 'queued', 'submitting', 'broadcast', 'reconciling')
  or (state = 'blocked' and has_open_attempt);

grant select on live_payments to countersign_app, countersign_observer;
