/** Lets an operator read and reconcile an organization's executor. */
import type { Context } from '#context.ts'
import type { ExecutorStatus } from '#executor/executor.ts'
import type { ExecutorContext } from '#executor/move-provisioning.ts'
import { reconcileInTransaction } from '#executor/provision-executor.ts'
import { readStatus } from '#executor/read-executor.ts'
import type { Actor } from '#journal/actor.ts'
import { recordRead } from '#journal/record-read.ts'
import { AppError } from '#platform/errors.ts'
import { findIsOrganization } from './organizations.store.ts'

type Target = { operator: Actor; organizationId: string }

export async function readOrganizationExecutor(
  ctx: Pick<Context, 'db' | 'observerDb' | 'clock' | 'ids'>,
  { operator, organizationId }: Target,
): Promise<ExecutorStatus> {
  const status = await ctx.observerDb.transaction({}, async (tx) =>
    (await findIsOrganization(tx, organizationId)) ? readStatus(tx, organizationId) : undefined,
  )
  const operation = 'getAdminExecutor'
  if (!status) {
    await recordRead(ctx, { operator, operation, organizationId: null, data: { organizationId } })
    throw new AppError('not_found')
  }
  await recordRead(ctx, { operator, operation, organizationId })
  return status
}

/** Runs in the organization's scope, as for a manager; the audit trail names the operator. */
export const reconcileOrganizationExecutor = (
  ctx: ExecutorContext,
  { operator, organizationId }: Target,
): Promise<ExecutorStatus> =>
  ctx.db.transaction({ organizationId }, async (tx) => {
    if (!(await findIsOrganization(tx, organizationId))) throw new AppError('not_found')
    return reconcileInTransaction(ctx, tx, { organizationId, actor: operator })
  })
