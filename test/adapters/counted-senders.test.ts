/** Every outcome of a sender is counted once, under a fixed label. */
import { expect, test } from 'vitest'
import { countedSenders } from '#adapters/telemetry/counted-senders.ts'
import type { EmailOutcome, Mailer } from '#ports/mailer.ts'
import type { PushOutcome, PushService } from '#ports/push-service.ts'
import type { WebhookOutcome, WebhookSender } from '#ports/webhook-sender.ts'

const pushes: [PushOutcome, string][] = [
  ['delivered', 'delivered'],
  ['gone', 'gone'],
  [{ rejected: 'a reason' }, 'rejected'],
  [{ retryAfterSeconds: null, reason: 'a reason' }, 'retry'],
]
const emails: [EmailOutcome, string][] = [
  ['accepted', 'accepted'],
  [{ rejected: 'a reason' }, 'rejected'],
  [{ retry: 'a reason' }, 'retry'],
]
const webhooks: [WebhookOutcome, string][] = [
  [{ outcome: 'delivered', statusCode: 200 }, 'delivered'],
  [{ outcome: 'gone', statusCode: 410 }, 'gone'],
  [{ outcome: 'failed', statusCode: null, reason: 'a reason', retryAfterSeconds: 1 }, 'failed'],
]

/** A sender with one outcome, and what was counted after it was used. */
async function send(senders: {
  push?: PushOutcome
  email?: EmailOutcome
  webhook?: WebhookOutcome
}) {
  const counts: string[] = []
  const counted = countedSenders(
    {
      push: { publicKey: 'key', send: async () => senders.push } as unknown as PushService,
      mailer: { send: async () => senders.email } as Mailer,
      webhooks: { send: async () => senders.webhook } as unknown as WebhookSender,
    },
    { sent: ({ channel, outcome }) => void counts.push(`${channel} ${outcome}`) },
  )
  const nothing = {} as never
  const outcome = senders.push
    ? await counted.push?.send(nothing)
    : senders.email
      ? await counted.mailer?.send(nothing)
      : await counted.webhooks.send(nothing)
  return { outcome, counts }
}

test.each(pushes)('push: %j is %s', async (outcome, label) => {
  expect(await send({ push: outcome })).toEqual({ outcome, counts: [`push ${label}`] })
})

test.each(emails)('e-mail: %j is %s', async (outcome, label) => {
  expect(await send({ email: outcome })).toEqual({ outcome, counts: [`email ${label}`] })
})

test.each(webhooks)('webhook: %j is %s', async (outcome, label) => {
  expect(await send({ webhook: outcome })).toEqual({ outcome, counts: [`webhook ${label}`] })
})

test('without push and e-mail there is nothing to count', () => {
  const none = { push: undefined, mailer: undefined, webhooks: {} as WebhookSender }
  const { push, mailer } = countedSenders(none, { sent: () => {} })
  expect([push, mailer]).toEqual([undefined, undefined])
})
