/**
 * The organization's executor: requested by the owner, made by a job with the provider, watched
 * for gas from then on. The provider is called outside any transaction, with the provisioning's id
 * as its key, so that a repeated call makes no second executor.
 */
import type { Context } from '#context.ts'
import { type Actor, SYSTEM } from '#journal/actor.ts'
import { type AuditAction, recordChange } from '#journal/journal.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Member } from '#organizations/permissions.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database.ts'
import { AppError, isUnavailable } from '#platform/errors.ts'
import { type Answer, type IdempotentRequest, once } from '#platform/idempotency.ts'
import { enqueue, type JobPayloads } from '#platform/jobs.ts'
import { next } from '#platform/machine.ts'
import { lowerCased } from '#platform/values.ts'
import { type ProvisioningEvent, provisioningMachine } from './executor.machine.ts'
import {
  findActiveBinding,
  insertBinding,
  insertProvisioning,
  lockLatestProvisioning,
  type Provisioning,
  updateBindingBalance,
  updateProvisioningState,
} from './executor.store.ts'
import type { ExecutorStatus } from './executor.ts'
import { readStatus } from './read-executor.ts'

type ExecutorContext = Pick<Context, 'db' | 'clock' | 'ids' | 'chain' | 'executor' | 'log'>

const TRIES_MAX = 5
const WATCH_EVERY_SECONDS = 30
/** Enough for some dozens of payments at common fees. */
const GAS_LOW_WEI = 5_000_000_000_000_000n

const liveOf = (targetState: string, severity: 'healthy' | 'action_required', code: string) =>
  ({
    kind: 'integration.changed',
    aggregateType: 'integration',
    targetState,
    severity,
    code,
  }) as const

/** The only writer of a provisioning's state. */
async function moveProvisioning(
  ctx: ExecutorContext,
  tx: Tx,
  {
    provisioning,
    event,
    failureCode = null,
  }: {
    provisioning: Provisioning
    event: ProvisioningEvent
    failureCode?: string | null
  },
): Promise<Provisioning> {
  const to = next(provisioningMachine, { from: provisioning.state, event })
  const attempts = event === 'start' ? provisioning.attempts + 1 : provisioning.attempts
  await updateProvisioningState(tx, {
    provisioning,
    to,
    attempts,
    failureCode,
    at: ctx.clock.now(),
  })
  return { ...provisioning, state: to, attempts, failureCode }
}

const record = (
  ctx: ExecutorContext,
  tx: Tx,
  change: {
    organizationId: string
    actor: Actor
    action: AuditAction
    id: string
    data: Record<string, unknown>
    state: string
  },
) =>
  recordChange(ctx, tx, {
    organizationId: change.organizationId,
    actor: change.actor,
    action: change.action,
    aggregateType: 'executor',
    aggregateId: change.id,
    data: change.data,
    live: liveOf(
      change.state,
      change.state === 'failed' ? 'action_required' : 'healthy',
      change.action.replace('.', '_'),
    ),
  })

const enqueueProvisioning = (tx: Tx, payload: JobPayloads['provision_executor']) =>
  enqueue(tx, 'provision_executor', payload, {
    key: `provision_executor:${payload.provisioningId}`,
    attemptsMax: TRIES_MAX,
  })

export async function provisionExecutor(
  ctx: ExecutorContext,
  { actor, request }: { actor: Member; request: IdempotentRequest },
): Promise<Answer<ExecutorStatus>> {
  const { organizationId } = actor
  return asMember(ctx, actor, (tx) =>
    once(tx, request, {
      at: ctx.clock.now(),
      work: async () => {
        const latest = await lockLatestProvisioning(tx, organizationId)
        if ((await findActiveBinding(tx, organizationId)) || isUnderWay(latest)) {
          throw new AppError('state_conflict', {
            message: 'The executor is there already, or on its way.',
          })
        }
        const provisioningId = ctx.ids.next()
        await insertProvisioning(tx, { id: provisioningId, organizationId, at: ctx.clock.now() })
        await enqueueProvisioning(tx, { organizationId, provisioningId })
        await record(ctx, tx, {
          organizationId,
          actor: asActor(actor),
          action: 'executor.requested',
          id: provisioningId,
          data: { provider: ctx.executor.type },
          state: 'requested',
        })
        return readStatus(tx, organizationId)
      },
    }),
  )
}

const isUnderWay = (provisioning: Provisioning | undefined): boolean =>
  provisioning?.state === 'requested' || provisioning?.state === 'provisioning'

/** Retries a failed provisioning, and reads the gas balance of an active executor again. */
export async function reconcileExecutor(
  ctx: ExecutorContext,
  { actor }: { actor: Member },
): Promise<ExecutorStatus> {
  const { organizationId } = actor
  return asMember(ctx, actor, async (tx) => {
    const latest = await lockLatestProvisioning(tx, organizationId)
    if (!latest) {
      throw new AppError('state_conflict', { message: 'There is no executor to reconcile yet.' })
    }
    if (latest.state === 'failed') {
      await moveProvisioning(ctx, tx, { provisioning: latest, event: 'retry' })
      await enqueueProvisioning(tx, { organizationId, provisioningId: latest.id })
      await record(ctx, tx, {
        organizationId,
        actor: asActor(actor),
        action: 'executor.requested',
        id: latest.id,
        data: { provider: ctx.executor.type, retry: true },
        state: 'requested',
      })
    } else if (latest.state === 'active') {
      await enqueueWatch(ctx, tx, { organizationId }, 0)
    }
    return readStatus(tx, organizationId)
  })
}

