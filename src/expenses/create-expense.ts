/** The first revision, as a draft; mints the payment id that the expense keeps for ever. */
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Member } from '#organizations/permissions.ts'
import type { Tx } from '#platform/database.ts'
import { AppError } from '#platform/errors.ts'
import { type Answer, type IdempotentRequest, once } from '#platform/idempotency.ts'
import { type ExpenseRecord, type ExpenseTerms, requirePlausible } from './expense.ts'
import { findExpense, insertExpense } from './expenses.store.ts'
import { toExpenseRecord } from './read-expenses.ts'
import { writeRevision } from './write-revision.ts'

export type CreateExpense = { actor: Member; terms: ExpenseTerms; request: IdempotentRequest }

type CreateContext = Pick<Context, 'db' | 'clock' | 'ids'>

export async function createExpense(
  ctx: CreateContext,
  { actor, terms, request }: CreateExpense,
): Promise<Answer<ExpenseRecord>> {
  requirePlausible(terms)
  return asMember(ctx, actor, (tx) =>
    once(tx, request, { at: ctx.clock.now(), work: () => insert(ctx, tx, { actor, terms }) }),
  )
}

async function insert(
  ctx: CreateContext,
  tx: Tx,
  { actor, terms }: Omit<CreateExpense, 'request'>,
): Promise<ExpenseRecord> {
  const { organizationId, accountId } = actor
  const [expenseId, paymentId] = [ctx.ids.next(), ctx.ids.next()]
  await insertExpense(tx, {
    id: expenseId,
    organizationId,
    submitterAccountId: accountId,
    paymentId,
    at: ctx.clock.now(),
  })
  const versionHash = await writeRevision(ctx, tx, {
    actor,
    expenseId,
    revision: 1,
    terms,
    reason: null,
  })
  await recordChange(ctx, tx, {
    organizationId,
    actor: asActor(actor),
    action: 'expense.create',
    aggregateType: 'expense',
    aggregateId: expenseId,
    data: { to: 'draft', revision: 1, paymentId, versionHash },
    live: {
      kind: 'expense.changed',
      aggregateType: 'expense',
      targetState: 'draft',
      severity: 'healthy',
      code: null,
    },
  })
  const expense = await findExpense(tx, { organizationId, expenseId, onlyOf: accountId })
  if (!expense) throw new AppError('forbidden')
  return toExpenseRecord(tx, expense)
}
