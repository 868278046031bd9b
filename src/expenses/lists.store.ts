/** SQL for filtered lists and counts of expenses (`platform/newest-matches.ts`). */
import sql, { join, type Sql } from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'
import { fixedLimit } from '#platform/database/fixed-limit.ts'
import {
  allOf,
  listNewestMatches,
  type NewestMatches,
  RANGE_ROWS,
  when,
} from '#platform/newest-matches.ts'
import { LAST_ID } from '#platform/paging.ts'
import type { ExpenseState } from './expense.machine.ts'
import type { ExpenseFilter } from './expense-filter.ts'
import { listedExpenseText, type RenderedRow } from './expense-texts.store.ts'
import { amountKey } from './expenses.store.ts'
import { isIndexedWord, isWordOfRevision, listUnindexed } from './words.store.ts'

export type ExpenseSearch = {
  organizationId: string
  /** The only submitter whose expenses the caller may see; null for all. */
  onlyOf: string | null
  filter: ExpenseFilter
  /** Of the filter's `q`, from `findSearchWords`. */
  words: readonly string[]
}

const cut = (word: string): string => [...word].slice(0, 60).join('')

/** The words of a text as the search stores them, the longest first. */
export async function findSearchWords(tx: Tx, q: string | undefined): Promise<string[]> {
  if (q === undefined) return []
  const [row] = await tx.query<{ words: string }>(sql`select search_words(${q}) as words`)
  const words = new Set(
    (row?.words ?? '')
      .split(' ')
      .filter((word) => word !== '')
      .map(cut),
  )
  return [...words].sort((a, b) => b.length - a.length)
}

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
  ...words.map(isWordOfRevision),
]

const expensesOf = ({ organizationId }: ExpenseSearch): Sql =>
  sql`from expenses e where e.organization_id = ${organizationId}`
const revisionsOf = ({ organizationId }: ExpenseSearch): Sql =>
  sql`from expense_revisions r where r.organization_id = ${organizationId}`

const perState = (states: readonly ExpenseState[], rows: Sql): Sql => sql`
  select k.* from unnest(${states}::text[]) s (state) cross join lateral (${rows}) k`

/** The index ranges of the filter: see `FilteredRows`. */
function rangesOf(search: ExpenseSearch, unindexed: readonly string[]): Sql[] {
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
    ...words
      .map(
        (word) => sql`select w.expense_id as id from expense_words w
        where w.organization_id = ${organizationId} and ${isIndexedWord(word)} order by w.word`,
      )
      .map((range) => withUnindexed(range, unindexed)),
  ]
}

/** A range of words with the expenses that may belong to it. */
const withUnindexed = (range: Sql, unindexed: readonly string[]): Sql =>
  unindexed.length === 0
    ? range
    : sql`(${range} limit ${RANGE_ROWS}) union all select unnest(${unindexed}::uuid[])`

/** A lookup of one row each, which leaves the planner no other way. */
const expenseOf = (organizationId: string, id: Sql): Sql => sql`
  cross join lateral (select * from expenses x
    where x.organization_id = ${organizationId} and x.id = ${id} limit 1) e`
/** The words are computed only where a condition reads them. */
const revisionWithWords = sql`
  select x.*, revision_words(x.purpose, x.reference, x.recipient_label) as words
  from expense_revisions x`
const currentRevision = sql`
  cross join lateral (${revisionWithWords}
    where x.organization_id = e.organization_id and x.expense_id = e.id
      and x.revision = e.current_revision limit 1) r`

/** Words that begin alike; with more of them an index range of each is no longer cheap. */
const WORDS_MAX = 8

/** The stored words that begin like the first one; undefined if there are more than a few. */
async function findStoredWords(
  tx: Tx,
  { organizationId, words: [first] }: ExpenseSearch,
): Promise<string[] | undefined> {
  if (first === undefined) return undefined
  const next = (after: Sql) => sql`
    (select w.word from expense_words w where w.organization_id = ${organizationId}
      and ${isIndexedWord(first)} and ${after} order by w.word limit 1)`
  const rows = await tx.query<{ word: string }>(sql`
    with recursive stored (word, number) as (
      select w.word, 1 from ${next(sql`true`)} w
      union all
      select ${next(sql`w.word > s.word`)}, s.number + 1 from stored s
      where s.word is not null and s.number <= ${WORDS_MAX})
    select word from stored where word is not null`)
  return rows.length > WORDS_MAX ? undefined : rows.map(({ word }) => word)
}

