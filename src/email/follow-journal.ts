/** Reads the journal for e-mail: one delivery per event and recipient. */
import type { JournalStepOutcome } from '#journal/follower.ts'
import { enqueueAll } from '#platform/jobs/jobs.ts'
import {
  type EventRecipient,
  type JournalReader,
  queueNumberOf,
  type StepContext,
  takeJournalStep,
} from '#push/journal-step.ts'
import { advanceEmailPosition, findEmailPosition, insertEmailPosition } from './email.store.ts'

/**
 * Long enough for a mail server to come back. Whether the message is still current is checked
 * before it is sent.
 */
export const EMAIL_TTL_SECONDS = 24 * 3_600

const emailReader: JournalReader<EventRecipient> = {
  ttlSeconds: () => EMAIL_TTL_SECONDS,
  findPosition: findEmailPosition,
  insertPosition: insertEmailPosition,
  advancePosition: advanceEmailPosition,
  listDeliveries: async (_tx, { recipients }) => [...recipients],
  enqueue: (tx, deliveries) => enqueueAll(tx, 'deliver_email', deliveries.map(jobOf)),
}

export const followJournalForEmail = (ctx: StepContext): Promise<JournalStepOutcome> =>
  takeJournalStep(ctx, emailReader)

export const emailQueueOf = (accountId: string): string => `email:${queueNumberOf(accountId)}`

export const emailKeyOf = ({
  accountId,
  eventId,
}: {
  accountId: string
  eventId: string
}): string => `email:${accountId}:${eventId}`

function jobOf({ event, accountId }: EventRecipient) {
  const payload = {
    organizationId: event.organizationId,
    accountId,
    eventId: event.id,
    attempt: 1,
  }
  return {
    payload,
    options: { key: emailKeyOf(payload), queue: emailQueueOf(accountId) },
  }
}
