/** Until when an approval is valid. Pure. */
import { secondsToTimestamp, timestampToSeconds } from '@countersign/proof/values.ts'
import { addSeconds } from '#platform/clock.ts'
import { AppError } from '#platform/errors.ts'

const DEADLINE_SECONDS = 3_600
/** What must be left of a policy for a signature under it. */
export const DEADLINE_SECONDS_MIN = 60

/** Where several approvers sign: the first one must leave the others time. */
const SHARED_DEADLINE_SECONDS = 86_400
export const SHARED_DEADLINE_SECONDS_MIN = 3_600

export type DeadlineQuestion = {
  now: Date
  policyExpiresAt: string
  /** When a policy that waits can come into force and void the approval; null without one. */
  replacedFrom: string | null
  /** As requested; undefined for the default. */
  deadlineSeconds: number | undefined
  /** Several approvers must sign, and their approvals share one deadline. */
  isShared: boolean
  /** The deadline of the payment's other open approvals. */
  fixed: string | undefined
}

/**
 * The default ends with the policy at the latest, and before another that waits comes into force.
 * A requested deadline is never shortened, nor is one that other approvers have already signed.
 */
export function deadlineOf(question: DeadlineQuestion): string {
  const { now, deadlineSeconds, isShared, fixed } = question
  if (isShared && fixed !== undefined) return fixedDeadline({ now, deadlineSeconds, fixed })
  const least = isShared ? SHARED_DEADLINE_SECONDS_MIN : DEADLINE_SECONDS_MIN
  const usual = isShared ? SHARED_DEADLINE_SECONDS : DEADLINE_SECONDS
  if (deadlineSeconds !== undefined && deadlineSeconds < least) {
    throw new AppError('policy_violation', {
      message: `Several approvers must sign. \`deadlineSeconds\` must be at least ${least}.`,
    })
  }
  const requested = addSeconds(now, deadlineSeconds ?? usual).toISOString()
  const limit = limitOf(question)
  const end = deadlineSeconds === undefined && requested > limit.at ? limit.at : requested
  const deadline = secondsToTimestamp(timestampToSeconds(end))
  if (deadline > limit.at) throw new AppError('policy_violation', { message: limit.isEarlier })
  // Whole seconds may cut off a fraction, so the minimum allows one second less.
  if (deadline < addSeconds(now, least - 1).toISOString()) {
    const left = isShared ? 'an hour, and several approvers must sign' : 'a minute'
    throw new AppError('policy_violation', { message: limit.isTooSoon(left) })
  }
  return deadline
}

type DeadlineLimit = { at: string; isEarlier: string; isTooSoon: (left: string) => string }

/** The end of the policy: it expires, or another one replaces it. */
function limitOf({
  policyExpiresAt,
  replacedFrom,
}: Pick<DeadlineQuestion, 'policyExpiresAt' | 'replacedFrom'>): DeadlineLimit {
  if (replacedFrom !== null && replacedFrom < policyExpiresAt) {
    return {
      at: replacedFrom,
      isEarlier: `A new policy comes into force at ${replacedFrom}. Choose an earlier deadline.`,
      isTooSoon: (left) =>
        `A new policy comes into force at ${replacedFrom}, which leaves less than ${left}. ` +
        'Prepare the approval when that policy is in force or vetoed.',
    }
  }
  return {
    at: policyExpiresAt,
    isEarlier: `The policy expires earlier, at ${policyExpiresAt}. Choose an earlier deadline.`,
    isTooSoon: (left) => `The policy expires in less than ${left}. Configure a new policy.`,
  }
}

function fixedDeadline({
  now,
  deadlineSeconds,
  fixed,
}: Pick<DeadlineQuestion, 'now' | 'deadlineSeconds'> & { fixed: string }): string {
  const isAsked =
    deadlineSeconds === undefined ||
    timestampToSeconds(addSeconds(now, deadlineSeconds).toISOString()) === timestampToSeconds(fixed)
  if (isAsked) return fixed
  throw new AppError('state_conflict', {
    message:
      `The approvals of this payment share the deadline ${fixed}. Leave \`deadlineSeconds\` out, ` +
      'or prepare again when every other approval is cancelled or expired.',
  })
}
