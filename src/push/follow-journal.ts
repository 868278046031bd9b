/** Reads the journal for push: one delivery per device of each recipient. */
import type { JournalStepOutcome } from '#journal/follower.ts'
import type { Tx } from '#platform/database/database.ts'
import { enqueueAll } from '#platform/jobs/jobs.ts'
import {
  type EventRecipient,
  type JournalReader,
  queueNumberOf,
  type StepContext,
  takeJournalStep,
} from './journal-step.ts'
import { notificationTtlSeconds } from './notification.ts'
import { listActiveDevices } from './push.store.ts'
import { advancePosition, findPosition, insertPosition } from './push-events.store.ts'

type Delivery = EventRecipient & { id: string }

const pushReader: JournalReader<Delivery> = {
  ttlSeconds: (category) => notificationTtlSeconds[category],
  findPosition,
  insertPosition,
  advancePosition,
  listDeliveries,
  enqueue: (tx, deliveries) => enqueueAll(tx, 'deliver_push', deliveries.map(jobOf)),
}

export const followJournal = (ctx: StepContext): Promise<JournalStepOutcome> =>
  takeJournalStep(ctx, pushReader)

async function listDeliveries(
  tx: Tx,
  { recipients, at }: { recipients: readonly EventRecipient[]; at: Date },
): Promise<Delivery[]> {
  const accountIds = [...new Set(recipients.map(({ accountId }) => accountId))]
  const devices = await listActiveDevices(tx, { accountIds, at })
  return recipients.flatMap(({ event, accountId }) =>
    devices
      .filter((device) => device.accountId === accountId)
      .map(({ id }) => ({ event, accountId, id })),
  )
}

export const queueOf = (accountId: string): string => `push:${queueNumberOf(accountId)}`

/** A queued message for the same device and aggregate is replaced: only the latest matters. */
function jobOf({ event, accountId, id }: Delivery) {
  return {
    payload: {
      organizationId: event.organizationId,
      accountId,
      subscriptionId: id,
      eventId: event.id,
      attempt: 1,
    },
    options: {
      key: `push:${id}:${event.aggregateType}:${event.aggregateId}`,
      queue: queueOf(accountId),
    },
  }
}
