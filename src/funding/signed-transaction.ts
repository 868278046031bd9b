/**
 * What becomes of a transaction of a funding wallet that is on record here. It is sent as often as
 * it takes, always the same bytes; it is lost only when its nonce went to another for ever.
 */
import type { SeenLane } from '#payments/engine/judgement.ts'
import { AppError } from '#platform/errors.ts'
import type { ChainTransaction } from '#ports/chain.ts'
import type { Fees } from '#ports/payment-node.ts'
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

/** Rejects while the nodes disagree on fees, or fees are above the ceiling: to be tried later. */
export function feesOf({ market }: Pick<SeenLane, 'market'>): Fees {
  if (market.outcome === 'known') return market.fees
  if (market.outcome === 'disagree') throw unavailable('The nodes do not agree on fees.')
  throw unavailable('Network fees are above the ceiling. It is retried when they fall.')
}

export type Mined = {
  transaction: ChainTransaction
  blockNumber: number
  isReverted: boolean
  /** Deep enough to stay. */
  isFinal: boolean
}

/** Undefined: it is in no block that stands. */
export async function findMined(
  { chain }: Pick<FundingContext, 'chain'>,
  hash: string,
): Promise<Mined | undefined> {
  const transaction = await chain.findTransaction(hash)
  const receipt = transaction?.receipt
  if (!receipt) return undefined
  const { blockNumber } = receipt
  const block = await chain.findBlock(blockNumber)
  if (block?.hash !== receipt.blockHash) return undefined
  const { number: head } = await chain.latestBlock()
  const isFinal = head - blockNumber + 1 >= chain.confirmations
  return { transaction, blockNumber, isReverted: receipt.status === 'reverted', isFinal }
}

export type Settled = { outcome: TransactionOutcome; blockNumber: number | null }

/** Undefined while it is still under way: then it was sent again. */
export async function settle(
  ctx: ChainContext,
  { address, transaction }: { address: string; transaction: FundingTransaction },
): Promise<Settled | undefined> {
  const { transactionHash, nonce, raw } = transaction
  // The nonce first: what is mined up to there is found by the look that follows.
  const { finalizedNonce, finalizedNumber } = await lookAtWallet(ctx, address)
  const mined = await findMined(ctx, transactionHash)
  if (mined) {
    const outcome = mined.isReverted ? 'reverted' : 'succeeded'
    return mined.isFinal ? { outcome, blockNumber: mined.blockNumber } : undefined
  }
  const { number: head } = await ctx.chain.latestBlock()
  // Nodes that have not come so far cannot say that it is not there.
  const isLost = finalizedNonce > nonce && head >= finalizedNumber
  if (isLost) return { outcome: 'lost', blockNumber: null }
  await ctx.laneChain.send({ raw })
  return undefined
}
