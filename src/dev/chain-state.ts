/** What the parts of the local chain share, and the order in which they may touch it. */
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
  allowTestMethods: boolean
  head: { number: number; hash: Hex; timestamp: number }
  /** Of all blocks so far, replaced ones too: what is mined anew then gets another hash. */
  newestTimestamp: number
  /** The time that the engine was last told for the pending block. */
  pendingTimestamp: number | undefined
  /** Sender and nonce to the hash of the transaction that waits there, the newest last. */
  pool: Map<string, Hex>
  /** Whether something of the pool fits into the next block. */
  minable: boolean
  timer: NodeJS.Timeout | undefined
  /** Resolves when the block that the timer was set for has its turn. */
  nextBlock: PromiseWithResolvers<void> | undefined
  /** Deployments that were given a name, by the hash of their transaction. */
  names: Map<string, Hex>
  /** Who waits for a transaction to be mined. */
  waiting: Map<Hex, PromiseWithResolvers<Receipt>>
  queue: Promise<unknown>
  /** Rejected when the journal and the engine may have parted; nothing is answered after that. */
  failed: PromiseWithResolvers<never>
  failure: unknown
}

/**
 * Runs the work alone, after all that was asked for before, and returns what it returns when all
 * that it could have seen is on disk.
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

/** For work that cannot be left half done. */
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
