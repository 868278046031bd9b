/** A treasury whose payments are delegated to a wallet of the Circle emulator. */
import type { Context } from '#context.ts'
import type { JobRunner } from '#platform/jobs/job-runner.ts'
import { createMetrics } from '#platform/metrics.ts'
import { startTestApp } from '#test/support/app.ts'
import { startTestChain } from '#test/support/chain.ts'
import {
  type CircleEmulator,
  type CircleOptions,
  type EmulatedTransaction,
  startCircleEmulator,
} from '#test/support/circle-emulator.ts'
import { asOwner } from '#test/support/lane-rows.ts'
import type { PayingHouse } from '#test/support/payments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { FOLLOWED, startFollowingWorker, type Treasury } from '#test/support/treasury.ts'

export type CircleTreasury = Treasury & {
  circle: CircleEmulator
  worker: { stop(): Promise<void>; start(): Promise<void> }
}

export async function startCircleTreasury({
  replace = {},
  ...options
}: CircleOptions & { replace?: Partial<Context> } = {}): Promise<CircleTreasury> {
  const chain = await startTestChain()
  const circle = await startCircleEmulator({ chain, ...options })
  const service = await startTestApp({
    env: { ...chain.env, ...FOLLOWED, ...circle.env },
    replace,
    hasWorker: true,
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
    circle,
    worker,
    async stop() {
      circle.setDown(false)
      circle.letGo()
      await worker.stop()
      await service.stop()
      await circle.stop()
      await chain.stop()
    },
  }
}

export type DelegatedInRows = {
  key: string
  reference: string | null
  status: string | null
  hash: string | null
  state: string
  code: string | null
}

export const delegatedInRows = (house: PayingHouse, paymentId: string) =>
  asOwner<DelegatedInRows>(
    house,
    `select idempotency_key as key, provider_reference as reference, provider_state as status,
       transaction_hash as hash, state, error_code as code
     from payment_attempts where payment_id = $1 order by number`,
    [paymentId],
  )

/** Everything that the provider has created for the payment's keys. */
export async function madeByKey(
  { circle }: Pick<CircleTreasury, 'circle'>,
  house: PayingHouse,
  paymentId: string,
): Promise<EmulatedTransaction[]> {
  const keys = (await delegatedInRows(house, paymentId)).map(({ key }) => key)
  return circle.transactions.filter(({ idempotencyKey }) => keys.includes(idempotencyKey))
}

/** Backdates the provider's last request and answer. */
export const ageWords = (house: PayingHouse, paymentId: string, interval: string) =>
  asOwner(
    house,
    `update payment_attempts set created_at = created_at - $2::interval,
       sent_at = sent_at - $2::interval, heard_at = heard_at - $2::interval
     where payment_id = $1`,
    [paymentId, interval],
  )

/** Backdates when it entered its state. */
export const ageState = (house: PayingHouse, paymentId: string, interval: string) =>
  asOwner(house, 'update payments set state_since = state_since - $2::interval where id = $1', [
    paymentId,
    interval,
  ])
