/** A node with its own view of the chain, its own pool and its own faults. */
import type {
  AttemptReceipt,
  ExecutionLog,
  NodeEvidence,
  NodeSendAnswer,
  PaymentNode,
} from '#ports/payment-node.ts'
import type { Random } from '#test/fuzz/random.ts'
import {
  type Block,
  exhaustedPeriod,
  hear,
  nonceOf,
  refusalOf,
  type SimulatedChain,
  type Transaction,
} from './chain.ts'
import type { Scheduler } from './scheduler.ts'

export type Mood = 'honest' | 'lagging' | 'withholding' | 'lying' | 'down'

export type SimulatedNode = {
  mood: Mood
  blocks: Block[]
  baseFee: bigint
  pool: Map<string, Transaction>
  chain: SimulatedChain
  random: Random
  scheduler: Scheduler
  finalityDepth: number
}

type Answer<Name extends keyof PaymentNode> = Awaited<ReturnType<PaymentNode[Name]>>
/** As the port, but instantaneous: the network delivers request and answer. */
export type AskNode = {
  [Name in keyof PaymentNode]: (...input: Parameters<PaymentNode[Name]>) => Answer<Name>
}
type EvidenceInput = Parameters<PaymentNode['evidence']>[0]

const GAS_BALANCE = 10n ** 12n
const cost = { gasUsed: 90_000n, effectiveGasPrice: 100n }

export const createNode = (
  input: Pick<SimulatedNode, 'chain' | 'random' | 'scheduler' | 'finalityDepth'>,
): SimulatedNode => ({
  ...input,
  mood: 'honest',
  blocks: [...input.chain.blocks],
  baseFee: input.chain.baseFee,
  pool: new Map(),
})

const headOf = ({ blocks }: SimulatedNode) => blocks[blocks.length - 1]
const finalizedNumberOf = ({ blocks, finalityDepth }: SimulatedNode) =>
  Math.max(0, blocks.length - 1 - finalityDepth)
const lies = ({ mood, random }: SimulatedNode) => mood === 'lying' && random.chance(0.6)

/** Adopts the current chain, unless it lags. */
export function follow(node: SimulatedNode): void {
  const { chain, pool, random } = node
  if (node.mood === 'lagging') return
  node.blocks = [...chain.blocks]
  node.baseFee = chain.baseFee
  for (const [hash, transaction] of pool) {
    if (transaction.nonce < nonceOf(headOf(node), transaction.address)) pool.delete(hash)
    // Pending transactions are rebroadcast from time to time.
    else if (node.mood === 'honest' && random.chance(0.1)) hear(chain, transaction)
  }
}

/** The block, if this node considers it final. */
function finalBlock(node: SimulatedNode, number: number): Block {
  const block = node.blocks[number]
  if (!block || number > finalizedNumberOf(node)) throw new Error('unknown block')
  return block
}

function evidenceOf({ blocks, chain }: SimulatedNode, input: EvidenceInput): NodeEvidence {
  const { chainPaymentId, transactionHashes } = input
  const expected = chain.executions.get(chainPaymentId)
  const logs: ExecutionLog[] = []
  const receipts: AttemptReceipt[] = []
  for (const { mined, number, hash: blockHash } of blocks.slice(0, input.blockNumber + 1)) {
    for (const [logIndex, { transaction, status }] of mined.entries()) {
      if (transaction.chainPaymentId !== chainPaymentId || !expected) continue
      const transactionHash = transaction.hash
      const place = { transactionHash, blockNumber: number, blockHash }
      if (status === 'success') logs.push({ ...expected, ...place, ...cost, logIndex })
      if (!transactionHashes.includes(transactionHash)) continue
      receipts.push({ ...place, status: transaction.isBundled ? 'success' : status })
    }
  }
  return { isExecuted: logs.length > 0, logs, receipts }
}

function receiptsOf(
  { blocks }: SimulatedNode,
  { transactionHashes, blockNumber }: Parameters<PaymentNode['receipts']>[0],
): AttemptReceipt[] {
  return blocks
    .slice(0, blockNumber + 1)
    .flatMap(({ mined, number, hash: blockHash }) =>
      mined.flatMap(({ transaction: { hash: transactionHash }, status }) =>
        transactionHashes.includes(transactionHash)
          ? [{ transactionHash, status, blockNumber: number, blockHash }]
          : [],
      ),
    )
}

