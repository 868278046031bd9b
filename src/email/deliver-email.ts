/** Job: sends one event to one account by e-mail, if it still concerns the account. */
import type { Context } from '#context.ts'
import { findOrganizationName } from '#organizations/members.store.ts'
import type { EmailConfig } from '#platform/config/email.ts'
import type { Reader } from '#platform/database/database.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import { type DueEvent, withDueEvent } from '#push/due-event.ts'
import { routeOf } from '#push/notification.ts'
import { isRequired } from '#push/preferences.ts'
import type { JournalEvent } from '#push/push-events.store.ts'
import { findAddress, findCaseSubject, findExpenseFacts } from './email.store.ts'
import { EMAIL_TTL_SECONDS, emailKeyOf, emailQueueOf } from './follow-journal.ts'
import { type EventFacts, notificationLetter } from './notification-letter.ts'
import { deliveryIdOf, type EmailContext, sendOnce } from './send-once.ts'
import { createUnsubscribeToken } from './unsubscribe-token.ts'

type DeliveryContext = EmailContext & Pick<Context, 'observerDb' | 'secrets'>
type Payload = JobPayloads['deliver_email']
type Addressed = DueEvent & { to: string; facts: EventFacts }

export async function deliverEmail(ctx: DeliveryContext, payload: Payload): Promise<void> {
  const { mailer, config } = ctx
  if (!mailer || !config.email) return
  const due = await findAddressed(ctx, payload)
  if (!due) return
  await sendOnce(ctx, {
    mailer,
    id: deliveryIdOf([payload.eventId, payload.accountId]),
    kind: 'notification',
    to: due.to,
    letter: letterFor(ctx, { due, email: config.email, accountId: payload.accountId }),
    attempt: payload.attempt,
    ttlSeconds: due.ttlSeconds,
    enqueueAgain: (delaySeconds) => enqueueRetry(ctx, payload, delaySeconds),
  })
}

const findAddressed = (ctx: DeliveryContext, payload: Payload): Promise<Addressed | undefined> =>
  withDueEvent(
    ctx,
    { notified: payload, channel: 'email', ttlSeconds: () => EMAIL_TTL_SECONDS },
    async (tx, due) => {
      const to = await findAddress(tx, payload)
      return to === undefined ? undefined : { ...due, to, facts: await findFacts(tx, due.event) }
    },
  )

async function findFacts(tx: Reader, event: JournalEvent): Promise<EventFacts> {
  const { organizationId, aggregateType, aggregateId } = event
  const none = { purpose: null, recipientLabel: null, submitterName: null, caseSubject: null }
  if (organizationId === null) return { ...none, organizationName: null }
  const facts = { ...none, organizationName: await findOrganizationName(tx, organizationId) }
  if (aggregateType === 'expense') {
    const found = await findExpenseFacts(tx, { organizationId, expenseId: aggregateId })
    return { ...facts, ...found }
  }
  if (aggregateType === 'payment') {
    const found = await findExpenseFacts(tx, { organizationId, paymentId: aggregateId })
    return { ...facts, ...found }
  }
  if (aggregateType !== 'support_case') return facts
  const caseSubject = await findCaseSubject(tx, { organizationId, caseId: aggregateId })
  return { ...facts, caseSubject: caseSubject ?? null }
}

function letterFor(
  { secrets, clock }: Pick<Context, 'secrets' | 'clock'>,
  { due, email, accountId }: { due: Addressed; email: EmailConfig; accountId: string },
) {
  const { event, category, facts } = due
  const subject = { accountId, category, at: clock.now() }
  const token = createUnsubscribeToken(secrets.unsubscribeKey, subject)
  return notificationLetter({
    category,
    facts,
    url: `${email.appOrigin}${routeOf(event)}`,
    unsubscribeUrl: isRequired(category) ? undefined : `${email.unsubscribeUrl}?token=${token}`,
  })
}

const enqueueRetry = (
  { db }: Pick<Context, 'db'>,
  payload: Payload,
  delaySeconds: number,
): Promise<void> =>
  db.transaction({}, (tx) =>
    enqueue(
      tx,
      'deliver_email',
      { ...payload, attempt: payload.attempt + 1 },
      { key: emailKeyOf(payload), queue: emailQueueOf(payload.accountId), delaySeconds },
    ),
  )
