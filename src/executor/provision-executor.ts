/** Requests an executor of the organization or its successor, or a retry. Jobs do the rest. */
import { checksummed } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { type Answer, type IdempotentRequest, once } from '#platform/idempotency.ts'
import {
  countProvisionings,
  findNextBinding,
  insertProvisioning,
  lockLatestProvisioning,
} from './executor.store.ts'
import type { ExecutorStatus } from './executor.ts'
import { type ExecutorContext, moveProvisioning, recordExecutor } from './move-provisioning.ts'
import { readStatus } from './read-executor.ts'
import { findIsNamed } from './rotation.store.ts'
import { enqueueProvisioning, isUnderWay } from './run-provisioning.ts'
import { enqueueWatch } from './watch-executor.ts'

export async function provisionExecutor(
  ctx: ExecutorContext & Pick<Context, 'config'>,
  { actor, request }: { actor: Member; request: IdempotentRequest },
): Promise<Answer<ExecutorStatus>> {
  const { organizationId } = actor
  return asMember(ctx, actor, (tx) =>
    once(tx, request, {
      at: ctx.clock.now(),
      work: async () => {
        const latest = await lockLatestProvisioning(tx, organizationId)
        if (isUnderWay(latest)) {
          throw new AppError('state_conflict', { message: 'An executor is being provisioned.' })
        }
        await requireLastInUse(tx, organizationId)
        const { executorsPerOrganization: max } = ctx.config.limits.quotas
        if ((await countProvisionings(tx, organizationId)) >= max) {
          throw new AppError('state_conflict', {
            message: `An organization may have at most ${max} executors. Reconcile the last one.`,
          })
        }
        const provisioningId = ctx.ids.next()
        insertProvisioning(tx, { id: provisioningId, organizationId, at: ctx.clock.now() })
        await requestProvisioning(ctx, tx, {
          organizationId,
          actor: asActor(actor),
          provisioningId,
        })
        return readStatus(tx, organizationId)
      },
    }),
  )
}

/** So that an organization has at most one executor that waits for its first policy. */
async function requireLastInUse(tx: Tx, organizationId: string): Promise<void> {
  const newest = await findNextBinding(tx, organizationId)
  if (!newest || (await findIsNamed(tx, newest))) return
  throw new AppError('state_conflict', {
    message:
      `No policy in force names the executor ${checksummed(newest.address)} yet. Prepare a ` +
      'policy, which names it, before you provision another.',
  })
}

async function requestProvisioning(
  ctx: ExecutorContext,
  tx: Tx,
  {
    organizationId,
    actor,
    provisioningId,
    retry,
  }: { organizationId: string; actor: Actor; provisioningId: string; retry?: true },
): Promise<void> {
  enqueueProvisioning(tx, { organizationId, provisioningId })
  await recordExecutor(ctx, tx, {
    organizationId,
    actor,
    action: 'executor.requested',
    id: provisioningId,
    data: { provider: ctx.executor.type, ...(retry && { retry }) },
    state: 'requested',
  })
}

export const reconcileExecutor = (
  ctx: ExecutorContext,
  { actor }: { actor: Member },
): Promise<ExecutorStatus> =>
  asMember(ctx, actor, (tx) =>
    reconcileInTransaction(ctx, tx, {
      organizationId: actor.organizationId,
      actor: asActor(actor),
    }),
  )

/** Retries a failed provisioning, or refreshes the gas balance of an active executor. */
export async function reconcileInTransaction(
  ctx: ExecutorContext,
  tx: Tx,
  { organizationId, actor }: { organizationId: string; actor: Actor },
): Promise<ExecutorStatus> {
  const latest = await lockLatestProvisioning(tx, organizationId)
  if (!latest) {
    throw new AppError('state_conflict', {
      message: 'There is no executor to reconcile. Provision one first.',
    })
  }
  const { id: provisioningId } = latest
  if (latest.state === 'failed') {
    moveProvisioning(ctx, tx, { provisioning: latest, event: 'retry' })
    await requestProvisioning(ctx, tx, { organizationId, actor, provisioningId, retry: true })
    return readStatus(tx, organizationId)
  }
  if (isUnderWay(latest)) {
    // Restores the job, which may have exhausted its attempts because its worker died repeatedly.
    enqueueProvisioning(tx, { organizationId, provisioningId })
  } else {
    enqueueWatch(tx, { organizationId }, 0)
  }
  await recordChange(ctx, tx, {
    organizationId,
    actor,
    action: 'executor.reconciled',
    aggregateType: 'executor',
    aggregateId: provisioningId,
    data: { state: latest.state },
  })
  return readStatus(tx, organizationId)
}
