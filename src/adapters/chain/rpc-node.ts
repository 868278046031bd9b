/**
 * One RPC node of the configured chain. It is asked nothing before it has named that chain, and it
 * rests for a while after it was silent, so that it does not slow every answer.
 */
import { BaseError, createPublicClient, HttpRequestError, type PublicClient } from 'viem'
import { isTimeout } from './node-errors.ts'
import { nodeTransport } from './node-transport.ts'

const REST_MS = 5_000
const RATE_LIMITED = 429
const SERVER_ERROR = 500

export type RpcNode = {
  client: PublicClient
  /** It was silent less than five seconds ago. */
  isResting(): boolean
  /** Asks although it may rest: whoever has other nodes looks at `isResting` before. */
  ask<T>(read: (client: PublicClient) => Promise<T>): Promise<T>
  /** Rejects when the address leads to another chain now. */
  requireChain(): Promise<void>
  /** The next question checks the chain again. */
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
        if (isSilence(error)) restUntilMs = performance.now() + REST_MS
        throw error
      }
    },
    requireChain,
    forgetChain() {
      isOurChain = false
    },
  }
}

/** Time-out, no connection, garbage, rate limit or server error: the next read fares no better. */
export function isSilence(error: unknown): boolean {
  if (isTimeout(error)) return true
  const found = error instanceof BaseError && error.walk((one) => one instanceof HttpRequestError)
  if (!(found instanceof HttpRequestError)) return false
  const { status } = found
  return status === undefined || status === RATE_LIMITED || status >= SERVER_ERROR
}