/** Lies that would make a payment look paid, or be paid again. */
function lieOf(node: SimulatedNode, input: EvidenceInput): NodeEvidence {
  const truth = evidenceOf(node, input)
  const expected = node.chain.executions.get(input.chainPaymentId)
  const [transactionHash = 'none'] = input.transactionHashes
  const block = finalBlock(node, input.blockNumber)
  const place = { transactionHash, blockNumber: block.number, blockHash: block.hash }
  const reverted = input.transactionHashes.map((hash) => ({
    ...place,
    transactionHash: hash,
    status: 'reverted' as const,
  }))
  const executed = expected ? [{ ...expected, ...place, ...cost, logIndex: 0 }] : []
  return node.random.pick<NodeEvidence>([
    { isExecuted: true, logs: executed, receipts: [{ ...place, status: 'success' }] },
    { isExecuted: false, logs: [], receipts: reverted },
    { isExecuted: false, logs: [], receipts: [] },
    { ...truth, logs: truth.logs.map((log) => ({ ...log, amount: log.amount + 1n })) },
    { ...truth, isExecuted: !truth.isExecuted },
  ])
}

function answerTo(node: SimulatedNode, transaction: Transaction): NodeSendAnswer {
  const { address, nonce, hash, fees } = transaction
  if (nonce < nonceOf(headOf(node), address)) return 'nonce_too_low'
  if (node.pool.has(hash)) return 'accepted'
  const rivals = [...node.pool.values()].filter((t) => t.address === address && t.nonce === nonce)
  const wanted = rivals.map((rival) => (rival.fees.maxFeePerGas * 11n) / 10n)
  if (wanted.some((fee) => fees.maxFeePerGas < fee)) return 'underpriced'
  return fees.maxFeePerGas * 2n < node.baseFee ? 'underpriced' : 'accepted'
}

function take(node: SimulatedNode, transaction: Transaction): void {
  const { chain, random, scheduler } = node
  node.pool.set(transaction.hash, transaction)
  if (node.mood === 'withholding') return
  scheduler.after(random.integer(10, 400), () => {
    hear(chain, transaction)
    return false
  })
}

export function askNode(node: SimulatedNode): AskNode {
  const { chain, random } = node
  const awake =
    <Input extends unknown[], T>(work: (...input: Input) => T) =>
    (...input: Input): T => {
      if (node.mood === 'down') throw new Error('down')
      return work(...input)
    }
  return {
    head: awake(({ address }) => {
      const lie = lies(node) ? random.integer(-3, 3) : 0
      const fee = lies(node) ? random.pick([1n, 100_000n]) : node.baseFee * 2n
      return {
        headNumber: node.blocks.length - 1,
        finalizedNumber: Math.max(0, finalizedNumberOf(node) + lie * 5),
        headNonce: Math.max(0, nonceOf(headOf(node), address) + lie),
        gasBalance: GAS_BALANCE,
        fees: { maxFeePerGas: fee, maxPriorityFeePerGas: fee / 10n + 1n },
        recentFee: lies(node) ? random.pick([null, 0n, 100_000n]) : node.baseFee,
      }
    }),
    anchor: awake(({ address, blockNumber }) => {
      const block = finalBlock(node, blockNumber)
      const nonce = nonceOf(block, address) + (lies(node) ? random.integer(0, 3) : 0)
      return { blockHash: block.hash, nonce }
    }),
    evidence: awake((input) => {
      finalBlock(node, input.blockNumber)
      if (node.mood === 'withholding') return { isExecuted: false, logs: [], receipts: [] }
      return lies(node) ? lieOf(node, input) : evidenceOf(node, input)
    }),
    receipts: awake((input) => {
      finalBlock(node, input.blockNumber)
      if (node.mood === 'withholding') return []
      const receipts = receiptsOf(node, input)
      if (!lies(node)) return receipts
      const lie = random.pick(['success', 'reverted'] as const)
      return random.pick([[], receipts.map((receipt) => ({ ...receipt, status: lie }))])
    }),
    preflight: awake(({ call }) => {
      const code = lies(node)
        ? random.pick([undefined, 'reverted'] as const)
        : refusalOf(chain, call.data)
      if (code === undefined) return { outcome: 'passes' }
      const { blocks } = chain
      const at = { blocks, number: blocks.length, chainPaymentId: call.data }
      const exhausted = code === 'period_cap_exceeded' && exhaustedPeriod(chain, at)
      return { outcome: 'reverts', code, ...(exhausted && { exhausted }) }
    }),
    exhaustedIn: awake(({ call, blockNumber }) => {
      finalBlock(node, blockNumber)
      // A node that has pruned the state of the block answers the same.
      if (lies(node)) return { exhausted: null }
      const at = { blocks: node.blocks, number: blockNumber, chainPaymentId: call.data }
      return { exhausted: exhaustedPeriod(chain, at) }
    }),
    send: awake(({ raw }) => {
      const transaction = chain.transactions.get(raw)
      if (!transaction) throw new Error('not a transaction')
      if (lies(node)) return random.pick(['accepted', 'nonce_too_low', 'underpriced'])
      const answer = answerTo(node, transaction)
      if (answer === 'accepted') take(node, transaction)
      return answer
    }),
  }
}
