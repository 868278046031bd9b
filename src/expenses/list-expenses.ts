/** Lists and counts expenses: employees see their own, owners and managers all. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import type { Reader, Tx } from '#platform/database/database.ts'
import { statesOf } from '#platform/machine.ts'
import type { NewestMatches } from '#platform/newest-matches.ts'
import { cursorAfter, LAST_ID, type Page, type Paged, toPaged } from '#platform/paging.ts'
import { type ExpenseState, expenseMachine } from './expense.machine.ts'
import { type ExpenseFilter, isFiltered } from './expense-filter.ts'
import { listExpenses, type RenderedRow } from './expense-texts.store.ts'
import { pageText, withChecksums } from './expense-texts.ts'
import {
  COUNT_MAX,
  countByState,
  countStatesOf,
  findSearchWords,
  listExpensesById,
  listMatchingIds,
  type StateCount,
} from './lists.store.ts'
import { visibleTo } from './read-expenses.ts'

/**
 * Tells which expenses wait for a member. Tasks decide that and come later in the order of modules,
 * so `app.ts` passes it in.
 */
export type Waiting = {
  /** The only states in which an expense can wait for somebody. */
  states: readonly ExpenseState[]
  select(tx: Tx, input: { member: Member; expenseIds: readonly string[] }): Promise<Set<string>>
}

export type ListContext = Pick<Context, 'db'> & { waiting: Waiting }

type Listing = { member: Member; filter: ExpenseFilter; waitingFor?: 'me' }

/** The rows of a page without filters. */
export const listNewest = (reader: Reader, { member, page }: { member: Member; page: Page }) =>
  listExpenses(reader, {
    organizationId: member.organizationId,
    onlyOf: visibleTo(member),
    page,
  })

export const toExpensePage = (rows: readonly RenderedRow[], { limit }: Page): string =>
  expensePage(toPaged(rows, { limit, idOf: ({ id }) => id }))

const expensePage = (page: Paged<RenderedRow>): string => withChecksums(pageText('expenses', page))

export async function readExpenses(
  ctx: ListContext,
  { member, page, filter, waitingFor }: Listing & { page: Page },
): Promise<string> {
  const { organizationId } = member
  const onlyOf = visibleTo(member)
  if (!waitingFor && !isFiltered(filter)) {
    const rows = await ctx.db.read(scopeOf(member), (reader) =>
      listNewest(reader, { member, page }),
    )
    return toExpensePage(rows, page)
  }
  return ctx.db.transaction(scopeOf(member), async (tx) => {
    const words = await findSearchWords(tx, filter.q)
    const { limit, beforeId } = page
    const search = { organizationId, onlyOf, filter, words, beforeId, limit: limit + 1 }
    const { items: ids, nextCursor } = waitingFor
      ? await listWaiting(ctx, tx, { member, page, filter, words })
      : toPage(await listMatchingIds(tx, search), limit)
    const rows = await listExpensesById(tx, { organizationId, ids })
    return expensePage({ items: rows, nextCursor })
  })
}

/** A page may be shorter than its limit although there is a next one. */
function toPage({ ids, stoppedAt }: NewestMatches, limit: number): Paged<string> {
  if (ids.length > limit || !stoppedAt) return toPaged(ids, { limit, idOf: (id) => id })
  return { items: ids, nextCursor: cursorAfter(stoppedAt) }
}

/** Each candidate is judged by itself, so one request judges a limited number. */
const CANDIDATES_PER_STEP = { first: 50, most: 200 }
const CANDIDATES_MAX = 1_000

type Candidates = { waiting: string[]; lastId: string; isComplete: boolean }

type Judging = Listing & { words: readonly string[] }

/** Judges candidates from `beforeId` on, until `enough` of them wait for the member. */
async function judgeCandidates(
  { waiting }: ListContext,
  tx: Tx,
  { member, filter, words, beforeId, enough }: Judging & { beforeId: string; enough: number },
): Promise<Candidates> {
  const { organizationId } = member
  const { states = waiting.states } = filter
  const open = states.filter((state) => waiting.states.includes(state))
  const search = {
    organizationId,
    onlyOf: visibleTo(member),
    filter: { ...filter, states: open },
    words,
  }
  let limit = CANDIDATES_PER_STEP.first
  const found: Candidates = { waiting: [], lastId: beforeId, isComplete: open.length === 0 }
  for (let judged = 0; judged < CANDIDATES_MAX && !found.isComplete; ) {
    const { ids: expenseIds, stoppedAt } = await listMatchingIds(tx, {
      ...search,
      limit,
      beforeId: found.lastId,
    })
    const selected = await waiting.select(tx, { member, expenseIds })
    found.waiting.push(...expenseIds.filter((id) => selected.has(id)))
    judged += stoppedAt ? limit : expenseIds.length
    found.lastId = stoppedAt ?? expenseIds.at(-1) ?? found.lastId
    found.isComplete = stoppedAt === null && expenseIds.length < limit
    limit = Math.min(2 * limit, CANDIDATES_PER_STEP.most, CANDIDATES_MAX - judged)
    if (found.waiting.length >= enough) break
  }
  return found
}

async function listWaiting(
  ctx: ListContext,
  tx: Tx,
  { page, ...listing }: Judging & { page: Page },
): Promise<Paged<string>> {
  const { limit, beforeId } = page
  const found = await judgeCandidates(ctx, tx, { ...listing, beforeId, enough: limit + 1 })
  if (found.waiting.length > limit) {
    return toPaged(found.waiting, { limit, idOf: (id) => id })
  }
  return {
    items: found.waiting,
    nextCursor: found.isComplete ? null : cursorAfter(found.lastId),
  }
}

export type ExpenseCounts = {
  counts: Record<ExpenseState, number>
  total: number
  /** False when there are more expenses than one request counts or judges. */
  isComplete: boolean
}

export async function countExpenses(
  ctx: ListContext,
  { member, filter, waitingFor }: Listing,
): Promise<ExpenseCounts> {
  const { organizationId } = member
  return ctx.db.transaction(scopeOf(member), async (tx) => {
    const words = await findSearchWords(tx, filter.q)
    if (!waitingFor) {
      const states = statesOf(expenseMachine)
      const search = { organizationId, onlyOf: visibleTo(member), filter, words, states }
      const { counts, isComplete } = await countByState(tx, search)
      return toCounts(counts, isComplete)
    }
    const all = { member, filter, words, beforeId: LAST_ID, enough: COUNT_MAX }
    const { waiting, isComplete } = await judgeCandidates(ctx, tx, all)
    return toCounts(await countStatesOf(tx, { organizationId, ids: waiting }), isComplete)
  })
}

function toCounts(counted: readonly StateCount[], isComplete: boolean): ExpenseCounts {
  const counts = Object.fromEntries(statesOf(expenseMachine).map((state) => [state, 0])) as Record<
    ExpenseState,
    number
  >
  for (const { state, count } of counted) counts[state] = count
  const total = counted.reduce((sum, { count }) => sum + count, 0)
  return { counts, total, isComplete }
}
