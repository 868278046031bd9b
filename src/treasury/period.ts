/** What a vault has paid in its current spending period, counted as the contract counts. */
import { countedSince, type PeriodSums, periodOf } from '@countersign/proof/spending-period.ts'
import { secondsToTimestamp, timestampToSeconds } from '@countersign/proof/values.ts'
import type { Tx } from '#platform/database/database.ts'
import { listPeriods, type PolicyRow } from './policies.store.ts'
import { findSpentSince } from './vaults.store.ts'

export type PeriodSpending = PeriodSums & {
  /** The first moment of the next period. */
  endsAt: string
}

/**
 * Undefined while the policy has no period. A new policy carries the sums of an unfinished period
 * into its own, so the sums can include payments from before its current period.
 */
export async function readPeriod(
  tx: Tx,
  { policy, now }: { policy: PolicyRow | undefined; now: string },
): Promise<PeriodSpending | undefined> {
  if (!policy || policy.periodSeconds === 0) return undefined
  const { organizationId, vaultId, periodSeconds } = policy
  const seconds = timestampToSeconds(now)
  const policies = await listPeriods(tx, { organizationId, vaultId })
  const sinceSeconds = countedSince(policies, seconds)
  const { endsAt } = periodOf(seconds, periodSeconds)
  const sums = await findSpentSince(tx, { organizationId, vaultId, sinceSeconds })
  return { ...sums, endsAt: secondsToTimestamp(endsAt) }
}
