/** Write-ahead: signs transactions of a funding wallet and persists them before they are sent. */
import { updateActionSubmitted } from '#funding/actions.store.ts'
import { asAttached } from '#funding/funding-provider.ts'
import { moveAction } from '#funding/move-action.ts'
import { mayDeposit, readVaultBefore } from '#funding/open-action.ts'
import type { LaneStore } from '#payments/engine/lane.ts'
import type { Tx } from '#platform/database/database.ts'
import type { SignAnswer } from '#ports/funding-provider.ts'
import type { Fees, VaultCall } from '#ports/payment-node.ts'
import { type FundingLane, type LockedOrder, writeOrder } from './fenced-orders.ts'
import { type Order, toAttempt } from './orders.ts'
import {
  type FundingTransaction,
  findApproval,
  findNonceAfter,
  hasTransaction,
  insertTransaction,
  isWalletBusy,
} from './transactions.store.ts'

type Place = { nonce: number; feeRank: number; fees: Fees; call: VaultCall }

export async function signOrder(
  lane: FundingLane,
  { token, payments, fees, chainNonce }: Parameters<LaneStore['writeAhead']>[0],
): ReturnType<LaneStore['writeAhead']> {
  const { ctx, order } = lane
  // A funding lane queues at most one order.
  const [payment] = payments
  if (!payment || !order) return []
  const before = order.action ? await readVaultBefore(ctx, order.control) : undefined
  const balanceBefore = before?.balanceBefore ?? null
  try {
    const written = await writeOrder(lane, { token, payment }, async (locked) => {
      if (!(await mayBeSigned(lane, locked))) return undefined
      const { organizationId, walletId } = locked.order.control
      const settled = await findNonceAfter(locked.tx, { organizationId, walletId })
      const nonce = Math.max(chainNonce, settled)
      const place = { nonce, feeRank: 0, fees, call: payment.call }
      return signAndStore(lane, locked, { ...place, balanceBefore })
    })
    if (written === 'stale') return 'stale'
    return written ? [{ payment, attempt: toAttempt(written, fees) }] : []
  } catch (error) {
    // Another organization uses the wallet now: the next pass retries.
    if (isWalletBusy(error)) return []
    throw error
  }
}

/** Checked under the lock: role, control or policy may have ended since the request. */
async function mayBeSigned({ ctx }: FundingLane, { tx, order }: LockedOrder): Promise<boolean> {
  const { control, action } = order
  const { organizationId, id: controlId } = control
  const isRecorded = action
    ? await hasTransaction(tx, { organizationId, actionId: action.id })
    : (await findApproval(tx, { organizationId, controlId })) !== undefined
  if (isRecorded || (action && action.state !== 'requested')) return false
  if (await mayDeposit(ctx, tx, control)) return true
  if (action) await moveAction(ctx, tx, { action, event: 'fail', failureCode: 'signer_not_ready' })
  return false
}

async function signAndStore(
  lane: FundingLane,
  { tx, order }: LockedOrder,
  { balanceBefore, ...place }: Place & { balanceBefore: bigint | null },
): Promise<FundingTransaction | undefined> {
  const { ctx } = lane
  const { action } = order
  const answer = await sign(lane, order, place)
  if (answer.outcome === 'signed') {
    const transaction = await record(lane, { tx, order }, { ...place, ...answer })
    if (action) recordSubmitted(lane, tx, { action, balanceBefore, transaction })
    return transaction
  }
  if (action) await moveAction(ctx, tx, { action, event: 'deny', failureCode: answer.code })
  return undefined
}

const recordSubmitted = (
  { ctx }: FundingLane,
  tx: Tx,
  {
    action: { organizationId, id: actionId },
    balanceBefore,
    transaction: { transactionHash },
  }: {
    action: NonNullable<Order['action']>
    balanceBefore: bigint | null
    transaction: FundingTransaction
  },
): void =>
  updateActionSubmitted(tx, {
    organizationId,
    actionId,
    balanceBefore,
    transactionHash,
    at: ctx.clock.now(),
  })

/** Rule 4: the same nonce and call, read from the signed bytes, with a higher fee. */
export async function replaceOrder(
  lane: FundingLane,
  { token, payment, replaced, fees }: Parameters<LaneStore['writeReplacement']>[0],
): ReturnType<LaneStore['writeReplacement']> {
  const { ctx } = lane
  const { nonce } = replaced
  const written = await writeOrder(lane, { token, payment }, async (locked) => {
    const { tx, order } = locked
    if (!lane.provider || !(await mayDeposit(ctx, tx, order.control))) return 'refused'
    const { call, from, nonce: signedNonce } = await ctx.chain.readSigned(replaced.raw)
    if (from !== order.wallet.address || signedNonce !== nonce) {
      throw new Error('The stored transaction has another sender or nonce than its row')
    }
    const place = { nonce, feeRank: replaced.feeRank + 1, fees, call }
    const answer = await sign(lane, order, place)
    if (answer.outcome !== 'signed') return 'refused'
    const { call: again } = await ctx.chain.readSigned(answer.raw)
    const isSameCall = again.data === call.data && again.vaultAddress === call.vaultAddress
    if (!isSameCall) return 'refused'
    const transaction = await record(lane, locked, { ...place, ...answer })
    const { action } = order
    if (action) recordSubmitted(lane, tx, { action, balanceBefore: null, transaction })
    return transaction
  })
  return typeof written === 'string' ? written : toAttempt(written, fees)
}

/** The signer applies its sealed policy, not the rows. */
async function sign(
  { ctx, provider }: FundingLane,
  { control, wallet, action }: Order,
  { nonce, fees, call }: Place,
): Promise<SignAnswer> {
  if (!provider) return { outcome: 'denied', code: 'signer_not_ready' }
  const asked = { ...asAttached(control, wallet), nonce, fees }
  if (action) return provider.sign({ ...asked, actionId: action.id, call })
  return provider.signApproval({ ...asked, tokenAddress: ctx.chain.tokenAddress })
}

const record = (
  { ctx }: FundingLane,
  { tx, order: { control, wallet, action } }: LockedOrder,
  signed: Pick<Place, 'nonce' | 'feeRank'> & { raw: string; transactionHash: string },
): Promise<FundingTransaction> =>
  insertTransaction(tx, {
    id: ctx.ids.next(),
    organizationId: control.organizationId,
    controlId: control.id,
    actionId: action?.id ?? null,
    walletId: wallet.walletId,
    nonce: signed.nonce,
    feeRank: signed.feeRank,
    transactionHash: signed.transactionHash,
    raw: signed.raw,
  })
