/** SQL for the list of payments, with filters (`platform/newest-matches.ts`). */
import sql, { type Sql } from 'sql-template-tag'
import { isIndexedWord, isWordOfRevision, listUnindexed } from '#expenses/words.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { allOf, listNewestMatches, RANGE_ROWS, when } from '#platform/newest-matches.ts'
import type { ActivityFilter } from './activity-filter.ts'
import type { PaymentState } from './payment.machine.ts'
import { type PaymentRow, paymentColumns } from './payments.store.ts'

/** A payment with what its revision says, and when it was confirmed. */
export type ActivityRow = PaymentRow & {
  purpose: string
  recipientLabel: string
  category: string | null
  reference: string | null
  confirmedAt: string | null
  approvers: { accountId: string; displayName: string | null }[]
}

export type ActivityPage = {
  organizationId: string
  /** The only submitter whose payments the caller may see; null for all. */
  onlyOf: string | null
  filter: ActivityFilter
  /** Of the filter's `q`, the longest first. */
  words: readonly string[]
  beforeId: string
  limit: number
}

const createdWithin = ({ from, before }: ActivityFilter): Sql[] => [
  ...when(from, (at) => sql`p.created_at >= ${at}`),
  ...when(before, (at) => sql`p.created_at < ${at}`),
]

/** On a payment `p`, its expense `e` and the revision `r` that it pays. */
const conditionsOf = ({ onlyOf, filter, words }: ActivityPage): Sql[] => [
  ...when(onlyOf, (id) => sql`e.submitter_account_id = ${id}`),
  ...when(filter.states, (states) => sql`p.state = any(${states}::text[])`),
  ...createdWithin(filter),
  ...when(filter.recipientId, (id) => sql`r.recipient_id = ${id}`),
  ...words.map(isWordOfRevision),
]

const paymentsOf = ({ organizationId }: ActivityPage): Sql =>
  sql`from payments p where p.organization_id = ${organizationId}`

const perState = (states: readonly PaymentState[], rows: Sql): Sql => sql`
  select k.* from unnest(${states}::text[]) s (state) cross join lateral (${rows}) k`

/** The index ranges of the filter, as ids of expenses: see `FilteredRows`. */
function rangesOf(page: ActivityPage, unindexed: readonly string[]): Sql[] {
  const { organizationId, onlyOf, filter, words } = page
  const payments = sql`select p.expense_id as id ${paymentsOf(page)}`
  const ofState = sql`${payments} and p.state = s.state order by p.id limit ${RANGE_ROWS}`
  const created = createdWithin(filter)
  return [
    ...when(
      onlyOf,
      (id) => sql`select e.id from expenses e where e.organization_id = ${organizationId}
        and e.submitter_account_id = ${id} order by e.id`,
    ),
    ...when(filter.states, (states) => perState(states, ofState)),
    ...(created.length === 0 ? [] : [sql`${payments} and ${allOf(created)} order by p.created_at`]),
    ...when(
      filter.recipientId,
      (id) => sql`select r.expense_id as id from expense_revisions r
        where r.organization_id = ${organizationId} and r.recipient_id = ${id}
        order by r.expense_id`,
    ),
    ...when(
      words[0],
      (word) => sql`select w.expense_id as id from expense_words w
        where w.organization_id = ${organizationId} and ${isIndexedWord(word)} order by w.word`,
    ).map((range) => withUnindexed(range, unindexed)),
  ]
}

/** A range of words with the expenses that may belong to it. */
const withUnindexed = (range: Sql, unindexed: readonly string[]): Sql =>
  unindexed.length === 0
    ? range
    : sql`(${range} limit ${RANGE_ROWS}) union all select unnest(${unindexed}::uuid[])`

/** Lookups of one row each, which leave the planner no other way. */
const withParts = sql`
  cross join lateral (select x.submitter_account_id from expenses x
    where x.organization_id = p.organization_id and x.id = p.expense_id limit 1) e
  cross join lateral (
    select x.recipient_id, x.purpose, x.recipient_label, x.category, x.reference,
      revision_words(x.purpose, x.reference, x.recipient_label) as words
    from expense_revisions x
    where x.organization_id = p.organization_id and x.expense_id = p.expense_id
      and x.revision = p.expense_revision limit 1) r`

/** The most recent payments along one index that has the order of the list. */
function recentRows(page: ActivityPage, rows: number): Sql {
  const newest = (condition: Sql) => sql`
    select p.* ${paymentsOf(page)} and ${condition} and p.id < ${page.beforeId}
    order by p.id desc limit ${rows}`
  const { states } = page.filter
  const range = states
    ? sql`${perState(states, newest(sql`p.state = s.state`))} order by k.id desc limit ${rows}`
    : newest(sql`true`)
  return sql`select p.id, ${allOf(conditionsOf(page))} as matches from (${range}) p ${withParts}
    order by p.id desc`
}

/** The ids of the newest payments that match, newest first. */
export async function listPaymentIds(tx: Tx, page: ActivityPage): Promise<string[]> {
  const { organizationId, beforeId, limit, filter, words } = page
  if (filter.q !== undefined && words.length === 0) return []
  // Filters differ too much in what they match for one plan.
  tx.write(sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`)
  const unindexed = words.length === 0 ? [] : await listUnindexed(tx, organizationId)
  const matches = allOf([sql`p.id < ${beforeId}`, ...conditionsOf(page)])
  const { ids } = await listNewestMatches(tx, {
    limit,
    // Only states have an index in the order of the list.
    matching: conditionsOf(page).length === (filter.states ? 1 : 0) ? 'all' : 'any',
    recent: (rows) => recentRows(page, rows),
    ranges: rangesOf(page, unindexed),
    among: (among) => sql`
      select p.id from (${among}) i
      cross join lateral (select * from payments x
        where x.organization_id = ${organizationId} and x.expense_id = i.id limit 1) p
      ${withParts}
      where ${matches} order by p.id desc limit ${limit}`,
    all: sql`
      with found as materialized (
        select p.id from payments p
        join expenses e on e.organization_id = p.organization_id and e.id = p.expense_id
        join (
          select x.*, revision_words(x.purpose, x.reference, x.recipient_label) as words
          from expense_revisions x
        ) r on r.organization_id = p.organization_id
          and r.expense_id = p.expense_id and r.revision = p.expense_revision
        where p.organization_id = ${organizationId} and ${matches})
      select id from found order by id desc limit ${limit}`,
  })
  return ids
}

/** In the order of the ids. */
export async function listActivity(
  tx: Tx,
  { organizationId, ids }: { organizationId: string; ids: readonly string[] },
): Promise<ActivityRow[]> {
  return tx.query<ActivityRow>(sql`
    select ${paymentColumns}, r.purpose, r.recipient_label as "recipientLabel", r.category,
      r.reference, c.confirmed_at as "confirmedAt", (
        select coalesce(json_agg(json_build_object('accountId', s.account_id, 'displayName', (
          select n.display_name from profiles n where n.account_id = s.account_id))
          order by s.approver_address), '[]')
        from payment_signatures s where s.organization_id = p.organization_id
          and s.payment_id = p.id and s.epoch = p.epoch) as approvers
    from unnest(${ids}::uuid[]) with ordinality i (id, place)
    cross join lateral (select * from payments x
      where x.organization_id = ${organizationId} and x.id = i.id limit 1) p
    ${withParts}
    left join lateral (select x.confirmed_at from payment_receipts x
      where x.organization_id = p.organization_id and x.payment_id = p.id limit 1) c on true
    order by i.place`)
}