type Occurrences = {
  beforeId: string
  rows: number
  storedWords: readonly string[]
  unindexed: readonly string[]
}
type Recent = Omit<Occurrences, 'storedWords'> & {
  storedWords: readonly string[] | undefined
}

/** The most recent rows along one index that has the order of the list, each with its verdict. */
function recentRows(
  search: ExpenseSearch,
  { beforeId, rows, storedWords, unindexed }: Recent,
): Sql {
  const { organizationId, onlyOf, filter } = search
  const { recipientId, vaultId, category, states } = filter
  const submitter = onlyOf ?? filter.submitterAccountId
  const isByVault = vaultId !== undefined && !submitter && !states && !isDated(search)
  const matches = allOf([...ofExpense(search), ...ofRevision(search)])
  const ofRevisions = (revisions: Sql) => sql`
    select e.id, e.current_revision = r.revision and ${matches} as matches
    from (${revisions} order by expense_id desc limit ${rows}) i
    ${expenseOf(organizationId, sql`i.expense_id`)}
    cross join lateral (${revisionWithWords}
      where x.organization_id = e.organization_id and x.expense_id = e.id
        and x.revision = i.revision limit 1) r
    order by e.id desc`
  if (storedWords)
    return ofRevisions(occurrences(search, { beforeId, storedWords, unindexed, rows }))
  if (recipientId || category || isByVault) {
    const range = recipientId
      ? sql`r.recipient_id = ${recipientId}`
      : category
        ? sql`r.category = ${category}`
        : sql`r.vault_id = ${vaultId}`
    return ofRevisions(sql`
      select r.expense_id, r.revision ${revisionsOf(search)} and ${range}
        and r.expense_id < ${beforeId}`)
  }
  const newest = (condition: Sql) => sql`
    select e.* ${expensesOf(search)} and ${condition} and e.id < ${beforeId}
    order by e.id desc limit ${rows}`
  const range = submitter
    ? newest(sql`e.submitter_account_id = ${submitter}`)
    : states
      ? sql`${perState(states, newest(sql`e.state = s.state`))} order by k.id desc limit ${rows}`
      : isDated(search)
        ? sql`select e.* from (${newestCreated(search, beforeId)} limit ${rows}) i
            ${expenseOf(organizationId, sql`i.id`)}`
        : newest(sql`true`)
  return sql`select e.id, ${matches} as matches from (${range}) e ${currentRevision}
    order by e.id desc`
}

/**
 * Newest first; the branches are merged, so that only as many rows are read as are needed. Each has
 * the limit too, without which the planner may read and sort all of a branch.
 */
function occurrences(
  { organizationId }: ExpenseSearch,
  { beforeId, storedWords, unindexed, rows }: Occurrences,
): Sql {
  const branches = storedWords.map(
    (word) => sql`
      (select w.expense_id, w.revision from expense_words w
       where w.organization_id = ${organizationId} and w.word = ${word}
         and w.expense_id < ${beforeId} order by w.expense_id desc limit ${rows})`,
  )
  const indexed =
    branches.length === 0
      ? sql`select null::uuid as expense_id, 0 as revision where false`
      : sql`select * from (${join(branches, ' union all ')}) w`
  if (unindexed.length === 0) return indexed
  // Within a limit of its own, since the others are in no order that the planner knows.
  return sql`select * from ((${indexed} order by expense_id desc limit ${rows})
    union all ${revisionsAmong(organizationId, { beforeId, unindexed })}) w`
}

/** The newest revision of each; only that one can match. */
const revisionsAmong = (
  organizationId: string,
  { beforeId, unindexed }: Pick<Occurrences, 'beforeId' | 'unindexed'>,
): Sql => sql`
  (select r.expense_id, r.revision
   from (select i.id from unnest(${unindexed}::uuid[]) i (id) where i.id < ${beforeId}
     order by i.id desc) i
   cross join lateral (select x.expense_id, x.revision from expense_revisions x
     where x.organization_id = ${organizationId} and x.expense_id = i.id
     order by x.expense_id desc, x.revision desc limit 1) r)`

/**
 * The process that creates an expense takes its id and its time from one clock, so both have the
 * same order but for a clock that was set back: an hour is allowed for that.
 */
