/** A node: its own view of the chain, its own pool, and its moods. */
import type {
  AttemptReceipt,
  ExecutionLog,
  NodeEvidence,
  NodeSendAnswer,
  PaymentNode,
} from '#ports/payment-node.ts'
import type { Random } from '#test/fuzz/random.ts'
import { type Block, nonceOf, type SimulatedChain, type Transaction } from './chain.ts'
import type { Scheduler } from './scheduler.ts'

export type Mood = 'honest' | 'lagging' | 'withholding' | 'lying' | 'down'

/** As the port, but at one moment: the network brings the question and the answer. */
export type SimulatedNode = {
  mood: Mood
  /** Adopts the chain as it is, unless it lags. */
  follow(): void
  evict(hash: string): void
  ask: { [Name in keyof PaymentNode]: (...input: Parameters<PaymentNode[Name]>) => Answer<Name> }
}
type Answer<Name extends keyof PaymentNode> = Awaited<ReturnType<PaymentNode[Name]>>

const GAS_BALANCE = 10n ** 12n
const cost = { gasUsed: 90_000n, effectiveGasPrice: 100n }

type NodeInput = {
  chain: SimulatedChain
  random: Random
  scheduler: Scheduler
  finalityDepth: number
}

export function createNode({ chain, random, scheduler, finalityDepth }: NodeInput): SimulatedNode {
  let blocks: Block[] = [...chain.blocks]
  let baseFee = chain.baseFee()
  const pool = new Map<string, Transaction>()
  const head = () => blocks[blocks.length - 1]
  const finalizedNumber = () => Math.max(0, blocks.length - 1 - finalityDepth)
  const isLying = () => node.mood === 'lying' && random.chance(0.6)

  /** The block, if this node calls it final. */
  function finalBlock(number: number): Block {
    const block = blocks[number]
    if (!block || number > finalizedNumber()) throw new Error('unknown block')
    return block
  }

  function evidenceUpTo(
    number: number,
    { chainPaymentId, transactionHashes }: Parameters<PaymentNode['evidence']>[0],
  ): NodeEvidence {
    const expected = chain.executions.get(chainPaymentId)
    const logs: ExecutionLog[] = []
    const receipts: AttemptReceipt[] = []
    for (const { mined, number: blockNumber, hash: blockHash } of blocks.slice(0, number + 1)) {
      for (const [logIndex, { transaction, status }] of mined.entries()) {
        if (transaction.chainPaymentId !== chainPaymentId || !expected) continue
        const transactionHash = transaction.hash
        const place = { transactionHash, blockNumber, blockHash }
        if (status === 'success') logs.push({ ...expected, ...place, ...cost, logIndex })
        if (transactionHashes.includes(transactionHash)) receipts.push({ ...place, status })
      }
    }
    return { isExecuted: logs.length > 0, logs, receipts }
  }

  /** Whatever somebody might say who wants a payment to be shown paid, or paid again. */
  function lieAbout(
    truth: NodeEvidence,
    input: Parameters<PaymentNode['evidence']>[0],
  ): NodeEvidence {
    const expected = chain.executions.get(input.chainPaymentId)
    const [transactionHash = 'none'] = input.transactionHashes
    const block = finalBlock(input.blockNumber)
    const place = { transactionHash, blockNumber: block.number, blockHash: block.hash }
    const reverted = input.transactionHashes.map((hash) => ({
      ...place,
      transactionHash: hash,
      status: 'reverted' as const,
    }))
    const executed = expected ? [{ ...expected, ...place, ...cost, logIndex: 0 }] : []
    return random.pick<NodeEvidence>([
      { isExecuted: true, logs: executed, receipts: [{ ...place, status: 'success' }] },
      { isExecuted: false, logs: [], receipts: reverted },
      { isExecuted: false, logs: [], receipts: [] },
      { ...truth, logs: truth.logs.map((log) => ({ ...log, amount: log.amount + 1n })) },
      { ...truth, isExecuted: !truth.isExecuted },
    ])
  }

  function answerTo(transaction: Transaction): NodeSendAnswer {
    const { address, nonce, hash, fees } = transaction
    if (nonce < nonceOf(head(), address)) return 'nonce_too_low'
    if (pool.has(hash)) return 'accepted'
    const rivals = [...pool.values()].filter((t) => t.address === address && t.nonce === nonce)
    const wanted = rivals.map((rival) => (rival.fees.maxFeePerGas * 11n) / 10n)
    if (wanted.some((fee) => fees.maxFeePerGas < fee)) return 'underpriced'
    return fees.maxFeePerGas * 2n < baseFee ? 'underpriced' : 'accepted'
  }

  const awake = <Input extends unknown[], T>(work: (...input: Input) => T) => {
    return (...input: Input): T => {
      if (node.mood === 'down') throw new Error('down')
      return work(...input)
    }
  }

  const node: SimulatedNode = {
    mood: 'honest',
    follow() {
      if (node.mood === 'lagging') return
      blocks = [...chain.blocks]
      baseFee = chain.baseFee()
      for (const [hash, transaction] of pool) {
        if (transaction.nonce < nonceOf(head(), transaction.address)) pool.delete(hash)
        // What waits is told to the others again, now and then.
        else if (node.mood === 'honest' && random.chance(0.1)) chain.hear(transaction)
      }
    },
    evict: (hash) => void pool.delete(hash),
    ask: {
      stand: awake(({ address }) => {
        const lie = isLying() ? random.integer(-3, 3) : 0
        const fee = isLying() ? random.pick([1n, 100_000n]) : baseFee * 2n
        return {
          headNumber: blocks.length - 1,
          finalizedNumber: Math.max(0, finalizedNumber() + lie * 5),
          headNonce: Math.max(0, nonceOf(head(), address) + lie),
          gasBalance: GAS_BALANCE,
          fees: { maxFeePerGas: fee, maxPriorityFeePerGas: fee / 10n + 1n },
        }
      }),
      anchor: awake(({ address, blockNumber }) => {
        const block = finalBlock(blockNumber)
        const nonce = nonceOf(block, address)
        if (isLying()) return { blockHash: block.hash, nonce: nonce + random.integer(0, 3) }
        return { blockHash: block.hash, nonce }
      }),
      evidence: awake((input) => {
        finalBlock(input.blockNumber)
        const truth = evidenceUpTo(input.blockNumber, input)
        if (node.mood === 'withholding') return { isExecuted: false, logs: [], receipts: [] }
        return isLying() ? lieAbout(truth, input) : truth
      }),
      preflight: awake(({ call }) => {
        const code = isLying() ? random.pick([undefined, 'lie']) : chain.refusal(call.data)
        return code === undefined ? { outcome: 'passes' } : { outcome: 'reverts', code }
      }),
      send: awake(({ raw }) => {
        const transaction = chain.transactions.get(raw)
        if (!transaction) throw new Error('not a transaction')
        if (isLying()) return random.pick(['accepted', 'nonce_too_low', 'underpriced'])
        const answer = answerTo(transaction)
        if (answer !== 'accepted') return answer
        pool.set(transaction.hash, transaction)
        if (node.mood === 'withholding') return answer
        scheduler.after(random.integer(10, 400), () => {
          chain.hear(transaction)
          return false
        })
        return answer
      }),
    },
  }
  return node
}
