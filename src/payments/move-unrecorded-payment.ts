/** The only writer of unrecorded payments: inserts them, moves them, and records each move. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { integrationChange, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { next } from '#platform/machine.ts'
import { unrecordedPaymentActions } from './payments.actions.ts'
import {
  type UnrecordedEvent,
  type UnrecordedState,
  unrecordedPaymentMachine,
} from './unrecorded-payment.machine.ts'
import {
  insertUnrecorded,
  type LoggedPayment,
  lockUnrecorded,
  type UnrecordedRow,
  updateUnrecorded,
} from './unrecorded-payments.store.ts'

type MoveContext = Pick<Context, 'clock' | 'ids'>

type Found = { organizationId: string; logged: LoggedPayment; actor: Actor }

/** Inserts a new one. The caller holds the vault's lock, so no other transaction inserts it. */
export async function insertFound(
  ctx: MoveContext,
  tx: Tx,
  { organizationId, logged, actor }: Found,
): Promise<void> {
  const id = ctx.ids.next()
  const at = ctx.clock.now()
  insertUnrecorded(tx, { ...logged, id, organizationId, state: 'open', at })
  const data = { from: null, to: 'open', ...describe(logged) }
  await record(ctx, tx, { organizationId, id, event: 'find', to: 'open', actor, data })
}

export type MoveUnrecorded = {
  organizationId: string
  unrecordedPaymentId: string
  actor: Actor
} & (
  | { event: 'find'; logged: LoggedPayment }
  | { event: 'acknowledge'; acknowledgement: { accountId: string; reason: string } }
  | { event: 'record' | 'withdraw' }
)

/** Undefined when it does not exist; throws `state_conflict` when its state forbids the event. */
export async function moveUnrecorded(
  ctx: MoveContext,
  tx: Tx,
  move: MoveUnrecorded,
): Promise<UnrecordedRow | undefined> {
  const { organizationId, unrecordedPaymentId, event, actor } = move
  const key = { organizationId, unrecordedPaymentId }
  const found = await lockUnrecorded(tx, key)
  if (!found) return undefined
  const { id, state: from } = found
  const to = next(unrecordedPaymentMachine, { from, event })
  updateUnrecorded(tx, {
    organizationId,
    id,
    from,
    to,
    at: ctx.clock.now(),
    ...(event === 'find' && { logged: move.logged }),
    ...(event === 'acknowledge' && { acknowledgement: move.acknowledgement }),
  })
  const reason = event === 'acknowledge' ? { reason: move.acknowledgement.reason } : {}
  const about = describe(event === 'find' ? move.logged : found)
  await record(ctx, tx, {
    organizationId,
    id,
    event,
    to,
    actor,
    data: { from, to, ...about, ...reason },
  })
  const moved = await lockUnrecorded(tx, key)
  if (!moved) throw new AppError('state_conflict')
  return moved
}

const describe = (logged: LoggedPayment): Record<string, unknown> => ({
  vaultId: logged.vaultId,
  chainPaymentId: logged.chainPaymentId,
  transactionHash: logged.transactionHash,
  blockNumber: logged.blockNumber,
  mode: logged.mode,
  policyVersion: logged.policyVersion,
  recipientAddress: logged.recipientAddress,
  amountBaseUnits: logged.amount.toString(),
})

const record = (
  ctx: MoveContext,
  tx: Tx,
  {
    organizationId,
    id,
    event,
    to,
    actor,
    data,
  }: {
    organizationId: string
    id: string
    event: UnrecordedEvent
    to: UnrecordedState
    actor: Actor
    data: Record<string, unknown>
  },
): Promise<void> =>
  recordChange(ctx, tx, {
    organizationId,
    actor,
    action: unrecordedPaymentActions[event],
    aggregateType: 'unrecorded_payment',
    aggregateId: id,
    data,
    live: integrationChange({
      targetState: to,
      severity: to === 'open' ? 'action_required' : 'healthy',
      code: unrecordedPaymentActions[event].replace('.', '_'),
    }),
  })
