import { addSeconds } from '#platform/clock.ts'
import type { Authorization } from './payment.ts'

const AUTOMATIC_SECONDS = 24 * 60 * 60

/** An automatic authorization lasts a day, or until the policy expires if that is sooner. */
export function automaticUntil(now: Date, policyExpiresAt: string): Authorization {
  const inADay = addSeconds(now, AUTOMATIC_SECONDS).toISOString()
  return { kind: 'automatic', deadline: inADay < policyExpiresAt ? inADay : policyExpiresAt }
}
