/** When a request is repeated, and after which delay. */
import type { Failure } from './errors.ts'

export type RetryPolicy = {
  /** The first one included; 1 never repeats. */
  attemptsMax: number
  /** Upper limit of the first delay; it doubles with each attempt. */
  baseDelayMs: number
  /** No delay is longer. A longer Retry-After ends the call, with `retryAfterMs` in its failure. */
  delayMaxMs: number
}

export const DEFAULT_RETRY: RetryPolicy = { attemptsMax: 4, baseDelayMs: 250, delayMaxMs: 20_000 }

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Seconds or an HTTP date (RFC 9110, section 10.2.3). Null for anything else. */
export function retryAfterMs(value: string | null, now: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  if (!HTTP_DATE.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

/**
 * A delay between zero and a limit that doubles ("full jitter"), so that clients that failed
 * together do not come back together.
 */
export function backoffMs(
  { baseDelayMs, delayMaxMs }: Pick<RetryPolicy, 'baseDelayMs' | 'delayMaxMs'>,
  failures: number,
  random: () => number,
): number {
  const limit = Math.min(delayMaxMs, baseDelayMs * 2 ** Math.min(failures - 1, 30))
  return Math.round(random() * limit)
}

const REPEATABLE_STATUSES = [502, 504]

/** Failures that a later attempt may not meet. `internal` is not among them. */
export function isTemporary(failure: Failure): boolean {
  if (failure.source === 'api') return failure.treatment === 'wait'
  if (failure.code === 'unexpected_response') {
    const status = failure.status ?? 0
    return REPEATABLE_STATUSES.includes(status) || status === 503 || status === 429
  }
  return failure.code === 'network' || failure.code === 'timeout'
}

/** Milliseconds until the next attempt; null if there is none. */
export function delayBefore(
  failure: Failure,
  { attempts, random, policy }: { attempts: number; random: () => number; policy: RetryPolicy },
): number | null {
  if (!isTemporary(failure) || attempts >= policy.attemptsMax) return null
  const asked = failure.retryAfterMs ?? 0
  if (asked > policy.delayMaxMs) return null
  return Math.max(asked, backoffMs(policy, attempts, random))
}
