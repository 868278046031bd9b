/**
 * The true state of the chain: blocks, the mempool, fees, reorganisations, and what the vault and
 * the token refuse.
 */
import { type ChainTier, type Execution, requiredApprovals } from '@countersign/proof/execution.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { ExhaustedPeriod, Fees } from '#ports/payment-node.ts'
import type { Random } from '#test/fuzz/random.ts'

export type Transaction = {
  raw: string
  hash: string
  address: string
  nonce: number
  fees: Fees
  /** Carried by the call; `executions` holds the rest. */
  chainPaymentId: string
  /** One call of a bundle transaction that succeeds although this call reverts. */
  isBundled?: boolean
}

export type Mined = { transaction: Transaction; status: 'success' | 'reverted' }
export type Block = {
  number: number
  hash: string
  mined: readonly Mined[]
  /** Next nonces after it. */
  nonces: ReadonlyMap<string, number>
}

export const FINALITY_DEPTH = 6
const CALM_FEE = 100n
/** Below the highest spikes, during which payments wait. */
export const FEE_CEILING = 800n
const BLOCK_TRANSACTIONS_MAX = 3
const genesis: Block = { number: 0, hash: 'b0', mined: [], nonces: new Map() }

export type SimulatedChain = {
  random: Random
  isGuarded: boolean
  blocks: Block[]
  /** What miners may include, by hash. Of several for one nonce they choose any. */
  pool: Map<string, Transaction>
  /** Everything that ever left a node: any of it may return. */
  heard: Map<string, Transaction>
  /** Registered when signed, so that nodes can decode the bytes. */
  transactions: Map<string, Transaction>
  executions: Map<string, Execution>
  blacklisted: Set<string>
  blockedRecipients: Set<string>
  isPaused: boolean
  /** Policies that the vault activates no more. */
  vetoed: Set<string>
  /** Most that leaves in so many blocks. Null: no period. */
  period: SimulatedPeriod | null
  baseFee: bigint
  blocksMade: number
}

export type SimulatedPeriod = { blocks: number; cap: bigint }

/** Amounts above it need two approvers; `stage.ts` has payments on both sides. */
export const TIERS: readonly ChainTier[] = [{ above: 1_001n, approvals: 2 }]

export const createSimulatedChain = (input: {
  random: Random
  isGuarded: boolean
  period: SimulatedPeriod | null
}): SimulatedChain => ({
  ...input,
  blocks: [genesis],
  pool: new Map(),
  heard: new Map(),
  transactions: new Map(),
  executions: new Map(),
  blacklisted: new Set(),
  blockedRecipients: new Set(),
  isPaused: false,
  vetoed: new Set(),
  baseFee: CALM_FEE,
  blocksMade: 0,
})

export const nonceOf = (block: Block | undefined, address: string): number =>
  block?.nonces.get(address) ?? 0

export const headOf = ({ blocks }: SimulatedChain): Block => blocks.at(-1) ?? genesis

export const finalizedOf = ({ blocks }: SimulatedChain): Block =>
  blocks[Math.max(0, blocks.length - 1 - FINALITY_DEPTH)] ?? genesis

export const setFee = (chain: SimulatedChain, factor: number): void => {
  chain.baseFee = CALM_FEE * BigInt(factor)
}

/** The blocks in which it was executed, one for each execution. */
export const executionsOf = ({ blocks }: SimulatedChain, chainPaymentId: string): Block[] =>
  blocks.flatMap((block) =>
    block.mined
      .filter(({ transaction, status }) => {
        return status === 'success' && transaction.chainPaymentId === chainPaymentId
      })
      .map(() => block),
  )

