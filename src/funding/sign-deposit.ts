/**
 * A deposit with a provider that only signs: nonce, bytes and hash are written in the transaction
 * in which they are signed, and are sent after it. One transaction of a wallet is in flight at a
 * time, so that its next nonce is the chain's.
 */
import { timestampToMilliseconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import type { FundingProvider, SigningProvider } from '#ports/funding-provider.ts'
import type { Fees } from '#ports/payment-node.ts'
import { type ActionRow, updateActionSubmitted } from './actions.store.ts'
import type { ControlRow } from './controls.store.ts'
import { isOpen } from './funding-action.ts'
import { asAttached, type FundingContext } from './funding-provider.ts'
import { moveAction } from './move-action.ts'
import { feesOf, lookAtWallet, type Settled, settle, unavailable } from './signed-transaction.ts'
import { depositCall, holding, mayDeposit, type Task } from './task.ts'
import {
  type FundingTransaction,
  findNonceAfter,
  findTransactionOfAction,
  insertTransaction,
  isInFlight,
  updateTransactionOutcome,
} from './transactions.store.ts'
import { enqueueWatch } from './watch-control.ts'

type Signer = FundingProvider & SigningProvider

/** Whoever pays for it has so long; nothing is signed until then. */
const GAS_WAITED_FOR_MS = 10 * 60 * 1000

export async function signDeposit(
  ctx: FundingContext,
  provider: Signer,
  task: Task,
): Promise<'ended' | undefined> {
  const { organizationId, id: actionId } = task.action
  const recorded = await ctx.db.transaction({ organizationId }, (tx) =>
    findTransactionOfAction(tx, { organizationId, actionId }),
  )
  const transaction = recorded ?? (await writeAhead(ctx, provider, task))
  if (transaction === 'ended') return 'ended'
  if (task.action.state === 'requested') await send(ctx, task, transaction)
  const settled = await settle(ctx, { address: task.wallet.address, transaction })
  if (!settled) return undefined
  await end(ctx, task, transaction, settled)
  return 'ended'
}

type Stand = { nonce: number; fees: Fees; balanceBefore: bigint }

async function writeAhead(
  ctx: FundingContext,
  provider: Signer,
  task: Task,
): Promise<FundingTransaction | 'ended'> {
  const stand = await readStand(ctx, provider, task)
  if (stand === 'gas_missing') return giveUpUnsigned(ctx, task)
  try {
    return await holding(ctx, task, async (tx, { action, control }) => {
      if (!isOpen(action)) return 'ended'
      if (!(await mayDeposit(ctx, tx, control))) {
        await moveAction(ctx, tx, { action, event: 'fail', failureCode: 'signer_not_ready' })
        return 'ended'
      }
      const recorded = await findTransactionOfAction(tx, { ...action, actionId: action.id })
      return recorded ?? signOnRecord(ctx, tx, provider, { ...task, action, control, stand })
    })
  } catch (error) {
    if (isInFlight(error)) throw unavailable('Another transaction of this wallet is in flight.')
    throw error
  }
}

async function readStand(
  ctx: FundingContext,
  provider: Signer,
  task: Task,
): Promise<Stand | 'gas_missing'> {
  const { control, wallet } = task
  const { address } = wallet
  const seen = await lookAtWallet(ctx, address)
  const fees = feesOf(seen)
  // What a node will not take is not signed: it would hold the wallet's next nonce.
  if (seen.gasBalance < depositCall(ctx, task).gasLimit * fees.maxFeePerGas) {
    const age = ctx.clock.now().getTime() - timestampToMilliseconds(task.action.createdAt)
    if (age > GAS_WAITED_FOR_MS) return 'gas_missing'
    await provider.fundGas({ address })
    throw unavailable('The wallet has too little gas.')
  }
  const balanceBefore = await ctx.chain.tokenBalance({
    address: control.vaultAddress,
    blockNumber: seen.finalizedNumber,
  })
  return { nonce: seen.headNonce.highest, fees, balanceBefore }
}

const giveUpUnsigned = (ctx: FundingContext, task: Task): Promise<FundingTransaction | 'ended'> =>
  holding(ctx, task, async (tx, { action }) => {
    if (!isOpen(action)) return 'ended'
    const recorded = await findTransactionOfAction(tx, { ...action, actionId: action.id })
    if (recorded) return recorded
    await moveAction(ctx, tx, { action, event: 'fail', failureCode: 'gas_missing' })
    return 'ended'
  })

async function signOnRecord(
  ctx: FundingContext,
  tx: Tx,
  provider: Signer,
  task: Task & { stand: Stand },
): Promise<FundingTransaction | 'ended'> {
  const { action, control, wallet, stand } = task
  const { organizationId, id: actionId } = action
  const { fees, balanceBefore } = stand
  const nonce = Math.max(stand.nonce, await findNonceAfter(tx, wallet.walletId))
  const call = depositCall(ctx, task)
  const asked = { ...asAttached(control, wallet), actionId, call, nonce, fees }
  const answer = await provider.sign(asked)
  const at = ctx.clock.now()
  if (answer.outcome === 'denied') {
    await moveAction(ctx, tx, { action, event: 'deny', failureCode: answer.code })
    return 'ended'
  }
  const { raw, transactionHash } = answer
  const id = ctx.ids.next()
  const row = { id, organizationId, controlId: control.id, actionId, walletId: wallet.walletId }
  await insertTransaction(tx, { ...row, nonce, raw, transactionHash, at })
  await updateActionSubmitted(tx, { ...row, balanceBefore, transactionHash, at })
  return { ...row, nonce, raw, transactionHash, outcome: null, createdAt: at.toISOString() }
}

/** Whatever is answered, the bytes may be with a node: only its word moves the state. */
async function send(ctx: FundingContext, task: Task, { raw }: FundingTransaction): Promise<void> {
  const answer = await ctx.laneChain.send({ raw })
  if (answer !== 'accepted' && answer !== 'nonce_too_low') return
  await holding(ctx, task, async (tx, { action }) => {
    await broadcast(ctx, tx, action)
  })
}

async function broadcast(ctx: FundingContext, tx: Tx, action: ActionRow): Promise<ActionRow> {
  if (action.state !== 'requested') return action
  return moveAction(ctx, tx, { action, event: 'broadcast' })
}

async function end(
  ctx: FundingContext,
  task: Task,
  { id, organizationId }: FundingTransaction,
  { outcome, blockNumber }: Settled,
): Promise<void> {
  const balanceAfter =
    blockNumber !== null && outcome === 'succeeded'
      ? await balanceAt(ctx, task.control, blockNumber)
      : undefined
  await holding(ctx, task, async (tx, { action }) => {
    if (!isOpen(action)) return
    await updateTransactionOutcome(tx, { organizationId, id, outcome })
    if (balanceAfter === undefined) {
      const failureCode = outcome === 'lost' ? 'nonce_taken' : 'transaction_reverted'
      await moveAction(ctx, tx, { action, event: 'fail', failureCode })
      return
    }
    const sent = await broadcast(ctx, tx, action)
    await moveAction(ctx, tx, { action: sent, event: 'confirm', balanceAfter })
    await enqueueWatch(ctx, tx, { organizationId, controlId: action.controlId }, 0)
  })
}

const balanceAt = (
  { chain }: Pick<FundingContext, 'chain'>,
  { vaultAddress: address }: ControlRow,
  blockNumber: number,
): Promise<bigint> => chain.tokenBalance({ address, blockNumber })
