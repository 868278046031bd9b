/** Reads an expense: employees see their own, owners and managers all of the organization. */
import { checksummed } from '@countersign/proof/values.ts'
import { isManager, type Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import type { Reader } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { listApprovalsOf, listReviews } from './decisions.store.ts'
import { type ExpenseRecord, toRevisionRecord } from './expense.ts'
import {
  type ExpenseKey,
  type ExpenseRow,
  findExpense,
  listComments,
  listRevisions,
} from './expenses.store.ts'

/** The only account whose expenses this member may see; null for all. */
export const visibleTo = (member: Member): string | null =>
  isManager(member) ? null : member.accountId

export async function readExpense(
  ctx: Pick<Context, 'db'>,
  { member, expenseId }: { member: Member; expenseId: string },
): Promise<ExpenseRecord> {
  const key = { organizationId: member.organizationId, expenseId }
  const [expense, parts] = await ctx.db.read(scopeOf(member), (reader) =>
    Promise.all([
      findExpense(reader, { ...key, onlyOf: visibleTo(member) }),
      listParts(reader, key),
    ]),
  )
  if (!expense) throw new AppError('not_found')
  return expenseRecord(expense, parts)
}

export async function toExpenseRecord(reader: Reader, expense: ExpenseRow): Promise<ExpenseRecord> {
  const key = { organizationId: expense.organizationId, expenseId: expense.id }
  return expenseRecord(expense, await listParts(reader, key))
}

/** Queries of one message. */
const listParts = (reader: Reader, key: ExpenseKey) =>
  Promise.all([
    listRevisions(reader, key),
    listComments(reader, key),
    listReviews(reader, key),
    listApprovalsOf(reader, key),
  ])

function expenseRecord(
  expense: ExpenseRow,
  [rows, comments, reviews, approvals]: Awaited<ReturnType<typeof listParts>>,
): ExpenseRecord {
  const revisions = rows.map(toRevisionRecord)
  const current = revisions.find(({ revision }) => revision === expense.currentRevision)
  if (!current) throw new Error(`Expense ${expense.id} has no current revision`)
  return {
    ...expense,
    revision: current,
    revisions,
    comments,
    reviews,
    approvals: approvals.map((approval) => ({
      ...approval,
      approverAddress: checksummed(approval.approverAddress),
    })),
  }
}
