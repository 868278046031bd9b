/** Adds a member's message to a case. A message on a resolved case reopens it. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { type Answer, type IdempotentRequest, once } from '#platform/idempotency.ts'
import { moveCase } from './move-case.ts'
import { requireBelowLimits, requireVisibleBody } from './open-case.ts'
import { visibleCasesOf } from './read-own-cases.ts'
import { countMessages, insertMessage, lockCase } from './support.store.ts'
import { type MessageRecord, toMemberMessage } from './support-case.ts'

/** A case is returned with all of its messages, so their number is bounded. */
export const MESSAGES_MAX = 200

export type AddMessage = { actor: Member; caseId: string; body: string }

export async function addMessage(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { request, ...message }: AddMessage & { request: IdempotentRequest },
): Promise<Answer<MessageRecord>> {
  requireVisibleBody(message.body)
  return asMember(ctx, message.actor, (tx) =>
    once(tx, request, { at: ctx.clock.now(), work: () => insert(ctx, tx, message) }),
  )
}

async function insert(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { actor, caseId, body }: AddMessage,
): Promise<MessageRecord> {
  const { organizationId, accountId } = actor
  const key = { organizationId, caseId }
  const supportCase = await lockCase(tx, { ...key, onlyOf: visibleCasesOf(actor) })
  if (!supportCase) throw new AppError('not_found')
  if ((await countMessages(tx, key)) >= MESSAGES_MAX) {
    throw new AppError('state_conflict', {
      message: `A case may have at most ${MESSAGES_MAX} messages from members. Open another case.`,
    })
  }
  const isReopened = supportCase.state === 'resolved'
  if (isReopened) await requireBelowLimits(tx, actor)
  const message = await insertMessage(tx, {
    id: ctx.ids.next(),
    organizationId,
    supportCaseId: caseId,
    authorAccountId: accountId,
    body,
    at: ctx.clock.now(),
  })
  await moveCase(ctx, tx, {
    supportCase,
    wanted: isReopened ? 'reopened' : undefined,
    actor: asActor(actor),
    by: { messageId: message.id },
  })
  return toMemberMessage(message)
}
