/** Reads an expense: employees see their own, owners and managers all of the organization. */
import { isManager, type Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import type { Reader } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { type Page, toPaged } from '#platform/paging.ts'
import { findRenderedExpense, listComments, type RenderedExpense } from './expense-texts.store.ts'
import { COMMENTS_SHOWN, expenseText, pageText } from './expense-texts.ts'
import { type ExpenseRow, findExpense } from './expenses.store.ts'

/** The only account whose expenses this member may see; null for all. */
export const visibleTo = (member: Member): string | null =>
  isManager(member) ? null : member.accountId

type Reading = { member: Member; expenseId: string }

export const findVisibleExpense = (
  reader: Reader,
  { member, expenseId }: Reading,
): Promise<RenderedExpense | undefined> =>
  findRenderedExpense(reader, {
    organizationId: member.organizationId,
    expenseId,
    onlyOf: visibleTo(member),
    comments: COMMENTS_SHOWN,
  })

/** JSON, as the API answers it. */
export function toExpenseAnswer(found: RenderedExpense | undefined): string {
  if (!found) throw new AppError('not_found')
  return expenseText(found)
}

export const readExpense = async (ctx: Pick<Context, 'db'>, reading: Reading): Promise<string> =>
  toExpenseAnswer(
    await ctx.db.read(scopeOf(reading.member), (reader) => findVisibleExpense(reader, reading)),
  )

/** After a change by somebody who may see the expense. */
export const readChanged = async (
  reader: Reader,
  { organizationId, id: expenseId }: ExpenseRow,
): Promise<string> => {
  const key = { organizationId, expenseId, onlyOf: null }
  return toExpenseAnswer(await findRenderedExpense(reader, { ...key, comments: COMMENTS_SHOWN }))
}

/** JSON of a page, newest first. */
export async function readComments(
  ctx: Pick<Context, 'db'>,
  { member, expenseId, page }: { member: Member; expenseId: string; page: Page },
): Promise<string> {
  const key = { organizationId: member.organizationId, expenseId }
  const [expense, rows] = await ctx.db.read(scopeOf(member), (reader) =>
    Promise.all([
      findExpense(reader, { ...key, onlyOf: visibleTo(member) }),
      listComments(reader, { ...key, page }),
    ]),
  )
  if (!expense) throw new AppError('not_found')
  return pageText('comments', toPaged(rows, { limit: page.limit, idOf: ({ id }) => id }))
}
