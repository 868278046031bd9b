/** Totals of confirmed payments by month, recipient, category, member or vault, for charts. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import type { Period } from '#platform/period.ts'
import { listSpending, type SpendingGroup } from './spending.store.ts'

const GROUPS_MAX = 1_000

type SpendingSum = {
  key: string | null
  label: string | null
  amountBaseUnits: string
  count: number
}

export type SpendingReport = { groups: SpendingSum[]; total: string; count: number }

export async function readSpending(
  ctx: Pick<Context, 'db'>,
  { member, period, by }: { member: Member; period: Period; by: SpendingGroup },
): Promise<SpendingReport> {
  const { organizationId } = member
  const rows = await ctx.db.transaction(scopeOf(member), (tx) =>
    listSpending(tx, { organizationId, period, by, limit: GROUPS_MAX }),
  )
  const groups = rows.map(({ key, label, amount, count }) => ({
    key,
    label,
    amountBaseUnits: amount.toString(),
    count,
  }))
  const [first] = rows
  return {
    groups,
    total: (first?.totalAmount ?? 0n).toString(),
    count: Number(first?.totalCount ?? 0n),
  }
}
