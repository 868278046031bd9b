/**
 * What becomes of a transaction of a funding wallet that is on record here. It is sent as often as
 * it takes, always the same bytes; it is lost only when its nonce went to another for ever.
 */
import { AppError } from '#platform/errors.ts'
import type { ChainTransaction } from '#ports/chain.ts'
import type { FundingContext } from './funding-provider.ts'
import type { FundingTransaction, TransactionOutcome } from './transactions.store.ts'

type ChainContext = Pick<FundingContext, 'chain' | 'laneChain'>

/** Nobody has applied anything up to here: the chain's own height is the only limit. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER

export const unavailable = (message: string) =>
  new AppError('dependency_unavailable', { message, retryAfterSeconds: 2 })

/** Where the wallet stands, as the nodes say together. */
export async function lookAtWallet({ laneChain }: ChainContext, address: string) {
  const view = await laneChain.lookAtLane({ address, upTo: NO_LIMIT })
  if (view.outcome === 'seen') return view
  throw unavailable('The chain cannot be read. Retry shortly.')
}

/** A transaction in a block that is deep enough and still there; undefined: not yet. */
export async function findFinal(
  { chain }: Pick<FundingContext, 'chain'>,
  hash: string,
): Promise<
  { transaction: ChainTransaction; blockNumber: number; isReverted: boolean } | undefined
> {
  const transaction = await chain.findTransaction(hash)
  const receipt = transaction?.receipt
  if (!receipt) return undefined
  const block = await chain.findBlock(receipt.blockNumber)
  const { number: head } = await chain.latestBlock()
  const { blockNumber } = receipt
  const isFinal = head - blockNumber + 1 >= chain.confirmations
  if (!isFinal || block?.hash !== receipt.blockHash) return undefined
  return { transaction, blockNumber, isReverted: receipt.status === 'reverted' }
}

export type Settled = { outcome: TransactionOutcome; blockNumber: number | null }

/** Undefined while it is still under way: then it was sent again. */
export async function settle(
  ctx: ChainContext,
  { address, transaction }: { address: string; transaction: FundingTransaction },
): Promise<Settled | undefined> {
  const { transactionHash, nonce, raw } = transaction
  // The nonce first: what is mined up to there is found by the look that follows.
  const { finalizedNonce } = await lookAtWallet(ctx, address)
  const found = await findFinal(ctx, transactionHash)
  if (found) {
    const outcome = found.isReverted ? 'reverted' : 'succeeded'
    return { outcome, blockNumber: found.blockNumber }
  }
  if (finalizedNonce > nonce) return { outcome: 'lost', blockNumber: null }
  await ctx.laneChain.send({ raw })
  return undefined
}
