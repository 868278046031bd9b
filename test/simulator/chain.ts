/** The chain as it truly is: blocks, the miners' pool, fees, refusals, reorganisations. */
import type { Execution, Fees } from '#ports/payment-node.ts'
import type { Random } from '#test/fuzz/random.ts'

export type Transaction = {
  raw: string
  hash: string
  address: string
  nonce: number
  fees: Fees
  /** The call carries it; `executions` knows the rest. */
  chainPaymentId: string
}

export type Mined = { transaction: Transaction; status: 'success' | 'reverted' }
export type Block = {
  number: number
  hash: string
  mined: readonly Mined[]
  /** Next nonces after it. */
  nonces: ReadonlyMap<string, number>
}

export const nonceOf = (block: Block | undefined, address: string): number =>
  block?.nonces.get(address) ?? 0

export const FINALITY_DEPTH = 6
const CALM_FEE = 100n
const BLOCK_TRANSACTIONS_MAX = 3

export type SimulatedChain = ReturnType<typeof createSimulatedChain>

export function createSimulatedChain({
  random,
  isGuarded,
}: {
  random: Random
  isGuarded: boolean
}) {
  const genesis: Block = { number: 0, hash: 'b0', mined: [], nonces: new Map() }
  const blocks: Block[] = [genesis]
  /** What miners may take, by hash. Several for one nonce: they take whichever they like. */
  const pool = new Map<string, Transaction>()
  /** All that ever left a node: any of it may come back. */
  const heard = new Map<string, Transaction>()
  const executions = new Map<string, Execution>()
  const transactions = new Map<string, Transaction>()
  const blacklisted = new Set<string>()
  let isPaused = false
  let baseFee = CALM_FEE
  let made = 0

  const head = (): Block => blocks.at(-1) ?? genesis

  const isExecuted = (chainPaymentId: string): boolean =>
    blocks.some(({ mined }) =>
      mined.some(
        ({ transaction, status }) =>
          status === 'success' && transaction.chainPaymentId === chainPaymentId,
      ),
    )

  const refusal = (chainPaymentId: string): string | undefined => {
    if (isPaused) return 'policy_paused'
    if (isGuarded && isExecuted(chainPaymentId)) return 'payment_already_executed'
    return blacklisted.has(chainPaymentId) ? 'token_refused' : undefined
  }

  function mine(): void {
    const mined: Mined[] = []
    const nonces = new Map(head().nonces)
    const paid = new Set<string>()
    for (;;) {
      const ready = [...pool.values()].filter(
        ({ address, nonce, fees }) =>
          nonce === (nonces.get(address) ?? 0) && fees.maxFeePerGas >= baseFee,
      )
      if (ready.length === 0 || mined.length === BLOCK_TRANSACTIONS_MAX) break
      const transaction = random.pick(ready)
      const { address, nonce, chainPaymentId } = transaction
      const isAgain = isGuarded && paid.has(chainPaymentId)
      const status = refusal(chainPaymentId) || isAgain ? 'reverted' : 'success'
      if (status === 'success') paid.add(chainPaymentId)
      nonces.set(address, nonce + 1)
      mined.push({ transaction, status })
    }
    made += 1
    blocks.push({ number: blocks.length, hash: `b${made}`, mined, nonces })
    for (const [hash, { address, nonce }] of pool) {
      if (nonce < nonceOf(head(), address)) pool.delete(hash)
    }
  }

  return {
    blocks,
    pool,
    heard,
    /** Registered when signed, so that nodes can read the bytes. */
    transactions,
    executions,
    blacklisted,
    head,
    mine,
    refusal,
    baseFee: () => baseFee,
    setBaseFee(factor: bigint) {
      baseFee = CALM_FEE * factor
    },
    setPaused(value: boolean) {
      isPaused = value
    },
    finalized: (): Block => blocks[Math.max(0, blocks.length - 1 - FINALITY_DEPTH)] ?? genesis,
    /** From a node to the miners. */
    hear(transaction: Transaction) {
      heard.set(transaction.hash, transaction)
      if (transaction.nonce >= nonceOf(head(), transaction.address)) {
        pool.set(transaction.hash, transaction)
      }
    },
    evict(hash: string) {
      pool.delete(hash)
    },
    /** The last blocks are replaced; what was in them comes back to the pool, or is forgotten. */
    reorganise({ depth, isKept }: { depth: number; isKept: boolean }) {
      const gone = blocks.splice(Math.max(1, blocks.length - depth))
      const lost = gone.flatMap(({ mined }) => mined.map(({ transaction }) => transaction))
      if (!isKept) pool.clear()
      if (isKept) for (const transaction of lost) pool.set(transaction.hash, transaction)
      for (let mined = 0; mined <= gone.length; mined += 1) mine()
    },
    executionsOf: (chainPaymentId: string): Block[] =>
      blocks.flatMap((block) =>
        block.mined
          .filter(
            ({ transaction, status }) =>
              status === 'success' && transaction.chainPaymentId === chainPaymentId,
          )
          .map(() => block),
      ),
  }
}