const newestCreated = (search: ExpenseSearch, beforeId: string): Sql => sql`
  select e.id ${expensesOf(search)} and ${allOf(createdWithin(search.filter))}
    and e.created_at <= coalesce((select x.created_at + interval '1 hour' from expenses x
      where x.organization_id = ${search.organizationId} and x.id = ${beforeId}), 'infinity')
    and e.id < ${beforeId}
  order by e.created_at desc, e.id desc`

/** See `recentRows`: with one filter it reads an index of that filter. */
function matchingOf(
  search: ExpenseSearch,
  storedWords: readonly string[] | undefined,
): 'all' | 'most' | 'any' {
  const { from, before, ...others } = search.filter
  const filters = Object.keys(others).length + (search.onlyOf ? 1 : 0) + (isDated(search) ? 1 : 0)
  if (filters !== 1) return 'any'
  if (search.onlyOf || others.submitterAccountId || others.states) return 'all'
  const { recipientId, vaultId, category } = others
  const isByWord = storedWords !== undefined && search.words.length === 1
  return recipientId || vaultId || category || isDated(search) || isByWord ? 'most' : 'any'
}

export type ExpensePage = ExpenseSearch & { beforeId: string; limit: number }

/** The ids of the newest expenses that match, newest first. */
export async function listMatchingIds(tx: Tx, page: ExpensePage): Promise<NewestMatches> {
  const { organizationId, beforeId, limit } = page
  if (page.filter.q !== undefined && page.words.length === 0) return { ids: [], stoppedAt: null }
  planEachTime(tx)
  const matches = allOf([sql`e.id < ${beforeId}`, ...ofExpense(page), ...ofRevision(page)])
  // First: words that are indexed meanwhile are found twice, not missed.
  const unindexed = page.words.length === 0 ? [] : await listUnindexed(tx, organizationId)
  const storedWords = await findStoredWords(tx, page)
  return listNewestMatches(tx, {
    limit,
    matching: matchingOf(page, storedWords),
    recent: (rows) => recentRows(page, { beforeId, rows, storedWords, unindexed }),
    ranges: rangesOf(page, unindexed),
    among: (ids) => sql`
      select e.id from (${ids}) i ${expenseOf(organizationId, sql`i.id`)} ${currentRevision}
      where ${matches} order by e.id desc limit ${limit}`,
  })
}

/** Filters differ too much in what they match for one plan. */
const planEachTime = (tx: Tx): void =>
  tx.write(sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`)

type Ids = { organizationId: string; ids: readonly string[] }

/** In the order of the ids. */
export const listExpensesById = (tx: Tx, { organizationId, ids }: Ids): Promise<RenderedRow[]> =>
  tx.query<RenderedRow>(sql`
    select e.id, ${listedExpenseText} as body
    from unnest(${ids}::uuid[]) with ordinality i (id, place)
    ${expenseOf(organizationId, sql`i.id`)} ${currentRevision}
    order by i.place`)

export type StateCount = { state: ExpenseState; count: number }

/** Counting ends here: otherwise it would take longer the more there are. */
export const COUNT_MAX = 100

export type CountedStates = {
  counts: StateCount[]
  /** False if there are more than were counted. */
  isComplete: boolean
}

/** The states alone are counted one by one, so that a large one does not hide the others. */
export async function countByState(
  tx: Tx,
  { states, ...search }: ExpenseSearch & { states: readonly ExpenseState[] },
): Promise<CountedStates> {
  const { organizationId, onlyOf, filter } = search
  const { states: wanted = states, ...others } = filter
  if (onlyOf === null && Object.keys(others).length === 0) {
    const ofState = sql`select ${expensesOf(search)} and e.state = s.state ${fixedLimit(COUNT_MAX)}`
    const counts = await tx.query<StateCount>(sql`
      select s.state, (select count(*) from (${ofState}) k) as count
      from unnest(${wanted}::text[]) s (state)`)
    return { counts, isComplete: counts.every(({ count }) => count < COUNT_MAX) }
  }
  const page = { ...search, beforeId: LAST_ID, limit: COUNT_MAX }
  const { ids, stoppedAt } = await listMatchingIds(tx, page)
  const counts = await countStatesOf(tx, { organizationId, ids })
  return { counts, isComplete: stoppedAt === null && ids.length < COUNT_MAX }
}

export const countStatesOf = (tx: Tx, { organizationId, ids }: Ids): Promise<StateCount[]> =>
  tx.query<StateCount>(sql`
    select e.state, count(*) as count from unnest(${ids}::uuid[]) i (id)
    ${expenseOf(organizationId, sql`i.id`)} group by e.state`)
