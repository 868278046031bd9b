/**
 * Several nodes as one: every read that decides something is asked of all of them. Those that
 * answer must agree, those that do not are passed over, and a disagreement is an outage, never a
 * guess. A node of another chain is not asked at all.
 */
import { canonicalJson } from '@countersign/proof/digest.ts'
import type { PublicClient } from 'viem'
import { BaseError, createPublicClient, HttpRequestError, TimeoutError } from 'viem'
import { AppError } from '#platform/errors.ts'
import type { NodeState } from '#ports/chain.ts'
import { nodeTransport } from './node-transport.ts'

/** A node that was silent is left alone for a while, so that it does not slow every answer. */
const REST_MS = 5_000

type Node = { client: PublicClient; isOurChain: boolean; restUntil: number }
type Read<T> = (client: PublicClient) => Promise<T>

export type ChainNodes = {
  /** The one answer of all that answer. */
  ask<T>(read: Read<T>): Promise<T>
  /** The height that every answering node has: the slowest one sets the pace. */
  lowestHead(): Promise<bigint>
  /** Each by itself, also those that rest. */
  inspect(): Promise<NodeState[]>
}

export const unavailable = (message: string, cause?: unknown) =>
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
  const nodes: Node[] = rpcUrls.map((url) => ({
    client: createPublicClient({ transport: nodeTransport(url, { timeoutMs, retryCount: 1 }) }),
    isOurChain: false,
    restUntil: 0,
  }))

  const readFrom = async <T>(node: Node, read: Read<T>): Promise<T> => {
    try {
      if (!node.isOurChain) await requireChain(node, chainId)
      return await read(node.client)
    } catch (error) {
      if (isSilence(error)) node.restUntil = performance.now() + REST_MS
      throw error
    }
  }
  const answersOf = async <T>(read: Read<T>): Promise<T[]> => {
    const awake = nodes.filter(({ restUntil }) => restUntil <= performance.now())
    const asked = awake.length > 0 ? awake : nodes
    const first = await settle(asked.map((node) => readFrom(node, read)))
    // Nobody answered, but there are some that were not asked.
    const rest = nodes.filter((node) => !asked.includes(node))
    const settled =
      first.answers.length > 0 ? first : await settle(rest.map((n) => readFrom(n, read)))
    if (settled.answers.length === 0) {
      const reason = settled.refusals[0] ?? first.refusals[0]
      throw unavailable('The chain cannot be reached. Retry shortly.', reason)
    }
    return settled.answers
  }

  return {
    async ask(read) {
      const [first, ...others] = await answersOf(read)
      const wanted = others.length > 0 ? comparable(first) : undefined
      if (others.some((answer) => comparable(answer) !== wanted)) {
        throw unavailable('The chain nodes disagree. Retry shortly.')
      }
      return first as Awaited<ReturnType<typeof read>>
    },
    async lowestHead() {
      // Now and then is enough to notice that an address leads to another chain now.
      for (const node of nodes) node.isOurChain = false
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

async function requireChain(node: Node, chainId: number): Promise<void> {
  const actual = await node.client.getChainId()
  if (actual !== chainId) throw new Error(`A node serves chain ${actual}, not ${chainId}`)
  node.isOurChain = true
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

async function settle<T>(asked: readonly Promise<T>[]) {
  const settled = await Promise.allSettled(asked)
  return {
    answers: settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    refusals: settled.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
  }
}

const isSilence = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((e) => e instanceof TimeoutError || e instanceof HttpRequestError) !== null

const comparable = (value: unknown): string =>
  canonicalJson(
    JSON.parse(
      JSON.stringify(value ?? null, (_key, part) =>
        typeof part === 'bigint' ? part.toString() : part,
      ),
    ),
  )