/** Job: asks the provider for a key, and binds it. */
export async function runProvisioning(
  ctx: ExecutorContext,
  { organizationId, provisioningId }: JobPayloads['provision_executor'],
): Promise<void> {
  const started = await ctx.db.transaction({ organizationId }, async (tx) => {
    const provisioning = await lockLatestProvisioning(tx, organizationId)
    if (provisioning?.id !== provisioningId || !isUnderWay(provisioning)) return undefined
    return moveProvisioning(ctx, tx, { provisioning, event: 'start' })
  })
  if (!started) return
  try {
    const made = await ctx.executor.provision({ organizationId, provisioningId })
    await bind(ctx, { organizationId, provisioningId, ...made })
  } catch (error) {
    await giveUpAfterTries(ctx, { organizationId, provisioningId })
    throw error
  }
  await ctx.db.transaction({}, (tx) => enqueueWatch(ctx, tx, { organizationId }, 0))
}

async function bind(
  ctx: ExecutorContext,
  {
    organizationId,
    provisioningId,
    address,
    reference,
  }: {
    organizationId: string
    provisioningId: string
    address: string
    reference: Uint8Array
  },
): Promise<void> {
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const provisioning = await lockLatestProvisioning(tx, organizationId)
    if (provisioning?.id !== provisioningId || provisioning.state !== 'provisioning') return
    const id = ctx.ids.next()
    await insertBinding(tx, {
      id,
      organizationId,
      providerType: ctx.executor.type,
      address: lowerCased(address),
      chainId: ctx.chain.chainId,
      reference,
      at: ctx.clock.now(),
    })
    await moveProvisioning(ctx, tx, { provisioning, event: 'succeed' })
    const data = { provider: ctx.executor.type, address }
    const action = 'executor.provisioned' as const
    await record(ctx, tx, { organizationId, actor: SYSTEM, action, id, data, state: 'active' })
  })
}

async function giveUpAfterTries(
  ctx: ExecutorContext,
  { organizationId, provisioningId }: JobPayloads['provision_executor'],
): Promise<void> {
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const provisioning = await lockLatestProvisioning(tx, organizationId)
    if (provisioning?.id !== provisioningId || provisioning.state !== 'provisioning') return
    if (provisioning.attempts < TRIES_MAX) return
    const failureCode = 'provider_unavailable'
    await moveProvisioning(ctx, tx, { provisioning, event: 'fail', failureCode })
    const data = { attempts: provisioning.attempts, failureCode }
    const action = 'executor.failed' as const
    const id = provisioningId
    await record(ctx, tx, { organizationId, actor: SYSTEM, action, id, data, state: 'failed' })
  })
}

const enqueueWatch = (
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  payload: JobPayloads['watch_executor'],
  inSeconds: number,
) =>
  enqueue(tx, 'watch_executor', payload, {
    key: `watch_executor:${payload.organizationId}`,
    runAt: addSeconds(ctx.clock.now(), inSeconds),
  })

async function readBalance(
  { chain, executor }: ExecutorContext,
  address: string,
): Promise<bigint | undefined> {
  if ((await chain.nativeBalance(address)) === 0n) await executor.fundGas({ address })
  return chain.nativeBalance(address)
}

/** A queue waits longer after every failure; a chain that is away is looked for as before. */
const notWhenAway = (error: unknown): undefined => {
  if (!isUnavailable(error)) throw error
}

/** Job: reads never wait for the chain, so somebody has to look at the balance beforehand. */
export async function watchExecutor(
  ctx: ExecutorContext,
  { organizationId }: JobPayloads['watch_executor'],
): Promise<void> {
  const scope = { organizationId }
  const binding = await ctx.db.transaction(scope, (tx) => findActiveBinding(tx, organizationId))
  if (!binding) return
  const { id: bindingId, address } = binding
  const nativeBalanceWei = await readBalance(ctx, address).catch(notWhenAway)
  if (nativeBalanceWei === undefined) {
    const again = (tx: Tx) => enqueueWatch(ctx, tx, { organizationId }, WATCH_EVERY_SECONDS)
    return ctx.db.transaction({}, again)
  }
  await ctx.db.transaction(scope, async (tx) => {
    const at = ctx.clock.now()
    await updateBindingBalance(tx, { organizationId, bindingId, nativeBalanceWei, at })
    const isLow = nativeBalanceWei < GAS_LOW_WEI
    const wasLow = binding.balanceReadAt !== null && binding.nativeBalanceWei < GAS_LOW_WEI
    if (isLow && !wasLow) {
      await recordChange(ctx, tx, {
        organizationId,
        actor: SYSTEM,
        action: 'executor.gas_low',
        aggregateType: 'executor',
        aggregateId: bindingId,
        data: { address, nativeBalanceWei: nativeBalanceWei.toString() },
        live: liveOf('active', 'action_required', 'executor_gas_low'),
      })
    }
    await enqueueWatch(ctx, tx, { organizationId }, WATCH_EVERY_SECONDS)
  })
}
