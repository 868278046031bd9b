/**
 * Reads from all configured nodes and requires equal answers (`platform/agreement.ts`, quorum of
 * one). A disagreement is reported as an outage. Nodes of another chain are not read.
 */
import { BaseError, type PublicClient } from 'viem'
import { agreementOf, collectAnswers } from '#platform/agreement.ts'
import { AppError } from '#platform/errors.ts'
import type { NodeState } from '#ports/chain.ts'
import { createRpcNode, observerOf, type RpcNode, type RpcObserver } from './rpc-node.ts'

type Read<T> = (client: PublicClient) => Promise<T>

export type ChainNodes = {
  /** Reads from all nodes and returns the answer they agree on. */
  ask<T>(read: Read<T>): Promise<T>
  /** The newest height that every answering node has. */
  lowestHead(): Promise<bigint>
  /** The state of each node, including resting ones. */
  inspect(): Promise<NodeState[]>
}

export const chainUnavailable = (message: string, cause?: unknown) =>
  new AppError('dependency_unavailable', {
    message,
    retryAfterSeconds: 2,
    cause: withoutSecrets(cause),
  })

/** A node's error contains its URL, with the API key, and the request: neither may be logged. */
const withoutSecrets = (cause: unknown): Error | undefined => {
  if (!(cause instanceof Error)) return undefined
  const message = cause instanceof BaseError ? cause.shortMessage : 'an error outside the client'
  return new Error(`${cause.name}: ${message}`)
}

export function createChainNodes({
  chainId,
  rpcUrls,
  timeoutMs,
  onRpc,
}: {
  chainId: number
  rpcUrls: readonly string[]
  timeoutMs: number
  onRpc?: RpcObserver | undefined
}): ChainNodes {
  const nodes = rpcUrls.map((url, n) =>
    createRpcNode({ url, chainId, timeoutMs, retryCount: 1, onAnswer: observerOf(onRpc, n) }),
  )

  const collect = <T>(some: readonly RpcNode[], read: Read<T>) =>
    collectAnswers(some.map((node) => node.ask(read)))
  const answersOf = async <T>(read: Read<T>): Promise<T[]> => {
    const awake = nodes.filter((node) => !node.isResting())
    const asked = awake.length > 0 ? awake : nodes
    const first = await collect(asked, read)
    if (first.answers.length > 0) return first.answers
    const resting = nodes.filter((node) => !asked.includes(node))
    const second = await collect(resting, read)
    if (second.answers.length > 0) return second.answers
    const reason = second.rejections[0] ?? first.rejections[0]
    throw chainUnavailable('The chain cannot be reached. Retry shortly.', reason)
  }

  return {
    async ask(read) {
      const agreement = agreementOf(await answersOf(read), { quorum: 1 })
      if (agreement.outcome === 'agreed') return agreement.answer
      throw chainUnavailable('The chain nodes disagree. Retry shortly.')
    },
    async lowestHead() {
      // Every read starts here: check again that each URL still serves the configured chain.
      for (const node of nodes) node.forgetChain()
      const heads = await answersOf((client) => client.getBlockNumber({ cacheTime: 0 }))
      return heads.reduce((a, b) => (a < b ? a : b))
    },
    inspect: () =>
      inspectNodes(
        nodes.map(({ client }) => client),
        chainId,
      ),
  }
}

type HeadState = Omit<NodeState, 'commonHash'>

const SILENT: HeadState = { outcome: 'silent', latencyMs: null, headNumber: null }

async function inspectHead(client: PublicClient, chainId: number): Promise<HeadState> {
  const startedAt = performance.now()
  try {
    const [actual, head] = await Promise.all([
      client.getChainId(),
      client.getBlockNumber({ cacheTime: 0 }),
    ])
    const latencyMs = Math.round(performance.now() - startedAt)
    const outcome = actual === chainId ? 'answers' : 'other_chain'
    return { outcome, latencyMs, headNumber: Number(head) }
  } catch {
    return SILENT
  }
}

/** Reads each node's head, then each node's hash of the newest common block. */
async function inspectNodes(
  clients: readonly PublicClient[],
  chainId: number,
): Promise<NodeState[]> {
  const states = await Promise.all(clients.map((client) => inspectHead(client, chainId)))
  const heads = states.flatMap(({ outcome, headNumber }) =>
    outcome === 'answers' && headNumber !== null ? [headNumber] : [],
  )
  const common = BigInt(Math.min(...heads, Number.MAX_SAFE_INTEGER))
  return Promise.all(
    clients.map(async (client, n): Promise<NodeState> => {
      const state = states[n] ?? SILENT
      if (state.outcome !== 'answers') return { ...state, commonHash: null }
      const block = await client.getBlock({ blockNumber: common }).catch(() => undefined)
      return block ? { ...state, commonHash: block.hash } : { ...SILENT, commonHash: null }
    }),
  )
}
