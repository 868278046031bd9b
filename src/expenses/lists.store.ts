/** SQL for filtered lists and counts of expenses (`platform/newest-matches.ts`). */
import sql, { type Sql } from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'
import {
  allOf,
  findSmallestRange,
  listNewestMatches,
  RANGE_ROWS,
  when,
} from '#platform/newest-matches.ts'
import type { ExpenseState } from './expense.machine.ts'
import type { ExpenseFilter } from './expense-filter.ts'
import { expenseColumns, type ListedRow, revisionTerms, splitListedRow } from './expenses.store.ts'

export type ExpenseSearch = {
  organizationId: string
  /** The only submitter whose expenses the caller may see; null for all. */
  onlyOf: string | null
  filter: ExpenseFilter
  /** Of the filter's `q`, from `findSearchWords`. */
  words: readonly string[]
}

/** The words of a text as the search stores them, the longest first. */
export async function findSearchWords(tx: Tx, q: string | undefined): Promise<string[]> {
  if (q === undefined) return []
  const [row] = await tx.query<{ words: string }>(sql`select search_words(${q}) as words`)
  const words = new Set((row?.words ?? '').split(' ').filter((word) => word !== ''))
  return [...words].sort((a, b) => b.length - a.length)
}

/** The greatest code point ends the range of the words that begin like this one. */
const begins = (word: string): Sql => sql`w.word >= ${word} and w.word < ${word} || chr(1114111)`

/** Compares like the column `amount_key`. */
const amountKey = (amount: bigint): string => amount.toString().padStart(39, '0')
const AFTER_EVERY_AMOUNT = ':'

const createdWithin = ({ from, before }: ExpenseFilter): Sql[] => [
  ...when(from, (at) => sql`e.created_at >= ${at}`),
  ...when(before, (at) => sql`e.created_at < ${at}`),
]

const ofExpense = ({ onlyOf, filter }: ExpenseSearch): Sql[] => [
  ...when(onlyOf, (id) => sql`e.submitter_account_id = ${id}`),
  ...when(filter.submitterAccountId, (id) => sql`e.submitter_account_id = ${id}`),
  ...when(filter.states, (states) => sql`e.state = any(${states}::text[])`),
  ...createdWithin(filter),
]

const isDated = ({ filter }: ExpenseSearch): boolean => createdWithin(filter).length > 0

const ofRevision = ({ filter, words }: ExpenseSearch): Sql[] => [
  ...when(filter.recipientId, (id) => sql`r.recipient_id = ${id}`),
  ...when(filter.vaultId, (id) => sql`r.vault_id = ${id}`),
  ...when(filter.category, (code) => sql`r.category = ${code}`),
  ...when(filter.minAmount, (amount) => sql`r.amount_key >= ${amountKey(amount)}`),
  ...when(filter.maxAmount, (amount) => sql`r.amount_key <= ${amountKey(amount)}`),
  ...words.map(
    // Not `exists`, which the planner may turn into a join with all occurrences of the word.
    (word) => sql`(select true from expense_words w
      where w.organization_id = r.organization_id and w.expense_id = r.expense_id
        and w.revision = r.revision and ${begins(word)} limit 1) is true`,
  ),
]

const expensesOf = ({ organizationId }: ExpenseSearch): Sql =>
  sql`from expenses e where e.organization_id = ${organizationId}`
const revisionsOf = ({ organizationId }: ExpenseSearch): Sql =>
  sql`from expense_revisions r where r.organization_id = ${organizationId}`

const perState = (states: readonly ExpenseState[], rows: Sql): Sql => sql`
  select k.* from unnest(${states}::text[]) s (state) cross join lateral (${rows}) k`

/** The index ranges of the filter: see `FilteredRows`. */
function rangesOf(search: ExpenseSearch): Sql[] {
  const { organizationId, onlyOf, filter, words } = search
  const { minAmount, maxAmount } = filter
  const expenses = sql`select e.id ${expensesOf(search)}`
  const revisions = sql`select r.expense_id as id ${revisionsOf(search)}`
  const ofState = sql`${expenses} and e.state = s.state order by e.id limit ${RANGE_ROWS}`
  const created = createdWithin(filter)
  return [
    ...when(
      onlyOf ?? filter.submitterAccountId,
      (id) => sql`${expenses} and e.submitter_account_id = ${id} order by e.id`,
    ),
    ...when(filter.states, (states) => perState(states, ofState)),
    ...when(
      filter.recipientId,
      (id) => sql`${revisions} and r.recipient_id = ${id} order by r.expense_id`,
    ),
    ...when(filter.vaultId, (id) => sql`${revisions} and r.vault_id = ${id} order by r.expense_id`),
    ...when(
      filter.category,
      (code) => sql`${revisions} and r.category = ${code} order by r.expense_id`,
    ),
    ...(created.length === 0 ? [] : [sql`${expenses} and ${allOf(created)} order by e.created_at`]),
    ...when(
      minAmount ?? maxAmount,
      () => sql`${revisions} and r.amount_key >= ${amountKey(minAmount ?? 0n)}
        and r.amount_key <= ${maxAmount === undefined ? AFTER_EVERY_AMOUNT : amountKey(maxAmount)}
        order by r.amount_key`,
    ),
    ...when(
      words[0],
      (word) => sql`select w.expense_id as id from expense_words w
        where w.organization_id = ${organizationId} and ${begins(word)} order by w.word`,
    ),
  ]
}

