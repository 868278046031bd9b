/**
 * One lane sends payments of many requests, so the job's own trace says little about one of them.
 * Every change of state is therefore also a span in the trace of the request that caused the
 * payment: it covers the time in the state that ends.
 */
import { listCauses } from '#journal/trail.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { currentTracer } from '#platform/tracing.ts'
import { paymentActions } from './payments.actions.ts'
import type { PaymentRow } from './payments.store.ts'

type Moved = { payment: PaymentRow; to: PaymentRow['state'] }

/** Call it before the change is recorded: the last event is the beginning of the old state. */
export async function tracePayments(
  tx: Tx,
  { moved, at }: { moved: readonly Moved[]; at: Date },
): Promise<void> {
  const tracer = currentTracer()
  const [first] = moved
  if (!tracer || !first) return
  const causes = await listCauses(tx, {
    organizationId: first.payment.organizationId,
    aggregateIds: moved.map(({ payment }) => payment.id),
    actions: [paymentActions.reserve, paymentActions.release],
  })
  for (const { payment, to } of moved) {
    const cause = causes.find(({ aggregateId }) => aggregateId === payment.id)
    if (!cause) continue
    tracer.recordPast(cause.requestId, {
      name: `payment ${to}`,
      attributes: {
        'countersign.payment_id': payment.id,
        'countersign.organization_id': payment.organizationId,
        'countersign.payment.from': payment.state,
        'countersign.payment.to': to,
      },
      startMs: cause.lastAtMs,
      endMs: at.getTime(),
    })
  }
}
