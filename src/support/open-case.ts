/** Opens a support case, optionally about an expense or a payment that the member can see. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { findExpense } from '#expenses/expenses.store.ts'
import { visibleTo } from '#expenses/read-expenses.ts'
import { recordChange } from '#journal/journal.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import { findPayment } from '#payments/payments.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { isVisible } from '#platform/values.ts'
import { countOpenCases, insertCase, insertMessage, lockCasesOf } from './support.store.ts'
import { type CaseRecord, PRIORITIES, severityOf, toCaseRecord } from './support-case.ts'

/** Limit per organization; operators must resolve cases first. */
export const OPEN_CASES_MAX = 200
/** Limit per member, so that no member uses up the organization's limit. */
export const OWN_OPEN_CASES_MAX = 20

export type OpenCase = {
  actor: Member
  subject: string
  /** The first message. */
  body?: string
  priority?: number
  expenseId?: string
  paymentId?: string
}

/** Missing and invisible subjects get the same answer. */
async function requireSubject(
  tx: Tx,
  { actor, expenseId, paymentId }: Pick<OpenCase, 'actor' | 'expenseId' | 'paymentId'>,
): Promise<void> {
  const { organizationId } = actor
  const onlyOf = visibleTo(actor)
  const expense =
    expenseId === undefined ? null : await findExpense(tx, { organizationId, expenseId, onlyOf })
  const payment =
    paymentId === undefined ? null : await findPayment(tx, { organizationId, paymentId, onlyOf })
  if (expense === undefined || payment === undefined) throw new AppError('not_found')
  if (expense && payment && payment.expenseId !== expense.id) {
    throw new AppError('validation_failed', {
      message: '`paymentId` must be the payment of `expenseId`.',
    })
  }
}

/** The organization's limit does not apply to owners, so that they can always open a case. */
export async function requireBelowLimits(tx: Tx, actor: Member): Promise<void> {
  lockCasesOf(tx, actor.organizationId)
  const { all, own } = await countOpenCases(tx, actor)
  if (own >= OWN_OPEN_CASES_MAX) {
    throw new AppError('state_conflict', {
      message: `A member may have at most ${OWN_OPEN_CASES_MAX} open cases. Wait for a resolution.`,
    })
  }
  if (all >= OPEN_CASES_MAX && actor.role !== 'owner') {
    throw new AppError('state_conflict', {
      message: `An organization may have at most ${OPEN_CASES_MAX} open cases. Ask an owner.`,
    })
  }
}

export function requireVisibleBody(body: string): void {
  if (isVisible(body)) return
  throw new AppError('validation_failed', { message: '`body` must have a visible character.' })
}

export async function openCase(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { actor, subject, body, priority = PRIORITIES.medium, expenseId, paymentId }: OpenCase,
): Promise<CaseRecord> {
  if (!isVisible(subject)) {
    throw new AppError('validation_failed', {
      message: '`subject` must have a visible character.',
    })
  }
  if (body !== undefined) requireVisibleBody(body)
  const { organizationId, accountId } = actor
  return asMember(ctx, actor, async (tx) => {
    await requireSubject(tx, {
      actor,
      ...(expenseId !== undefined && { expenseId }),
      ...(paymentId !== undefined && { paymentId }),
    })
    await requireBelowLimits(tx, actor)
    const opened = await insertCase(tx, {
      id: ctx.ids.next(),
      organizationId,
      openedByAccountId: accountId,
      expenseId: expenseId ?? null,
      paymentId: paymentId ?? null,
      subject,
      priority,
      at: ctx.clock.now(),
    })
    const messageId = body === undefined ? undefined : ctx.ids.next()
    if (messageId !== undefined && body !== undefined) {
      await insertMessage(tx, {
        id: messageId,
        organizationId,
        supportCaseId: opened.id,
        authorAccountId: accountId,
        body,
        at: ctx.clock.now(),
      })
    }
    await recordChange(ctx, tx, {
      organizationId,
      actor: asActor(actor),
      action: 'support_case.opened',
      aggregateType: 'support_case',
      aggregateId: opened.id,
      data: {
        subject,
        priority,
        expenseId: opened.expenseId,
        paymentId: opened.paymentId,
        ...(messageId !== undefined && { messageId }),
      },
      live: {
        kind: 'support_case.changed',
        aggregateType: 'support_case',
        targetState: opened.state,
        severity: severityOf(opened.state, priority),
        code: 'opened',
      },
    })
    return toCaseRecord(opened)
  })
}
