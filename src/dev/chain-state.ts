/** The shared state of the local chain, and the queue that serialises access to it. */
import type { Hex } from 'viem'
import type { Clock } from '#platform/clock.ts'
import { type Engine, RpcError } from './chain-engine.ts'
import type { Journal } from './chain-journal.ts'
import { reasonOf } from './data-folder.ts'

export type Receipt = { status: Hex; transactionHash: Hex; contractAddress: Hex | null }

export type ChainState = {
  engine: Engine
  journal: Journal
  clock: Clock
  finalityDepth: number
  mineAfterMs: number
  aheadLimitSeconds: number
  allowTestMethods: boolean
  onHead: () => void
  head: { number: number; hash: Hex; timestamp: number }
  /** The greatest number of a block so far, including replaced ones. */
  highest: number
  /** Of all blocks, including replaced ones, so that a replacement block gets another hash. */
  newestTimestamp: number
  /** The time last set for the pending block. */
  pendingTimestamp: number | undefined
  /** Sender and nonce to the hash of the pending transaction, newest last. */
  pool: Map<string, Hex>
  /** Whether a transaction in the pool fits into the next block. */
  minable: boolean
  timer: NodeJS.Timeout | undefined
  /** Resolves when the scheduled block has its turn. */
  nextBlock: PromiseWithResolvers<void> | undefined
  /** Named deployments, by the hash of their transaction. */
  names: Map<string, Hex>
  /** Callers that wait for a transaction to be mined. */
  waiting: Map<Hex, PromiseWithResolvers<Receipt>>
  queue: Promise<unknown>
  /** Rejects when journal and engine may have diverged; nothing is answered after that. */
  failed: PromiseWithResolvers<never>
  failure: unknown
}

/**
 * Runs the work alone, after everything queued before, and returns its result once all it could
 * have seen is on disk.
 */
export async function inTurn<T>(chain: ChainState, work: () => Promise<T>): Promise<T> {
  const turn = chain.queue.then(() => {
    if (chain.failure === undefined) return work()
    const message = `the local chain has stopped: ${reasonOf(chain.failure)}`
    throw new RpcError({ code: -32_603, message })
  })
  chain.queue = turn.catch(() => {})
  try {
    return await turn
  } finally {
    await orFail(chain, () => chain.journal.synced())
  }
}

/** For work that must not be left half done: a failure stops the chain. */
export async function orFail<T>(chain: ChainState, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    chain.failure ??= error
    chain.failed.reject(error)
    chain.nextBlock?.resolve()
    throw error
  }
}
