/** Reads an expense: employees see their own, owners and managers all of the organization. */
import { requiredApprovals } from '@countersign/proof/execution.ts'
import { checksummed } from '@countersign/proof/values.ts'
import { isManager, type Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import type { Reader } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { type Page, type Paged, readPage, toPaged } from '#platform/paging.ts'
import { type ListedApproval, listRemarks } from './decisions.store.ts'
import { type ExpenseRecord, toRevisionRecord } from './expense.ts'
import {
  type CommentRow,
  type ExpenseKey,
  type ExpenseRow,
  findExpense,
  findTiers,
  listComments,
  listRevisions,
} from './expenses.store.ts'

/** The only account whose expenses this member may see; null for all. */
export const visibleTo = (member: Member): string | null =>
  isManager(member) ? null : member.accountId

type Reading = { member: Member; expenseId: string }

/** Queries of one message. */
export const findVisibleExpense = (reader: Reader, { member, expenseId }: Reading) => {
  const key = { organizationId: member.organizationId, expenseId }
  return Promise.all([
    findExpense(reader, { ...key, onlyOf: visibleTo(member) }),
    listParts(reader, key),
  ])
}

type Found = Awaited<ReturnType<typeof findVisibleExpense>>

export function toVisibleRecord([expense, parts]: Found): ExpenseRecord {
  if (!expense) throw new AppError('not_found')
  return expenseRecord(expense, parts)
}

export const readExpense = async (
  ctx: Pick<Context, 'db'>,
  reading: Reading,
): Promise<ExpenseRecord> =>
  toVisibleRecord(
    await ctx.db.read(scopeOf(reading.member), (reader) => findVisibleExpense(reader, reading)),
  )

export async function toExpenseRecord(reader: Reader, expense: ExpenseRow): Promise<ExpenseRecord> {
  const key = { organizationId: expense.organizationId, expenseId: expense.id }
  return expenseRecord(expense, await listParts(reader, key))
}

/** A comment may have 16 kB, so an expense carries few; the others are read by page. */
const COMMENTS_SHOWN = readPage({ limit: 50 })

const pageOfComments = (rows: readonly CommentRow[], { limit }: Page): Paged<CommentRow> =>
  toPaged(rows, { limit, idOf: ({ id }) => id })

/** Newest first. */
export async function readComments(
  ctx: Pick<Context, 'db'>,
  { member, expenseId, page }: { member: Member; expenseId: string; page: Page },
): Promise<Paged<CommentRow>> {
  const key = { organizationId: member.organizationId, expenseId }
  const [expense, rows] = await ctx.db.read(scopeOf(member), (reader) =>
    Promise.all([
      findExpense(reader, { ...key, onlyOf: visibleTo(member) }),
      listComments(reader, { ...key, page }),
    ]),
  )
  if (!expense) throw new AppError('not_found')
  return pageOfComments(rows, page)
}

/** Queries of one message. */
const listParts = (reader: Reader, key: ExpenseKey) =>
  Promise.all([
    listRevisions(reader, key),
    listRemarks(reader, { ...key, commentLimit: COMMENTS_SHOWN.limit + 1 }),
    findTiers(reader, key),
  ])

const counts = (
  { state, expenseRevision }: ListedApproval,
  { currentRevision }: ExpenseRow,
): boolean => expenseRevision === currentRevision && (state === 'signed' || state === 'consumed')

function expenseRecord(
  expense: ExpenseRow,
  [rows, remarks, tiers]: Awaited<ReturnType<typeof listParts>>,
): ExpenseRecord {
  const { comments: commentRows, reviews, approvals } = remarks
  const revisions = rows.map(toRevisionRecord)
  const current = revisions.find(({ revision }) => revision === expense.currentRevision)
  if (!current) throw new Error(`Expense ${expense.id} has no current revision`)
  const comments = pageOfComments(commentRows, COMMENTS_SHOWN)
  return {
    ...expense,
    revision: current,
    revisions,
    comments: comments.items,
    commentsNextCursor: comments.nextCursor,
    reviews,
    approvals: approvals.map((approval) => ({
      ...approval,
      approverAddress: checksummed(approval.approverAddress),
    })),
    requiredApprovals: tiers ? requiredApprovals(tiers, BigInt(current.amountBaseUnits)) : null,
    signedApprovals: approvals.filter((one) => counts(one, expense)).length,
  }
}
