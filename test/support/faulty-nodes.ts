/** A treasury whose nodes can misbehave, and the tests' controls for them. */
import { type Hex, keccak256 } from 'viem'
import { expect } from 'vitest'
import { createPaymentNodes } from '#adapters/chain/viem-payment-nodes.ts'
import { createAgreedChain } from '#payments/engine/agreed-chain.ts'
import type { Environment } from '#platform/config/config.ts'
import type { JobRunner } from '#platform/jobs/job-runner.ts'
import { createMetrics } from '#platform/metrics.ts'
import { type RpcCall, type RpcProxy, startRpcProxy, type Trouble } from '#test/chain/rpc-proxy.ts'
import { startTestApp } from '#test/support/app.ts'
import { startTestChain } from '#test/support/chain.ts'
import type { PayingHouse } from '#test/support/payments.ts'
import { liftOwnersRowSecurity, times } from '#test/support/steps.ts'
import { FOLLOWED, startFollowingWorker, type Treasury } from '#test/support/treasury.ts'

export type FaultyTreasury = Treasury & {
  node: RpcProxy
  /** The same as the first where there is only one. */
  second: RpcProxy
  worker: { stop(): Promise<void>; start(): Promise<void> }
}

/** 500 gwei, the default. */
export const FEE_CEILING = 500_000_000_000n

/** The path under which the engine calls a node; the follower uses none. */
export const ENGINE_PATH = '/engine'

/** `confirmations` apply to payments: everything else is final immediately. */
export async function startFaultyTreasury({
  nodes = 1,
  confirmations = 1,
  env = {},
}: {
  nodes?: number
  confirmations?: number
  env?: Environment
} = {}): Promise<FaultyTreasury> {
  const chain = await startTestChain()
  const proxies = await Promise.all(times(nodes, () => startRpcProxy(chain.rpcUrl)))
  const [node, second = node] = proxies
  if (!node || !second) throw new Error('A treasury needs a node')
  const rpcUrls = proxies.map(({ url }) => url)
  const ofEngine = rpcUrls.map((url) => `${url}${ENGINE_PATH}`)
  const paymentChain = createAgreedChain(
    createPaymentNodes({ chainId: 31_337, rpcUrls: ofEngine, confirmations }),
    { feeCeiling: FEE_CEILING },
  )
  const service = await startTestApp({
    hasWorker: true,
    env: { ...chain.env, ...FOLLOWED, RPC_URLS: rpcUrls.join(','), ...env },
    replace: { paymentChain },
  })
  await liftOwnersRowSecurity(service.database)
  let running: JobRunner | undefined = await startFollowingWorker(service.ctx, chain)
  const worker = {
    async stop() {
      await running?.stop()
      running = undefined
    },
    // Another process counts for itself.
    async start() {
      const ctx = { ...service.ctx, metrics: createMetrics() }
      running = await startFollowingWorker(ctx, chain)
    },
  }
  return {
    service,
    chain,
    node,
    second,
    worker,
    async stop() {
      for (const proxy of proxies) proxy.heal()
      await worker.stop()
      await service.stop()
      for (const proxy of proxies) await proxy.stop()
      await chain.stop()
    },
  }
}

export const isSend = ({ method }: RpcCall): boolean => method === 'eth_sendRawTransaction'

const answer = (result: unknown): Trouble => ({
  status: 200,
  text: JSON.stringify({ jsonrpc: '2.0', id: 1, result }),
})

export type Withheld = {
  raws: Hex[]
  /** Calls the chain itself, past the node. */
  deliver(raw: Hex | undefined): Promise<void>
}

/** The node accepts what is sent, but nobody else ever receives it. */
export function withhold({ node, chain }: Pick<FaultyTreasury, 'node' | 'chain'>): Withheld {
  const raws: Hex[] = []
  node.trouble = (call) => {
    if (!isSend(call)) return undefined
    const raw: Hex = call.params[0]
    raws.push(raw)
    return answer(keccak256(raw))
  }
  return {
    raws,
    async deliver(serializedTransaction) {
      if (!serializedTransaction) throw new Error('Nothing was sent')
      await chain.client.sendRawTransaction({ serializedTransaction })
    },
  }
}

/**
 * Waits until the engine has observed the chain this many times, counted from the start of a pass.
 */
export async function untilLooked({ calls }: RpcProxy, looks = 2): Promise<void> {
  const count = () => calls.filter((method) => method === 'eth_getBalance').length
  const before = count()
  await expect.poll(count).toBeGreaterThan(before + looks)
}

/** Backdates when it was written and last sent. */
export const ageAttempts = ({ treasury }: PayingHouse, paymentId: string, interval: string) =>
  treasury.service.database.asOwner(
    `update payment_attempts set created_at = created_at - $2::interval,
       sent_at = sent_at - $2::interval where payment_id = $1`,
    [paymentId, interval],
  )

export type AttemptInRows = { nonce: number; raw: Hex; hash: Hex; fee: string; state: string }

export const attemptsInRows = ({ treasury }: PayingHouse, paymentId: string) =>
  treasury.service.database.asOwner<AttemptInRows>(
    `select nonce::integer, raw, transaction_hash as hash, max_fee_per_gas::text as fee, state
     from payment_attempts where payment_id = $1 order by number`,
    [paymentId],
  )

export const mine = async ({ chain }: Pick<Treasury, 'chain'>, blocks: number): Promise<void> => {
  for (let mined = 0; mined < blocks; mined += 1) await chain.request('evm_mine')
}

/** How often a payment was stored as confirmed, failed or blocked. */
export async function outcomesOf({ treasury }: PayingHouse, paymentId: string): Promise<string[]> {
  const rows = await treasury.service.database.asOwner<{ action: string }>(
    `select action from audit_events where aggregate_id = $1
       and action in ('payment.confirmed', 'payment.failed', 'payment.blocked') order by seq`,
    [paymentId],
  )
  return rows.map(({ action }) => action.replace('payment.', ''))
}
