/** Which events a webhook gets, and when an attempt is repeated. Pure. */

import type { LiveChange } from '#journal/journal.store.ts'
import { integrationChange } from '#journal/journal.ts'
import type { Severity } from '#platform/severity.ts'
import type { WebhookState } from './webhook.machine.ts'

type WebhookChangeCode =
  | 'webhook_created'
  | 'webhook_deleted'
  | 'webhook_secret_rotated'
  | 'webhook_disabled'
  | 'webhook_enabled'
  | typeof PING

const PING = 'webhook_ping'

export const webhookChange = (
  code: WebhookChangeCode,
  { state, severity = 'healthy' }: { state: WebhookState | 'deleted'; severity?: Severity },
): LiveChange => integrationChange({ code, targetState: state, severity })

export type WebhookTarget = {
  id: string
  organizationId: string
  kinds: readonly string[]
  createdAt: string
}

export type WebhookCandidate = {
  organizationId: string | null
  audience: 'consumer' | 'admin' | 'both'
  kind: string
  aggregateId: string
  code: string | null
  occurredAt: string
}

/** What owners see in their stream, of the chosen kinds. A ping concerns its own webhook only. */
export function isWanted(webhook: WebhookTarget, event: WebhookCandidate): boolean {
  if (event.organizationId !== webhook.organizationId || event.audience === 'admin') return false
  if (event.occurredAt < webhook.createdAt) return false
  if (event.code === PING) return event.aggregateId === webhook.id
  return webhook.kinds.includes(event.kind)
}

const MINUTE = 60
const HOUR = 60 * MINUTE

/** Delays after each failed attempt: eight attempts in about a day. */
const WAITS_SECONDS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 8 * HOUR, 8 * HOUR]
export const ATTEMPTS_MAX = WAITS_SECONDS.length + 1

/** With a longer delay, the event could be deleted before it is delivered. */
const RETRY_AFTER_MAX_SECONDS = 24 * HOUR

/** Undefined after the last attempt. A receiver may ask for a longer delay. */
export function retryDelaySeconds(
  attempt: number,
  retryAfterSeconds: number | null,
): number | undefined {
  const wait = WAITS_SECONDS[attempt - 1]
  if (wait === undefined) return undefined
  return Math.max(wait, Math.min(retryAfterSeconds ?? 0, RETRY_AFTER_MAX_SECONDS))
}

/** A failed delivery disables a webhook that has accepted nothing for this long. */
export const DISABLE_AFTER_SECONDS = 20 * HOUR

/**
 * Longer than the attempts of one delivery take; then every failed attempt is the last. Events of
 * an endpoint that does not answer wait for each other, and if there are many, none of them would
 * reach its own last attempt.
 */
export const GIVE_UP_AFTER_SECONDS = 25 * HOUR

/** How long an endpoint that did not answer is left alone, so that it delays no other webhook. */
export const PAUSE_SECONDS = 30
