/** `PaymentNode` over viem, one per RPC URL. */
import { type Address, type Hex, keccak256, numberToHex, type PublicClient } from 'viem'
import type {
  Fees,
  NodeExhausted,
  NodeHead,
  PaymentNode,
  Preflight,
  VaultCall,
} from '#ports/payment-node.ts'
import { blockHashAt, createFinalizedBlocks } from './finalized-blocks.ts'
import { createLogSearch } from './log-search.ts'
import { nodeErrorOf, revertOf, sendAnswerOf } from './node-errors.ts'
import type { NodeObserver } from './node-transport.ts'
import { readEvidence, readReceipts } from './payment-evidence.ts'
import { createRpcNode, isNodeOutage, observerOf, type RpcObserver } from './rpc-node.ts'
import { exhaustedPeriod, refusalCode } from './vault-codec.ts'

const TIMEOUT_MS = 5_000
/** Wei. For an idle chain whose base fee is close to zero. */
const PRIORITY_FEE_MIN = 1_000_000n
const RECENT_BLOCKS = 20

export type PaymentNodesOptions = {
  chainId: number
  rpcUrls: readonly string[]
  /** Depth at which a block is final; the block itself counts as the first. */
  confirmations: number
  timeoutMs?: number
  onRpc?: RpcObserver
}

export const createPaymentNodes = ({
  rpcUrls,
  onRpc,
  ...options
}: PaymentNodesOptions): PaymentNode[] =>
  rpcUrls.map((url, n) =>
    createNode({
      url,
      mayRest: rpcUrls.length > 1,
      onAnswer: observerOf(onRpc, n),
      ...options,
    }),
  )

type NodeOptions = Omit<PaymentNodesOptions, 'rpcUrls' | 'onRpc'> & {
  url: string
  mayRest: boolean
  onAnswer: NodeObserver | undefined
}

function createNode(options: NodeOptions): PaymentNode {
  const { chainId, url, confirmations, mayRest, onAnswer, timeoutMs = TIMEOUT_MS } = options
  // No retries: the engine's next pass reads again.
  const node = createRpcNode({ url, chainId, timeoutMs, retryCount: 0, onAnswer })
  const { client, requireChain } = node
  const search = createLogSearch(client)
  const finalizedBlocks = createFinalizedBlocks(client)

  async function ask<T>(read: () => Promise<T>): Promise<T> {
    if (mayRest && node.isResting()) throw new Error('The node did not answer a moment ago')
    return node.ask(read)
  }
  const finalizedNumber = (head: number): number => Math.max(0, head - confirmations + 1)
  async function requireFinal(blockNumber: number): Promise<void> {
    const head = Number(await client.getBlockNumber({ cacheTime: 0 }))
    if (blockNumber <= finalizedNumber(head)) return
    throw new Error(`Block ${blockNumber} is not final at height ${head}`)
  }

  return {
    head: ({ address }) =>
      ask(async () => {
        // Every observation begins here, so this is where the chain id is checked again.
        const [head] = await Promise.all([readHead(client, address as Address), requireChain()])
        return { ...head, finalizedNumber: finalizedNumber(head.headNumber) }
      }),
    anchor: ({ address, blockNumber }) =>
      ask(async () => {
        const at = { address: address as Address, blockNumber: BigInt(blockNumber) }
        const [blockHash, nonce] = await Promise.all([
          blockHashAt(client, blockNumber),
          client.getTransactionCount(at),
          requireFinal(blockNumber),
        ])
        return { blockHash, nonce }
      }),
    evidence: (query) =>
      ask(async () => {
        await requireFinal(query.blockNumber)
        return readEvidence({ client, search, finalizedBlocks }, query)
      }),
    receipts: (query) =>
      ask(async () => {
        await requireFinal(query.blockNumber)
        return readReceipts({ client, finalizedBlocks }, query)
      }),
    preflight: (input) => ask(() => preflight(client, input)),
    exhaustedIn: (query) =>
      ask(async () => {
        await requireFinal(query.blockNumber)
        return readExhausted(client, query)
      }),
    send: ({ raw }) => ask(() => send(client, raw as Hex)),
  }
}

async function readHead(
  client: PublicClient,
  address: Address,
): Promise<Omit<NodeHead, 'finalizedNumber'>> {
  const [head, headNonce, gasBalance, recentFee] = await Promise.all([
    client.getBlock({ blockTag: 'latest' }),
    client.getTransactionCount({ address, blockTag: 'latest' }),
    client.getBalance({ address, blockTag: 'latest' }),
    readRecentFee(client),
  ])
  const fees = await readFees(client, head.baseFeePerGas)
  return { headNumber: Number(head.number), headNonce, gasBalance, fees, recentFee }
}

/** Allows the base fee to double before a replacement is needed. */
async function readFees(client: PublicClient, baseFee: bigint | null): Promise<Fees> {
  const atLeast = (fee: bigint) => (fee > PRIORITY_FEE_MIN ? fee : PRIORITY_FEE_MIN)
  if (baseFee === null) {
    const price = atLeast(await client.getGasPrice())
    return { maxFeePerGas: price, maxPriorityFeePerGas: price }
  }
  const maxPriorityFeePerGas = atLeast(await client.estimateMaxPriorityFeePerGas())
  return { maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas, maxPriorityFeePerGas }
}

/** Null if the node lacks the method or the chain has no base fee. */
async function readRecentFee(client: PublicClient): Promise<bigint | null> {
  try {
    const query = { blockCount: RECENT_BLOCKS, rewardPercentiles: [50] }
    const { baseFeePerGas, reward = [] } = await client.getFeeHistory(query)
    const fees = baseFeePerGas.map((fee, n) => fee + (reward[n]?.[0] ?? 0n))
    return fees.toSorted((a, b) => (a < b ? -1 : 1))[Math.floor(fees.length / 2)] ?? null
  } catch (error) {
    if (isNodeOutage(error)) throw error
    return null
  }
}

async function preflight(
  client: PublicClient,
  { from, call, blockNumber }: { from: string; call: VaultCall; blockNumber?: number },
): Promise<Preflight> {
  const { vaultAddress, data, gasLimit } = call
  const to = vaultAddress as Address
  const gas = numberToHex(gasLimit)
  const block = blockNumber === undefined ? 'latest' : numberToHex(blockNumber)
  try {
    await client.request({
      method: 'eth_call',
      params: [{ from: from as Address, to, data: data as Hex, gas }, block],
    })
    return { outcome: 'passes' }
  } catch (error) {
    const revert = revertOf(error)
    if (!revert) throw error
    const exhausted = exhaustedPeriod(revert.data)
    return { outcome: 'reverts', code: refusalCode(revert.data), ...(exhausted && { exhausted }) }
  }
}

/** A node that answers but has pruned the block's state knows no reason. */
async function readExhausted(
  client: PublicClient,
  query: Parameters<PaymentNode['exhaustedIn']>[0],
): Promise<NodeExhausted> {
  const answer = await preflight(client, query).catch((error) => {
    if (nodeErrorOf(error) === undefined || isNodeOutage(error)) throw error
    return undefined
  })
  return { exhausted: (answer?.outcome === 'reverts' && answer.exhausted) || null }
}

async function send(client: PublicClient, raw: Hex) {
  const hash = await client
    .request({ method: 'eth_sendRawTransaction', params: [raw] })
    .catch((error) => {
      const answer = sendAnswerOf(error)
      if (answer) return { answer }
      throw error
    })
  if (typeof hash === 'object') return hash.answer
  if (hash !== keccak256(raw))
    throw new Error('The node returned another hash than that of the sent transaction')
  return 'accepted'
}
