/** Reads expenses: employees see their own, owners and managers all of the organization. */
import { isManager, type Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import type { Reader } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { type Page, type Paged, toPaged } from '#platform/paging.ts'
import { type ExpenseRecord, type ListedExpense, toRevisionRecord } from './expense.ts'
import {
  type CommentRow,
  type ExpenseRow,
  findExpense,
  listComments,
  listExpenses,
  listRevisions,
  type RevisionRow,
} from './expenses.store.ts'

/** The only account whose expenses this member may see; null for all. */
export const visibleTo = (member: Member): string | null =>
  isManager(member) ? null : member.accountId

export async function readExpense(
  ctx: Pick<Context, 'db'>,
  { member, expenseId }: { member: Member; expenseId: string },
): Promise<ExpenseRecord> {
  const key = { organizationId: member.organizationId, expenseId }
  const [expense, revisions, comments] = await ctx.db.read(scopeOf(member), (reader) =>
    Promise.all([
      findExpense(reader, { ...key, onlyOf: visibleTo(member) }),
      listRevisions(reader, key),
      listComments(reader, key),
    ]),
  )
  if (!expense) throw new AppError('not_found')
  return expenseRecord(expense, revisions, comments)
}

export async function toExpenseRecord(reader: Reader, expense: ExpenseRow): Promise<ExpenseRecord> {
  const key = { organizationId: expense.organizationId, expenseId: expense.id }
  const [revisions, comments] = await Promise.all([
    listRevisions(reader, key),
    listComments(reader, key),
  ])
  return expenseRecord(expense, revisions, comments)
}

function expenseRecord(
  expense: ExpenseRow,
  rows: readonly RevisionRow[],
  comments: CommentRow[],
): ExpenseRecord {
  const revisions = rows.map(toRevisionRecord)
  const current = revisions.find(({ revision }) => revision === expense.currentRevision)
  if (!current) throw new Error(`Expense ${expense.id} has no current revision`)
  return { ...expense, revision: current, revisions, comments }
}

export async function readExpenses(
  ctx: Pick<Context, 'db'>,
  { member, page }: { member: Member; page: Page },
): Promise<Paged<ListedExpense>> {
  const { organizationId } = member
  const rows = await ctx.db.read(scopeOf(member), (reader) =>
    listExpenses(reader, { organizationId, onlyOf: visibleTo(member), page }),
  )
  const paged = toPaged(rows, { limit: page.limit, idOf: ({ expense }) => expense.id })
  const items = paged.items.map(({ expense, revision }) => ({
    ...expense,
    revision: toRevisionRecord(revision),
  }))
  return { items, nextCursor: paged.nextCursor }
}