/** Why the vault or the token would revert it in the next block, in the vault's order. */
export function refusalOf(
  chain: SimulatedChain,
  chainPaymentId: string,
  /** Before it in the same block. */
  before: readonly Mined[] = [],
): BlockCode | undefined {
  const payment = chain.executions.get(chainPaymentId)
  const { amount = 0n, approverAddresses = [], recipientAddress = '' } = payment ?? {}
  if (approverAddresses.length !== requiredApprovals(TIERS, amount)) {
    return 'approval_count_mismatch'
  }
  if (chain.vetoed.has(chainPaymentId)) return 'reverted'
  if (chain.isPaused) return 'policy_paused'
  if (chain.isGuarded && executionsOf(chain, chainPaymentId).length > 0) {
    return 'payment_already_executed'
  }
  if (chain.blockedRecipients.has(recipientAddress)) return 'recipient_is_blocked'
  const { blocks } = chain
  if (exhaustedPeriod(chain, { blocks, number: blocks.length, chainPaymentId, before })) {
    return 'period_cap_exceeded'
  }
  return chain.blacklisted.has(chainPaymentId) ? 'token_refused' : undefined
}

/**
 * The period of the block with that number, if it has no room for the payment. What it has paid is
 * in `blocks`, so a reorganisation takes it back. There is a block every second.
 */
export function exhaustedPeriod(
  { executions, period }: SimulatedChain,
  {
    blocks,
    number,
    chainPaymentId,
    before = [],
  }: {
    blocks: readonly Block[]
    number: number
    chainPaymentId: string
    before?: readonly Mined[]
  },
): ExhaustedPeriod | null {
  if (!period) return null
  const first = Math.floor(number / period.blocks) * period.blocks
  const amountOf = (id: string) => executions.get(id)?.amount ?? 0n
  const spent = [...blocks.slice(first, number + 1).flatMap(({ mined }) => mined), ...before]
    .filter(({ status }) => status === 'success')
    .reduce((sum, { transaction }) => sum + amountOf(transaction.chainPaymentId), 0n)
  if (spent + amountOf(chainPaymentId) <= period.cap) return null
  return { cap: period.cap, endsAtSeconds: first + period.blocks }
}

export function mine(chain: SimulatedChain): void {
  const { random, blocks, pool, baseFee } = chain
  const mined: Mined[] = []
  const nonces = new Map(headOf(chain).nonces)
  const paid = new Set<string>()
  for (;;) {
    const ready = [...pool.values()].filter(
      ({ address, nonce, fees }) =>
        nonce === (nonces.get(address) ?? 0) && fees.maxFeePerGas >= baseFee,
    )
    if (ready.length === 0 || mined.length === BLOCK_TRANSACTIONS_MAX) break
    const transaction = random.pick(ready)
    const { address, nonce, chainPaymentId } = transaction
    const isAgain = chain.isGuarded && paid.has(chainPaymentId)
    const status = refusalOf(chain, chainPaymentId, mined) || isAgain ? 'reverted' : 'success'
    if (status === 'success') paid.add(chainPaymentId)
    nonces.set(address, nonce + 1)
    mined.push({ transaction, status })
  }
  chain.blocksMade += 1
  blocks.push({ number: blocks.length, hash: `b${chain.blocksMade}`, mined, nonces })
  for (const [hash, { address, nonce }] of pool) {
    if (nonce < nonceOf(headOf(chain), address)) pool.delete(hash)
  }
}

/** From a node to the mempool. */
export function hear(chain: SimulatedChain, transaction: Transaction): void {
  chain.heard.set(transaction.hash, transaction)
  if (transaction.nonce >= nonceOf(headOf(chain), transaction.address)) {
    chain.pool.set(transaction.hash, transaction)
  }
}

/** Replaces the last blocks; their transactions return to the mempool or are dropped. */
export function reorganise(
  chain: SimulatedChain,
  { depth, isKept }: { depth: number; isKept: boolean },
): void {
  const { blocks, pool } = chain
  const gone = blocks.splice(Math.max(1, blocks.length - depth))
  const lost = gone.flatMap(({ mined }) => mined.map(({ transaction }) => transaction))
  if (!isKept) pool.clear()
  if (isKept) for (const transaction of lost) pool.set(transaction.hash, transaction)
  for (let mined = 0; mined <= gone.length; mined += 1) mine(chain)
}
