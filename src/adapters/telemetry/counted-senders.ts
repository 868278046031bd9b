/** Counts what happens to push messages, e-mails and webhooks, whichever adapter sends them. */
import type { Metrics } from '#platform/metrics.ts'
import type { EmailOutcome, Mailer } from '#ports/mailer.ts'
import type { PushOutcome, PushService } from '#ports/push-service.ts'
import type { WebhookSender } from '#ports/webhook-sender.ts'

type Senders = {
  push: PushService | undefined
  mailer: Mailer | undefined
  webhooks: WebhookSender
}

/** Labels are kinds of outcomes, never a reason: those are free text. */
const pushOutcome = (outcome: PushOutcome): string => {
  if (typeof outcome === 'string') return outcome
  return 'rejected' in outcome ? 'rejected' : 'retry'
}

const emailOutcome = (outcome: EmailOutcome): string => {
  if (typeof outcome === 'string') return outcome
  return 'rejected' in outcome ? 'rejected' : 'retry'
}

export function countedSenders(
  { push, mailer, webhooks }: Senders,
  { sent }: Pick<Metrics, 'sent'>,
): Senders {
  return {
    push: push && {
      ...push,
      async send(message) {
        const outcome = await push.send(message)
        sent({ channel: 'push', outcome: pushOutcome(outcome) })
        return outcome
      },
    },
    mailer: mailer && {
      async send(message) {
        const outcome = await mailer.send(message)
        sent({ channel: 'email', outcome: emailOutcome(outcome) })
        return outcome
      },
    },
    webhooks: {
      ...webhooks,
      async send(message) {
        const result = await webhooks.send(message)
        sent({ channel: 'webhook', outcome: result.outcome })
        return result
      },
    },
  }
}
