/** Adds a comment, which never changes the state. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import { AppError } from '#platform/errors.ts'
import { lockVisibleExpense } from './change-expense.ts'
import { requireVisibleText } from './expense.ts'
import { expenseActions } from './expenses.actions.ts'
import { countComments, insertComment } from './expenses.store.ts'
import { readChanged } from './read-expenses.ts'

/** More are not a conversation any more. Counting them takes some milliseconds at the most. */
export const COMMENTS_MAX = 20_000

export async function commentOnExpense(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { actor, expenseId, body }: { actor: Member; expenseId: string; body: string },
): Promise<string> {
  requireVisibleText('body', body)
  const { organizationId, accountId } = actor
  return asMember(ctx, actor, async (tx) => {
    const expense = await lockVisibleExpense(tx, { actor, expenseId })
    if ((await countComments(tx, { organizationId, expenseId })) >= COMMENTS_MAX) {
      throw new AppError('validation_failed', {
        message: `An expense has at most ${COMMENTS_MAX} comments. This one was not added.`,
      })
    }
    const id = ctx.ids.next()
    insertComment(tx, {
      id,
      organizationId,
      expenseId,
      authorAccountId: accountId,
      body,
      at: ctx.clock.now(),
    })
    await recordChange(ctx, tx, {
      organizationId,
      actor: asActor(actor),
      action: expenseActions.comment,
      aggregateType: 'expense',
      aggregateId: expenseId,
      data: { commentId: id },
      live: {
        kind: 'expense.changed',
        aggregateType: 'expense',
        targetState: expense.state,
        severity: 'healthy',
        code: 'commented',
      },
    })
    return readChanged(tx, expense)
  })
}
