import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import type { Reader } from '#platform/database/database.ts'
import { findLatestProvisioning, listBindings } from './executor.store.ts'
import { type ExecutorStatus, toExecutorStatus } from './executor.ts'

export async function readStatus(tx: Reader, organizationId: string): Promise<ExecutorStatus> {
  return toExecutorStatus(
    await listBindings(tx, organizationId),
    await findLatestProvisioning(tx, organizationId),
  )
}

export const readExecutor = (
  ctx: Pick<Context, 'db'>,
  { member }: { member: Member },
): Promise<ExecutorStatus> =>
  ctx.db.read(scopeOf(member), (reader) => readStatus(reader, member.organizationId))
