/**
 * SQL for filtered lists and counts of expenses. State, submitter, recipient, vault and category
 * have indexes in the order of the list; dates, amounts and words do not, and are searched in two
 * steps (`platform/newest-matches.ts`).
 */
import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'
import { listNewestMatches } from '#platform/newest-matches.ts'
import type { ExpenseState } from './expense.machine.ts'
import type { ExpenseFilter } from './expense-filter.ts'
import { expenseColumns, type ListedRow, revisionTerms, splitListedRow } from './expenses.store.ts'

export type ExpenseSearch = {
  organizationId: string
  /** The only submitter whose expenses the caller may see; null for all. */
  onlyOf: string | null
  filter: ExpenseFilter
}

type Conditions = { ofExpense: Sql[]; ofRevision: Sql[] }

const both = ({ ofExpense, ofRevision }: Conditions): Sql => {
  const all = [...ofExpense, ...ofRevision]
  return all.length === 0 ? sql`true` : join(all, ' and ')
}

/** With an index that ends with the expense's id. States are handled where the rows are read. */
function orderedConditions({ organizationId, onlyOf, filter }: ExpenseSearch): Conditions {
  const { submitterAccountId, recipientId, vaultId, category } = filter
  return {
    ofExpense: [
      sql`e.organization_id = ${organizationId}`,
      ...(onlyOf === null ? [] : [sql`e.submitter_account_id = ${onlyOf}`]),
      ...(submitterAccountId ? [sql`e.submitter_account_id = ${submitterAccountId}`] : []),
    ],
    ofRevision: [
      ...(recipientId ? [sql`r.recipient_id = ${recipientId}`] : []),
      ...(vaultId ? [sql`r.vault_id = ${vaultId}`] : []),
      ...(category ? [sql`r.category = ${category}`] : []),
    ],
  }
}

function scatteredConditions({ organizationId, filter }: ExpenseSearch): Conditions {
  const { from, before, minAmount, maxAmount, q } = filter
  return {
    ofExpense: [
      ...(from ? [sql`e.created_at >= ${from}`] : []),
      ...(before ? [sql`e.created_at < ${before}`] : []),
    ],
    ofRevision: [
      ...(minAmount === undefined ? [] : [sql`r.amount >= ${minAmount}`]),
      ...(maxAmount === undefined ? [] : [sql`r.amount <= ${maxAmount}`]),
      ...(q === undefined ? [] : [matches(organizationId, q)]),
    ],
  }
}

/** Whether a revision `r` has the words of a search. The expression is that of the index. */
const matches = (organizationId: string, q: string): Sql => sql`
  expense_search(r.organization_id, r.purpose, r.reference, r.recipient_label)
    @@ expense_search_query(${organizationId}, ${q})`

const isEmpty = ({ ofExpense, ofRevision }: Conditions): boolean =>
  ofExpense.length + ofRevision.length === 0

const withRevision = (isNeeded: boolean): Sql =>
  isNeeded
    ? sql`join expense_revisions r on r.organization_id = e.organization_id
        and r.expense_id = e.id and r.revision = e.current_revision`
    : empty

/** The newest rows in the order of the list, one index range per state. */
function newest(
  search: ExpenseSearch,
  { columns, beforeId, limit }: { columns: Sql; beforeId: string; limit: number },
): Sql {
  const conditions = orderedConditions(search)
  const isJoined =
    conditions.ofRevision.length > 0 || scatteredConditions(search).ofRevision.length > 0
  const rows = (state: Sql) => sql`
    select ${columns} from expenses e ${withRevision(isJoined)}
    where ${both(conditions)} and e.id < ${beforeId} ${state}
    order by e.id desc limit ${limit}`
  const { states } = search.filter
  if (states === undefined) return rows(empty)
  return sql`
    select k.* from unnest(${states}::text[]) s (state)
    cross join lateral (${rows(sql`and e.state = s.state`)}) k
    order by k.id desc limit ${limit}`
}

export type ExpensePage = ExpenseSearch & { beforeId: string; limit: number }

/** The ids of the newest expenses that match, newest first. */
export async function listMatchingIds(tx: Tx, page: ExpensePage): Promise<string[]> {
  const { beforeId, limit } = page
  planEachTime(tx)
  const scattered = scatteredConditions(page)
  if (isEmpty(scattered)) {
    const rows = await tx.query<{ id: string }>(
      newest(page, { columns: sql`e.id`, beforeId, limit }),
    )
    return rows.map(({ id }) => id)
  }
  return listNewestMatches({
    limit,
    async listRecent(rows) {
      const columns = sql`e.id, ${both(scattered)} as matches`
      const seen = await tx.query<{ id: string; matches: boolean }>(
        newest(page, { columns, beforeId, limit: rows }),
      )
      const ids = seen.filter((row) => row.matches).map(({ id }) => id)
      return { ids: ids.slice(0, limit), isComplete: seen.length < rows }
    },
    async listAll() {
      const rows = await tx.query<{ id: string }>(sql`
        with found as materialized (${allMatching(page, sql`e.id`, sql`and e.id < ${beforeId}`)})
        select id from found order by id desc limit ${limit}`)
      return rows.map(({ id }) => id)
    },
  })
}

function allMatching(search: ExpenseSearch, columns: Sql, more: Sql = empty): Sql {
  const [ordered, scattered] = [orderedConditions(search), scatteredConditions(search)]
  const { states } = search.filter
  const state = states === undefined ? empty : sql`and e.state = any(${states}::text[])`
  return sql`
    select ${columns} from expenses e
    ${withRevision(ordered.ofRevision.length + scattered.ofRevision.length > 0)}
    where ${both(ordered)} and ${both(scattered)} ${state} ${more}`
}

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
    cross join lateral (select * from expenses x
      where x.organization_id = ${organizationId} and x.id = i.id limit 1) e
    cross join lateral (
      select * from expense_revisions c where c.organization_id = e.organization_id
        and c.expense_id = e.id and c.revision = e.current_revision limit 1) r
    order by i.place`)
  return rows.map(splitListedRow)
}

export type StateCount = { state: ExpenseState; count: number }

export async function countByState(tx: Tx, search: ExpenseSearch): Promise<StateCount[]> {
  planEachTime(tx)
  return tx.query<StateCount>(sql`
    ${allMatching(search, sql`e.state, count(*) as count`)} group by e.state`)
}
