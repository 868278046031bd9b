/** The only writer of payment states. Moves the expenses in the same transaction. */
import type { Context } from '#context.ts'
import { type ExpenseEvent, expenseMachine } from '#expenses/expense.machine.ts'
import { type ExpenseRow, lockExpensesOf } from '#expenses/expenses.store.ts'
import { type MoveExpense, moveExpenses } from '#expenses/move-expense.ts'
import type { Actor } from '#journal/actor.ts'
import { type Change, recordChanges } from '#journal/journal.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { Tx } from '#platform/database/database.ts'
import { next } from '#platform/machine.ts'
import { type PaymentEvent, paymentMachine } from './payment.machine.ts'
import { needsNewSignature } from './payment.ts'
import { paymentActions } from './payments.actions.ts'
import { type PaymentRow, updatePaymentStates } from './payments.store.ts'
import { tracePayments } from './trace-payments.ts'

export type MovePayment = {
  /** Read under lock; its expense is locked before it. */
  payment: PaymentRow
  event: PaymentEvent
  actor: Actor
  /** Only with `block` and `fail`. */
  code?: BlockCode
  data?: Record<string, unknown>
}

const endedStates = ['blocked', 'failed']

type MoveContext = Pick<Context, 'clock' | 'ids'>

/** False when the payment has changed since it was read; then nothing is written. */
export async function movePayment(ctx: MoveContext, tx: Tx, move: MovePayment): Promise<boolean> {
  return (await movePayments(ctx, tx, [move])).length > 0
}

/** Moves payments of one organization. Returns those that were unchanged since they were read. */
export async function movePayments(
  ctx: MoveContext,
  tx: Tx,
  asked: readonly MovePayment[],
): Promise<MovePayment[]> {
  if (asked.length === 0) return []
  const at = ctx.clock.now()
  const moves = asked.map((move): Moving => {
    const to = next(paymentMachine, { from: move.payment.state, event: move.event })
    const blockCode = endedStates.includes(to) ? requireCode(move) : null
    return { ...move, to, blockCode, at }
  })
  const ids = await updatePaymentStates(tx, moves)
  const moved = moves.filter(({ payment }) => ids.includes(payment.id))
  await tracePayments(tx, { moved, at })
  // A postponement is not recorded; a signature and a renewal under another policy are.
  const isRecorded = ({ payment, to, event }: Moving) =>
    to !== payment.state || event === 'renew' || event === 'sign'
  await recordChanges(ctx, tx, moved.filter(isRecorded).map(changeOf))
  await carryExpenses(ctx, tx, moved)
  return moved
}

function requireCode({ code }: MovePayment): BlockCode {
  if (code === undefined) throw new Error('Moving a payment to blocked or failed requires a code')
  return code
}

type Moving = MovePayment & { to: PaymentRow['state']; blockCode: BlockCode | null; at: Date }

const changeOf = ({ payment, event, actor, to, blockCode, data }: Moving): Change => ({
  organizationId: payment.organizationId,
  actor,
  action: paymentActions[event],
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

const severityOf = (to: PaymentRow['state']) => {
  if (endedStates.includes(to)) return 'action_required' as const
  return to === 'reconciling' ? ('degraded' as const) : ('healthy' as const)
}

const expenseEvents: Partial<Record<PaymentEvent, ExpenseEvent>> = {
  writeAhead: 'payment_submitting',
  lose: 'payment_lost',
  reconcile: 'payment_lost',
  confirm: 'payment_confirmed',
}

/** The expense's event; undefined when its state stays the same. */
function expenseEventOf({ payment, event, blockCode }: Moving): ExpenseEvent | undefined {
  if (event === 'block' || event === 'fail') {
    const { mode, hasOpenAttempt } = payment
    const isUnsent = payment.state === 'reserved' || payment.state === 'queued'
    const isApprovalOver =
      blockCode !== null && needsNewSignature({ mode, hasOpenAttempt, code: blockCode })
    return isUnsent && isApprovalOver ? 'approval_ended' : 'payment_blocked'
  }
  if (event === 'requeue') {
    return payment.mode === 'approved' ? 'release_approved' : 'release_automatic'
  }
  return expenseEvents[event]
}

async function carryExpenses(ctx: MoveContext, tx: Tx, moved: readonly Moving[]): Promise<void> {
  const carried = moved.filter((move) => expenseEventOf(move) !== undefined)
  const [first] = carried
  if (!first) return
  const { organizationId } = first.payment
  const paymentIds = carried.map(({ payment }) => payment.id)
  const expenses = await lockExpensesOf(tx, { organizationId, paymentIds })
  const expenseOf = ({ payment }: Moving) => expenses.find(({ id }) => id === payment.expenseId)
  const moves = carried.flatMap((move): MoveExpense[] => {
    const [expense, event] = [expenseOf(move), expenseEventOf(move)]
    if (!expense || !event || !follows(expense, event, move.payment)) return []
    const { payment, actor, blockCode } = move
    const data = { paymentId: payment.id, code: blockCode }
    return [{ expense, event, actor, ...(blockCode !== null && { blockCode }), data }]
  })
  const outOfStep = carried.filter(
    (move) => move.event === 'confirm' && !moves.some(({ expense }) => expense === expenseOf(move)),
  )
  await recordChanges(ctx, tx, outOfStep.map(outOfStepOf))
  await moveExpenses(ctx, tx, moves)
}

/** The payment is confirmed and its expense cannot follow: after tampering or an old backup. */
const outOfStepOf = ({ payment, actor }: Moving): Change => ({
  organizationId: payment.organizationId,
  actor,
  action: paymentActions.outOfStep,
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

/**
 * False when the expense is in the target state already, as when a payment is lost again, and when
 * its approvers are asked about another revision than the one that was paid.
 */
const follows = (
  { state, currentRevision }: ExpenseRow,
  event: ExpenseEvent,
  { expenseRevision }: PaymentRow,
): boolean =>
  Object.hasOwn(expenseMachine.moves[state], event) &&
  (state !== 'awaiting_approval' || expenseRevision === currentRevision)
