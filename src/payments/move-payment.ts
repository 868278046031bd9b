/** The only writer of a payment's state; carries the expense along, in the same transaction. */
import type { Context } from '#context.ts'
import { type ExpenseEvent, expenseMachine } from '#expenses/expense.machine.ts'
import { type ExpenseRow, lockExpense } from '#expenses/expenses.store.ts'
import { moveExpense } from '#expenses/move-expense.ts'
import type { Actor } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database.ts'
import { next } from '#platform/machine.ts'
import { type PaymentEvent, paymentMachine } from './payment.machine.ts'
import { needsNewSignature } from './payment.ts'
import { type PaymentRow, updatePaymentState } from './payments.store.ts'

export type MovePayment = {
  /** As it was read under lock; the expense is locked before it. */
  payment: PaymentRow
  event: PaymentEvent
  actor: Actor
  /** Only with `block` and `fail`. */
  code?: string
  data?: Record<string, unknown>
}

const needsSomebody = ['blocked', 'failed']

/** False when the payment is no longer what was read; then nothing was changed. */
export async function movePayment(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { payment, event, actor, code, data = {} }: MovePayment,
): Promise<boolean> {
  const to = next(paymentMachine, { from: payment.state, event })
  const at = ctx.clock.now()
  const blockCode = needsSomebody.includes(to) ? (code ?? event) : null
  if (!(await updatePaymentState(tx, { payment, to, blockCode, at }))) return false
  // A wait is no news; going on under another policy is.
  if (to !== payment.state || event === 'renew') {
    await recordChange(ctx, tx, {
      organizationId: payment.organizationId,
      actor,
      action: `payment.${event}`,
      aggregateType: 'payment',
      aggregateId: payment.id,
      data: { from: payment.state, to, code: blockCode, ...data },
      live: {
        kind: 'payment.changed',
        aggregateType: 'payment',
        targetState: to,
        severity: severityOf(to),
        code: blockCode,
      },
    })
  }
  await carryExpense(ctx, tx, { payment, event, actor, code: blockCode })
  return true
}

const severityOf = (to: PaymentRow['state']) => {
  if (needsSomebody.includes(to)) return 'action_required' as const
  return to === 'reconciling' ? ('degraded' as const) : ('healthy' as const)
}

const expenseEvents: Partial<Record<PaymentEvent, ExpenseEvent>> = {
  writeAhead: 'payment_submitting',
  lose: 'payment_lost',
  reconcile: 'payment_lost',
  confirm: 'payment_confirmed',
}

/** Which move the expense makes; undefined when it stays where it is. */
function expenseEventOf({
  payment,
  event,
  code,
}: {
  payment: PaymentRow
  event: PaymentEvent
  code: string | null
}): ExpenseEvent | undefined {
  if (event === 'block' || event === 'fail') {
    const { mode, hasOpenAttempt } = payment
    const isUnsent = payment.state === 'reserved' || payment.state === 'queued'
    const isApprovals = needsNewSignature({ mode, hasOpenAttempt, code: code ?? '' })
    return isUnsent && isApprovals ? 'approval_ended' : 'payment_blocked'
  }
  return expenseEvents[event]
}

async function carryExpense(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  {
    payment,
    event,
    actor,
    code,
  }: { payment: PaymentRow; event: PaymentEvent; actor: Actor; code: string | null },
): Promise<void> {
  const expenseEvent = expenseEventOf({ payment, event, code })
  if (!expenseEvent) return
  const { organizationId, expenseId } = payment
  const expense = await lockExpense(tx, { organizationId, expenseId })
  if (!expense || !follows(expense, expenseEvent)) {
    if (event === 'confirm') await tellOutOfStep(ctx, tx, { payment, actor })
    return
  }
  await moveExpense(ctx, tx, {
    expense,
    event: expenseEvent,
    actor,
    ...(code !== null && { blockCode: code }),
    data: { paymentId: payment.id, code },
  })
}

/** Paid, and its expense says otherwise: only tampering or an old backup can do that. */
const tellOutOfStep = (
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { payment, actor }: { payment: PaymentRow; actor: Actor },
): Promise<void> =>
  recordChange(ctx, tx, {
    organizationId: payment.organizationId,
    actor,
    action: 'payment.out_of_step',
    aggregateType: 'payment',
    aggregateId: payment.id,
    data: { expenseId: payment.expenseId },
    live: {
      kind: 'payment.changed',
      aggregateType: 'payment',
      targetState: 'confirmed',
      severity: 'action_required',
      code: 'expense_out_of_step',
    },
  })

/** A payment that is lost again finds its expense reconciling already: nothing to say twice. */
const follows = ({ state }: ExpenseRow, event: ExpenseEvent): boolean =>
  Object.hasOwn(expenseMachine.moves[state], event)
