/** SQL for the sums of confirmed payments. */
import sql, { type Sql } from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'
import { allOf, when } from '#platform/newest-matches.ts'
import type { Period } from '#platform/period.ts'

export const spendingGroups = ['month', 'recipient', 'category', 'member', 'vault'] as const
export type SpendingGroup = (typeof spendingGroups)[number]

export type SpendingRow = {
  key: string | null
  label: string | null
  amount: bigint
  count: number
  totalAmount: bigint
  totalCount: bigint
}

type Grouping = { key: Sql; label: Sql; join: Sql; order: Sql }

const largestFirst = sql`sum(p.amount) desc, 1`
const monthOf = sql`to_char(c.confirmed_at at time zone 'UTC', 'YYYY-MM')`

const revision = sql`
  join expense_revisions r on r.organization_id = p.organization_id
    and r.expense_id = p.expense_id and r.revision = p.expense_revision`

const groupings: Record<SpendingGroup, Grouping> = {
  month: { key: monthOf, label: monthOf, join: sql``, order: sql`1` },
  recipient: {
    key: sql`r.recipient_id::text`,
    label: sql`max(o.label)`,
    join: sql`${revision} left join recipients o
      on o.organization_id = r.organization_id and o.id = r.recipient_id`,
    order: largestFirst,
  },
  category: {
    key: sql`r.category`,
    // A category that is no longer in the list keeps the name that its revisions have.
    label: sql`coalesce(max(o.name), max(r.category_name))`,
    join: sql`${revision} left join categories o
      on o.organization_id = r.organization_id and o.code = r.category`,
    order: largestFirst,
  },
  member: {
    key: sql`e.submitter_account_id::text`,
    label: sql`max(o.display_name)`,
    join: sql`
      join expenses e on e.organization_id = p.organization_id and e.id = p.expense_id
      left join profiles o on o.account_id = e.submitter_account_id`,
    order: largestFirst,
  },
  vault: {
    key: sql`p.vault_id::text`,
    label: sql`max(o.label)`,
    join: sql`left join vaults o on o.organization_id = p.organization_id and o.id = p.vault_id`,
    order: largestFirst,
  },
}

/** Months in their order, other groups by their sums. The totals cover groups beyond the limit. */
export async function listSpending(
  tx: Tx,
  {
    organizationId,
    period: { from, before },
    by,
    limit,
  }: { organizationId: string; period: Period; by: SpendingGroup; limit: number },
): Promise<SpendingRow[]> {
  const { key, label, join, order } = groupings[by]
  const period = allOf([
    ...when(from, (at) => sql`c.confirmed_at >= ${at}`),
    ...when(before, (at) => sql`c.confirmed_at < ${at}`),
  ])
  return tx.query<SpendingRow>(sql`
    select ${key} as key, ${label} as label, sum(p.amount) as amount, count(*) as count,
      sum(sum(p.amount)) over () as "totalAmount", sum(count(*)) over () as "totalCount"
    from payment_receipts c
    join payments p on p.organization_id = c.organization_id and p.id = c.payment_id
    ${join}
    where c.organization_id = ${organizationId} and ${period}
    group by ${key} order by ${order} limit ${limit}`)
}
