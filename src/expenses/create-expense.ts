/** Creates an expense as a draft with its first revision and its permanent payment id. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { type Answer, type IdempotentRequest, once } from '#platform/idempotency.ts'
import {
  type ExpenseTerms,
  type ListedExpense,
  type RevisionRecord,
  requireValidTerms,
  toRevisionRecord,
} from './expense.ts'
import { expenseActions } from './expenses.actions.ts'
import { insertExpense } from './expenses.store.ts'
import { composeRevision, findParties, type Parties } from './new-revision.ts'

export type CreateExpense = { actor: Member; terms: ExpenseTerms; request: IdempotentRequest }

/** Nobody has said anything about it yet. */
type NewExpense = ListedExpense & {
  revisions: RevisionRecord[]
  comments: []
  commentsNextCursor: null
  reviews: []
  approvals: []
  signedApprovals: 0
}

type CreateContext = Pick<Context, 'db' | 'clock' | 'ids'>

export async function createExpense(
  ctx: CreateContext,
  { actor, terms, request }: CreateExpense,
): Promise<Answer<NewExpense>> {
  requireValidTerms(terms)
  return asMember(ctx, actor, (tx) =>
    once(tx, request, {
      at: ctx.clock.now(),
      find: () => findParties(tx, actor, { terms, expenseId: null }),
      work: (parties) => insert(ctx, tx, { actor, terms, parties }),
    }),
  )
}

/** The answer is built from what is written, without reading it back. */
async function insert(
  ctx: CreateContext,
  tx: Tx,
  { actor, terms, parties }: Omit<CreateExpense, 'request'> & { parties: Parties },
): Promise<NewExpense> {
  const { organizationId, accountId } = actor
  const [expenseId, paymentId] = [ctx.ids.next(), ctx.ids.next()]
  const at = ctx.clock.now()
  const key = { id: expenseId, organizationId, submitterAccountId: accountId, paymentId }
  const composed = { actor, expenseId, revision: 1, terms, reason: null, parties }
  const first = composeRevision(ctx, composed)
  insertExpense(tx, { ...key, at }, first)
  const revision = toRevisionRecord({ ...first, createdAt: first.createdAt.toISOString() })
  const { versionHash } = revision
  await recordChange(ctx, tx, {
    organizationId,
    actor: asActor(actor),
    action: expenseActions.create,
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
  return {
    ...key,
    submitterDisplayName: parties.authorName,
    currentRevision: 1,
    state: 'draft',
    blockCode: null,
    currentReportId: null,
    createdAt: at.toISOString(),
    updatedAt: at.toISOString(),
    revision,
    revisions: [revision],
    comments: [],
    commentsNextCursor: null,
    reviews: [],
    approvals: [],
    signedApprovals: 0,
  }
}
