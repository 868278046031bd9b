/**
 * Orders: what a funding wallet signs, which is a deposit or the token approval of a control. For
 * the payment engine each is a payment that its receipt proves.
 *
 * | In the database | To the engine |
 * |---|---|
 * | nothing is signed | `queued` |
 * | signed; the deposit is `requested`, the approval was never sent | `submitting` |
 * | the deposit is `broadcast`, the approval was sent | `broadcast` |
 * | reconciliation is `required`, the approval is two minutes old | `reconciling` |
 */
import { type ActionRow, findAction, lockAction } from '#funding/actions.store.ts'
import {
  type ControlRow,
  type Depositor,
  findControlById,
  findControlWallet,
  lockControl,
} from '#funding/controls.store.ts'
import type { SignedAttempt } from '#payments/engine/attempt.ts'
import type { LanePayment } from '#payments/engine/lane.ts'
import type { PaymentState } from '#payments/payment.machine.ts'
import { timestampToMilliseconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import type { Chain } from '#ports/chain.ts'
import type { Fees, VaultCall } from '#ports/payment-node.ts'
import type { FundingTransaction } from './transactions.store.ts'

/** After this time without an outcome, a person should check the action. */
export const DOUBTED_AFTER_MS = 120_000

/** `action` is null for the token approval of the control. */
export type Order = { control: ControlRow; wallet: Depositor; action: ActionRow | null }

export type OrderKey = { organizationId: string; controlId: string; actionId: string | null }

export const orderId = ({ controlId, actionId }: Omit<OrderKey, 'organizationId'>): string =>
  actionId ?? controlId

export const orderKey = ({ control, action }: Order): OrderKey => ({
  organizationId: control.organizationId,
  controlId: control.id,
  actionId: action?.id ?? null,
})

/** Locks the control first, then the action, as every caller must. */
export async function lockOrder(tx: Tx, key: OrderKey): Promise<Order> {
  return orderOf(tx, key, { control: lockControl, action: lockAction })
}

export async function findOrder(tx: Tx, key: OrderKey): Promise<Order> {
  return orderOf(tx, key, { control: findControlById, action: findAction })
}

async function orderOf(
  tx: Tx,
  { organizationId, controlId, actionId }: OrderKey,
  find: { control: typeof lockControl; action: typeof lockAction },
): Promise<Order> {
  const control = await find.control(tx, { organizationId, controlId })
  const wallet = control && (await findControlWallet(tx, control))
  const action = actionId === null ? null : await find.action(tx, { organizationId, actionId })
  if (!wallet || action === undefined)
    throw new Error('The action or wallet of a signed transaction does not exist')
  return { control, wallet, action }
}

/** An order with the call that it is for. */
export type CalledOrder = Order & { call: VaultCall }

export const asQueued = ({ call, ...order }: CalledOrder, nowMs: number): LanePayment => ({
  id: orderId(orderKey(order)),
  epoch: 1,
  state: 'queued',
  stateSinceMs: order.action ? timestampToMilliseconds(order.action.createdAt) : nowMs,
  call,
  expected: null,
  attempts: [],
})

type Signed = { order: Order; signed: readonly FundingTransaction[]; nowMs: number }

/** Call and fees are read from the signed bytes, because the rows may have changed. */
export async function asSigned(
  { readSigned }: Pick<Chain, 'readSigned'>,
  { order, signed, nowMs }: Signed,
): Promise<LanePayment> {
  const read = await Promise.all(
    signed.map(async (row) => ({ row, ...(await readSigned(row.raw)) })),
  )
  const [first] = read
  if (!first) throw new Error('The order has no signed transaction')
  const { action } = order
  const stateSinceMs = action ? timestampToMilliseconds(action.createdAt) : first.row.writtenAtMs
  return {
    id: orderId(first.row),
    epoch: 1,
    state: action ? depositState(action) : approvalState({ signed, age: nowMs - stateSinceMs }),
    stateSinceMs,
    call: first.call,
    expected: null,
    attempts: read.map(({ row, fees }) => toAttempt(row, fees)),
  }
}

export const toAttempt = (
  { id, nonce, feeRank, transactionHash, raw, writtenAtMs, sentAtMs }: FundingTransaction,
  fees: Fees,
): SignedAttempt => {
  const attempt = { id, nonce, feeRank, fees, transactionHash, raw, writtenAtMs, sentAtMs }
  return { kind: 'signed', ...attempt }
}

function depositState({ state, reconciliationState }: ActionRow): PaymentState {
  if (reconciliationState === 'required') return 'reconciling'
  return state === 'broadcast' ? 'broadcast' : 'submitting'
}

function approvalState({ signed, age }: Pick<Signed, 'signed'> & { age: number }): PaymentState {
  if (age >= DOUBTED_AFTER_MS) return 'reconciling'
  return signed.some(({ sentAtMs }) => sentAtMs !== null) ? 'broadcast' : 'submitting'
}
