/** Reads the executors of all organizations for operators, with their gas. */
import { checksummed, timestampToSeconds } from '@countersign/proof/values.ts'
import { judgeExecutor } from '#health/judge-executor.ts'
import type { Actor } from '#journal/actor.ts'
import { recordRead } from '#journal/record-read.ts'
import { type Page, type Paged, toPaged } from '#platform/paging.ts'
import { type ExecutorRow, listExecutors } from './executors.store.ts'
import type { AdminContext } from './read-organizations.ts'

/** A disabled executor sends nothing any more, so nothing of it can need attention. */
function severityOf(row: ExecutorRow, now: string) {
  if (row.status === 'disabled') return { severity: 'healthy' as const, code: null }
  const { severity, code } = judgeExecutor({
    ...row,
    balanceAgeSeconds:
      row.balanceReadAt === null
        ? null
        : timestampToSeconds(now) - timestampToSeconds(row.balanceReadAt),
    provisioningState: 'active',
    provisioningAgeSeconds: 0,
    unrecordedPayments: 0,
  })
  return { severity, code }
}

const toExecutor = (row: ExecutorRow, now: string) => ({
  ...row,
  address: checksummed(row.address),
  nativeBalanceWei: row.nativeBalanceWei.toString(),
  ...severityOf(row, now),
})

export async function readExecutors(
  ctx: AdminContext,
  { operator, page }: { operator: Actor; page: Page },
): Promise<Paged<ReturnType<typeof toExecutor>>> {
  const rows = await ctx.observerDb.transaction({}, (tx) => listExecutors(tx, page))
  await recordRead(ctx, { operator, operation: 'listAdminExecutors', organizationId: null })
  const now = ctx.clock.now().toISOString()
  const { items, nextCursor } = toPaged(rows, { limit: page.limit, idOf: ({ id }) => id })
  return { items: items.map((row) => toExecutor(row, now)), nextCursor }
}
