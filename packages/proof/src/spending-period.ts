/**
 * Spending periods as the vault counts them: windows of a fixed length since 1970-01-01T00:00:00Z.
 * All times are unix seconds of a block. Pure.
 */

/** The vault counts in days while its policy has no period. */
const DEFAULT_PERIOD_SECONDS = 86_400

/** `endsAt` is the first second of the next period. */
export type SpendingPeriod = { number: number; startsAt: number; endsAt: number }

/** `periodSeconds` is that of the policy in force; 0 if it has no period. */
export function periodOf(seconds: number, periodSeconds: number): SpendingPeriod {
  const length = periodSeconds === 0 ? DEFAULT_PERIOD_SECONDS : periodSeconds
  const number = Math.floor(seconds / length)
  return { number, startsAt: number * length, endsAt: (number + 1) * length }
}

/** A policy as far as periods go: its length and the time of the block that put it into force. */
export type PeriodInForce = { periodSeconds: number; inForceFrom: number }

/**
 * From when on payments count in the period of `seconds`; `policies` are those in force until then,
 * in chain order. A policy that comes into force carries the sums of the unfinished period into
 * the current period of its own length, so the answer can lie before that period's start.
 */
export function countedSince(policies: readonly PeriodInForce[], seconds: number): number {
  let at = seconds
  for (const { periodSeconds, inForceFrom } of policies.toReversed()) {
    const { startsAt } = periodOf(at, periodSeconds)
    if (inForceFrom < startsAt) return startsAt
    at = inForceFrom
  }
  return at
}

/** A payment that the vault has made; automatic ones count in both sums. */
export type CountedPayment = { mode: 'approved' | 'automatic'; amount: bigint }

export type PeriodSums = { total: bigint; automatic: bigint }

/** The sums that the vault compares with `periodCap` and `automaticPeriodCap`. */
export const sumsOf = (payments: readonly CountedPayment[]): PeriodSums => ({
  total: payments.reduce((sum, { amount }) => sum + amount, 0n),
  automatic: payments.reduce(
    (sum, { amount, mode }) => (mode === 'automatic' ? sum + amount : sum),
    0n,
  ),
})
