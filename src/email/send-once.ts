/**
 * Sends a message unless it already has an outcome. Its row is written before sending and the
 * outcome afterwards.
 * A worker that dies in between does not know whether the mail server accepted the message, so the
 * next attempt sends it again, with the same Message-ID.
 */
import type { Context } from '#context.ts'
import { addSeconds } from '#platform/clock.ts'
import { sha256 } from '#platform/digest.ts'
import type { EmailMessage, Mailer } from '#ports/mailer.ts'
import {
  beginDelivery,
  type DeliveryKind,
  type DeliveryOutcome,
  deleteOldDeliveries,
  endDelivery,
} from './email.store.ts'
import { type Letter, renderLetter } from './letter.ts'

export type EmailContext = Pick<Context, 'db' | 'clock' | 'log' | 'config' | 'mailer'>

/** Delays after each failed attempt. */
const WAITS_SECONDS = [30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800]

const ID_LENGTH = 40
const KEEP_DAYS = 30
const PRUNE_BATCH = 5_000

/** The delivery's id, and the local part of its Message-ID. */
export const deliveryIdOf = (parts: readonly string[]): string =>
  sha256(['email', ...parts].join(':'))
    .toString('hex')
    .slice(0, ID_LENGTH)

export type SendOnce = {
  mailer: Mailer
  id: string
  kind: DeliveryKind
  to: string
  letter: Letter
  attempt: number
  /** How long the message is still useful. */
  ttlSeconds: number
  enqueueAgain(delaySeconds: number): Promise<void>
}

export async function sendOnce(ctx: EmailContext, sending: SendOnce): Promise<void> {
  const { mailer, id, kind, attempt, ttlSeconds } = sending
  const isOpen = await ctx.db.transaction({}, (tx) =>
    beginDelivery(tx, { id, kind, at: ctx.clock.now() }),
  )
  if (!isOpen) return
  const outcome = await mailer.send(messageOf(ctx, sending))
  if (outcome === 'accepted') return end(ctx, id, 'accepted')
  if ('rejected' in outcome) {
    ctx.log.warn({ deliveryId: id, reason: outcome.rejected }, 'the mail server refused an e-mail')
    return end(ctx, id, 'rejected')
  }
  const wait = WAITS_SECONDS[attempt - 1]
  if (wait === undefined || wait >= ttlSeconds) {
    ctx.log.warn({ deliveryId: id, reason: outcome.retry }, 'giving up on an e-mail')
    return end(ctx, id, 'given_up')
  }
  ctx.log.info({ deliveryId: id, attempt, reason: outcome.retry }, 'an e-mail is retried later')
  await sending.enqueueAgain(wait)
}

function messageOf(
  { config }: Pick<Context, 'config'>,
  { id, to, letter }: Pick<SendOnce, 'id' | 'to' | 'letter'>,
): EmailMessage {
  const domain = config.email?.from.address.split('@')[1] ?? 'localhost'
  return {
    to,
    ...renderLetter(letter),
    messageId: `${id}@${domain}`,
    unsubscribeUrl: letter.unsubscribeUrl ?? null,
  }
}

const end = (ctx: EmailContext, id: string, outcome: DeliveryOutcome): Promise<void> =>
  ctx.db.transaction({}, (tx) => endDelivery(tx, { id, outcome, at: ctx.clock.now() }))

/** Job: deletes records of deliveries that can no longer be repeated. */
export async function pruneDeliveries({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const before = addSeconds(clock.now(), -KEEP_DAYS * 24 * 3_600)
  let deleted = PRUNE_BATCH
  while (deleted === PRUNE_BATCH) {
    deleted = await db.transaction({}, (tx) =>
      deleteOldDeliveries(tx, { before, limit: PRUNE_BATCH }),
    )
  }
}
