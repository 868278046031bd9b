/**
 * Several nodes as one: every read that decides something is asked of all of them, and all answers
 * must agree (`platform/agreement.ts`, with a quorum of one). A disagreement is an outage, never a
 * guess. A node of another chain is not asked at all.
 */
import { BaseError, type PublicClient } from 'viem'
import { agreementOf, collectAnswers } from '#platform/agreement.ts'
import { AppError } from '#platform/errors.ts'
import type { NodeState } from '#ports/chain.ts'
import { createRpcNode, type RpcNode } from './rpc-node.ts'

type Read<T> = (client: PublicClient) => Promise<T>

export type ChainNodes = {
  /** The one answer of all that answer. */
  ask<T>(read: Read<T>): Promise<T>
  /** The height that every answering node has: the slowest one sets the pace. */
  lowestHead(): Promise<bigint>
  /** Each by itself, also those that rest. */
  inspect(): Promise<NodeState[]>
}

export const chainUnavailable = (message: string, cause?: unknown) =>
  new AppError('dependency_unavailable', { message, retryAfterSeconds: 2, cause: inShort(cause) })

/** A node's error tells its address, key and all, and what it was asked: neither may be logged. */
const inShort = (cause: unknown): Error | undefined => {
  if (!(cause instanceof Error)) return undefined
  const words = cause instanceof BaseError ? cause.shortMessage : 'an error outside the client'
  return new Error(`${cause.name}: ${words}`)
}

export function createChainNodes({
  chainId,
  rpcUrls,
  timeoutMs,
}: {
  chainId: number
  rpcUrls: readonly string[]
  timeoutMs: number
}): ChainNodes {
  const nodes = rpcUrls.map((url) => createRpcNode({ url, chainId, timeoutMs, retryCount: 1 }))

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
      // Now and then is enough to notice that an address leads to another chain now.
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

type Look = Omit<NodeState, 'commonHash'>

async function look(client: PublicClient, chainId: number): Promise<Look> {
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
    return { outcome: 'silent', latencyMs: null, headNumber: null }
  }
}

/** Asked twice: how far each is, and then what each has where all of them should be. */
async function inspectNodes(
  clients: readonly PublicClient[],
  chainId: number,
): Promise<NodeState[]> {
  const looks = await Promise.all(clients.map((client) => look(client, chainId)))
  const heads = looks.flatMap(({ outcome, headNumber }) =>
    outcome === 'answers' && headNumber !== null ? [headNumber] : [],
  )
  const common = BigInt(Math.min(...heads, Number.MAX_SAFE_INTEGER))
  return Promise.all(
    clients.map(async (client, n): Promise<NodeState> => {
      const seen = looks[n] ?? { outcome: 'silent', latencyMs: null, headNumber: null }
      if (seen.outcome !== 'answers') return { ...seen, commonHash: null }
      const block = await client.getBlock({ blockNumber: common }).catch(() => undefined)
      if (block) return { ...seen, commonHash: block.hash }
      return { outcome: 'silent', latencyMs: null, headNumber: null, commonHash: null }
    }),
  )
}
