/**
 * Job that asks the provider for a key and binds it. The provider is called outside any
 * transaction, with the provisioning's id as its idempotency key, so a repeated call creates no
 * second executor.
 */
import { SYSTEM } from '#journal/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import { lowerCased } from '#platform/values.ts'
import type { ProvisionedExecutor } from '#ports/executor-provider.ts'
import {
  findActiveBinding,
  insertBinding,
  lockLatestProvisioning,
  type Provisioning,
} from './executor.store.ts'
import { type ExecutorContext, moveProvisioning, recordExecutor } from './move-provisioning.ts'
import { enqueueWatch } from './watch-executor.ts'

const TRIES_MAX = 5

type Payload = JobPayloads['provision_executor']

export const enqueueProvisioning = (tx: Tx, payload: Payload): void =>
  enqueue(tx, 'provision_executor', payload, {
    key: `provision_executor:${payload.provisioningId}`,
    attemptsMax: TRIES_MAX,
  })

export const isUnderWay = (provisioning: Provisioning | undefined): boolean =>
  provisioning?.state === 'requested' || provisioning?.state === 'provisioning'

export async function runProvisioning(ctx: ExecutorContext, payload: Payload): Promise<void> {
  const { organizationId, provisioningId } = payload
  const isStarted = await ctx.db.transaction({ organizationId }, async (tx) => {
    const provisioning = await lockLatestProvisioning(tx, organizationId)
    if (provisioning?.id !== provisioningId || !isUnderWay(provisioning)) return false
    moveProvisioning(ctx, tx, { provisioning, event: 'start' })
    return true
  })
  if (!isStarted) return
  try {
    await bind(ctx, payload, await ctx.executor.provision(payload))
  } catch (error) {
    if (!(await failAfterLastAttempt(ctx, payload))) throw error
    // The provisioning records the failure, so the job succeeds; a failed job would alert operators
    // twice.
    ctx.log.warn({ err: error, ...payload }, 'provisioning the executor failed')
  }
}

async function bind(
  ctx: ExecutorContext,
  { organizationId, provisioningId }: Payload,
  { address, reference }: ProvisionedExecutor,
): Promise<void> {
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const provisioning = await lockLatestProvisioning(tx, organizationId)
    if (provisioning?.id !== provisioningId || provisioning.state !== 'provisioning') return
    const id = ctx.ids.next()
    const isFirst = (await findActiveBinding(tx, organizationId)) === undefined
    insertBinding(tx, {
      state: isFirst ? 'active' : 'next',
      id,
      organizationId,
      providerType: ctx.executor.type,
      address: lowerCased(address),
      chainId: ctx.chain.chainId,
      reference,
      paysOwnGas: ctx.executor.delegation?.paysOwnGas ?? true,
      at: ctx.clock.now(),
    })
    moveProvisioning(ctx, tx, { provisioning, event: 'succeed' })
    // In the same transaction as the binding, because nothing else starts the watch.
    enqueueWatch(tx, { organizationId }, 0)
    const data = { provider: ctx.executor.type, address }
    const action = 'executor.provisioned' as const
    await recordExecutor(ctx, tx, {
      organizationId,
      actor: SYSTEM,
      action,
      id,
      data,
      state: 'active',
    })
  })
}

/** True when this was the last attempt. */
async function failAfterLastAttempt(
  ctx: ExecutorContext,
  { organizationId, provisioningId: id }: Payload,
): Promise<boolean> {
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const provisioning = await lockLatestProvisioning(tx, organizationId)
    if (provisioning?.id !== id || provisioning.state !== 'provisioning') return false
    if (provisioning.attempts < TRIES_MAX) return false
    const failureCode = 'provider_unavailable'
    moveProvisioning(ctx, tx, { provisioning, event: 'fail', failureCode })
    const data = { attempts: provisioning.attempts, failureCode }
    const action = 'executor.failed' as const
    await recordExecutor(ctx, tx, {
      organizationId,
      actor: SYSTEM,
      action,
      id,
      data,
      state: 'failed',
    })
    return true
  })
}
