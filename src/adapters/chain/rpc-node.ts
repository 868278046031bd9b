/**
 * One RPC node of the configured chain. Its chain id is checked before the first read. After an
 * outage the node rests for five seconds, so that it does not delay every read.
 */
import { BaseError, createPublicClient, HttpRequestError, type PublicClient } from 'viem'
import type { RpcRequestSeen } from '#platform/metrics.ts'
import { isTimeout } from './node-errors.ts'
import { type NodeObserver, nodeTransport } from './node-transport.ts'

/** `node` is the place in the list of URLs, from 1. */
export type RpcObserver = (seen: RpcRequestSeen) => void

/** Undefined if nobody observes. */
export const observerOf = (onRpc: RpcObserver | undefined, index: number) =>
  onRpc && ((seen: Omit<RpcRequestSeen, 'node'>) => onRpc({ node: String(index + 1), ...seen }))

const REST_MS = 5_000
const RATE_LIMITED = 429
const SERVER_ERROR = 500

export type RpcNode = {
  client: PublicClient
  /** Whether it failed to answer within the last five seconds. */
  isResting(): boolean
  /** Reads even if the node rests; callers with other nodes check `isResting` first. */
  ask<T>(read: (client: PublicClient) => Promise<T>): Promise<T>
  /** Rejects if the URL serves another chain. */
  requireChain(): Promise<void>
  /** Makes the next read check the chain id again. */
  forgetChain(): void
}

export function createRpcNode({
  url,
  chainId,
  ...options
}: {
  url: string
  chainId: number
  timeoutMs: number
  retryCount: number
  onAnswer?: NodeObserver | undefined
}): RpcNode {
  const client = createPublicClient({ transport: nodeTransport(url, options) })
  let isOurChain = false
  let restUntilMs = 0

  async function requireChain(): Promise<void> {
    const actual = await client.getChainId()
    isOurChain = actual === chainId
    if (!isOurChain) throw new Error(`A node serves chain ${actual}, not ${chainId}`)
  }
  return {
    client,
    isResting: () => performance.now() < restUntilMs,
    async ask(read) {
      try {
        if (!isOurChain) await requireChain()
        return await read(client)
      } catch (error) {
        if (isNodeOutage(error)) restUntilMs = performance.now() + REST_MS
        throw error
      }
    },
    requireChain,
    forgetChain() {
      isOurChain = false
    },
  }
}

/** Time-out, no connection, invalid response, rate limit or server error. */
export function isNodeOutage(error: unknown): boolean {
  if (isTimeout(error)) return true
  const found = error instanceof BaseError && error.walk((one) => one instanceof HttpRequestError)
  if (!(found instanceof HttpRequestError)) return false
  const { status } = found
  return status === undefined || status === RATE_LIMITED || status >= SERVER_ERROR
}