/** A lookup of one row each, which leaves the planner no other way. */
const expenseOf = (organizationId: string, id: Sql): Sql => sql`
  cross join lateral (select * from expenses x
    where x.organization_id = ${organizationId} and x.id = ${id} limit 1) e`
const currentRevision = sql`
  cross join lateral (select * from expense_revisions x
    where x.organization_id = e.organization_id and x.expense_id = e.id
      and x.revision = e.current_revision limit 1) r`

/** The most recent rows along one index that has the order of the list, each with its verdict. */
function recentRows(search: ExpenseSearch, { beforeId, rows }: { beforeId: string; rows: number }) {
  const { organizationId, onlyOf, filter } = search
  const { recipientId, vaultId, category, states } = filter
  const submitter = onlyOf ?? filter.submitterAccountId
  const isByVault = vaultId !== undefined && !submitter && !states
  const matches = allOf([...ofExpense(search), ...ofRevision(search)])
  if (recipientId || category || isByVault) {
    const range = recipientId
      ? sql`r.recipient_id = ${recipientId}`
      : category
        ? sql`r.category = ${category}`
        : sql`r.vault_id = ${vaultId}`
    return sql`
      select e.id, e.current_revision = r.revision and ${matches} as matches
      from (select r.* ${revisionsOf(search)} and ${range} and r.expense_id < ${beforeId}
        order by r.expense_id desc limit ${rows}) r
      ${expenseOf(organizationId, sql`r.expense_id`)}
      order by e.id desc`
  }
  const newest = (condition: Sql) => sql`
    select e.* ${expensesOf(search)} and ${condition} and e.id < ${beforeId}
    order by e.id desc limit ${rows}`
  const range = submitter
    ? newest(sql`e.submitter_account_id = ${submitter}`)
    : states
      ? sql`${perState(states, newest(sql`e.state = s.state`))} order by k.id desc limit ${rows}`
      : newest(sql`true`)
  return sql`select e.id, ${matches} as matches from (${range}) e ${currentRevision}
    order by e.id desc`
}

export type ExpensePage = ExpenseSearch & { beforeId: string; limit: number }

/** The ids of the newest expenses that match, newest first. */
export async function listMatchingIds(tx: Tx, page: ExpensePage): Promise<string[]> {
  const { organizationId, beforeId, limit } = page
  if (page.filter.q !== undefined && page.words.length === 0) return []
  planEachTime(tx)
  const matches = allOf([sql`e.id < ${beforeId}`, ...ofExpense(page), ...ofRevision(page)])
  return listNewestMatches(tx, {
    limit,
    isOrdered: ofRevision(page).length === 0 && ofExpense(page).length === 1 && !isDated(page),
    recent: (rows) => recentRows(page, { beforeId, rows }),
    ranges: rangesOf(page),
    among: (ids) => sql`
      select e.id from (${ids}) i ${expenseOf(organizationId, sql`i.id`)} ${currentRevision}
      where ${matches} order by e.id desc limit ${limit}`,
    all: sql`
      with found as materialized (select e.id ${joined(page)} and ${matches})
      select id from found order by id desc limit ${limit}`,
  })
}

const joined = ({ organizationId }: ExpenseSearch): Sql => sql`
  from expenses e join expense_revisions r on r.organization_id = e.organization_id
    and r.expense_id = e.id and r.revision = e.current_revision
  where e.organization_id = ${organizationId}`

/** Filters differ too much in what they match for one plan. */
const planEachTime = (tx: Tx): void =>
  tx.write(sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`)

/** In the order of the ids. */
export async function listExpensesById(
  tx: Tx,
  { organizationId, ids }: { organizationId: string; ids: readonly string[] },
): Promise<ReturnType<typeof splitListedRow>[]> {
  const rows = await tx.query<ListedRow>(sql`
    select ${expenseColumns}, ${revisionTerms}, r.created_at as "revisedAt"
    from unnest(${ids}::uuid[]) with ordinality i (id, place)
    ${expenseOf(organizationId, sql`i.id`)} ${currentRevision}
    order by i.place`)
  return rows.map(splitListedRow)
}

export type StateCount = { state: ExpenseState; count: number }

export async function countByState(tx: Tx, search: ExpenseSearch): Promise<StateCount[]> {
  const { organizationId, filter, words } = search
  if (filter.q !== undefined && words.length === 0) return []
  planEachTime(tx)
  const revision = ofRevision(search)
  const conditions = allOf([...ofExpense(search), ...revision])
  const counted = sql`select e.state, count(*) as count`
  if (revision.length === 0) {
    return tx.query<StateCount>(
      sql`${counted} ${expensesOf(search)} and ${conditions} group by e.state`,
    )
  }
  const ids = await findSmallestRange(tx, rangesOf(search))
  const rows = ids
    ? sql`from (${ids}) i ${expenseOf(organizationId, sql`i.id`)} ${currentRevision}
        where ${conditions}`
    : sql`${joined(search)} and ${conditions}`
  return tx.query<StateCount>(sql`${counted} ${rows} group by e.state`)
}
