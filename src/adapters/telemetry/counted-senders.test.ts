import { describe, expect, test } from 'vitest'
import { createMetrics } from '#platform/metrics.ts'
import type { EmailOutcome, Mailer } from '#ports/mailer.ts'
import type { PushOutcome, PushService } from '#ports/push-service.ts'
import type { WebhookOutcome, WebhookSender } from '#ports/webhook-sender.ts'
import { countedSenders } from './counted-senders.ts'

type Results = { push: PushOutcome; email: EmailOutcome; webhook: WebhookOutcome }

/** Senders that answer these, and what is counted of them. */
function senders(results: Partial<Results>) {
  const metrics = createMetrics()
  const sender = (result: unknown) => ({ send: async () => result })
  const counted = countedSenders(
    {
      push: sender(results.push) as unknown as PushService,
      mailer: sender(results.email) as Mailer,
      webhooks: sender(results.webhook) as unknown as WebhookSender,
    },
    metrics,
  )
  const countOf = async (channel: string) => {
    const text = await metrics.registry.metrics()
    const lines = text.matchAll(
      new RegExp(`^countersign_${channel}_total\\{outcome="(\\w+)"\\} (\\d+)$`, 'gm'),
    )
    return Object.fromEntries([...lines].map(([, outcome, count]) => [outcome, Number(count)]))
  }
  return { ...counted, countOf }
}

const reason = 'mailbox bob@example.com is full'

describe('messages are counted by what became of them, without the reason', () => {
  test.each<[PushOutcome, string]>([
    ['delivered', 'delivered'],
    ['gone', 'gone'],
    [{ rejected: reason }, 'rejected'],
    [{ retryAfterSeconds: 30, reason }, 'retry'],
  ])('push: %j', async (outcome, label) => {
    const { push, countOf } = senders({ push: outcome })
    expect(await push?.send({} as never)).toBe(outcome)
    expect(await countOf('push_messages')).toEqual({ [label]: 1 })
  })

  test.each<[EmailOutcome, string]>([
    ['accepted', 'accepted'],
    [{ rejected: reason }, 'rejected'],
    [{ retry: reason }, 'retry'],
  ])('e-mail: %j', async (outcome, label) => {
    const { mailer, countOf } = senders({ email: outcome })
    await mailer?.send({} as never)
    await mailer?.send({} as never)
    expect(await countOf('emails')).toEqual({ [label]: 2 })
  })

  test.each<[WebhookOutcome, string]>([
    [{ outcome: 'delivered', statusCode: 204 }, 'delivered'],
    [{ outcome: 'failed', statusCode: null, reason, retryAfterSeconds: null }, 'failed'],
  ])('a webhook: %j', async (webhook, label) => {
    const { webhooks, countOf } = senders({ webhook })
    expect(await webhooks.send({} as never)).toBe(webhook)
    expect(await countOf('webhooks')).toEqual({ [label]: 1 })
  })
})

test('what is not configured stays undefined', () => {
  const metrics = createMetrics()
  const none = { push: undefined, mailer: undefined, webhooks: {} as WebhookSender }
  expect(countedSenders(none, metrics)).toMatchObject({ push: undefined, mailer: undefined })
})
