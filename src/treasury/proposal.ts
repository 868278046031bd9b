/** A policy that waits before it takes effect. Pure. */
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { proposalIdOf } from '@countersign/proof/proposal-id.ts'
import { secondsToTimestamp } from '@countersign/proof/values.ts'
import type { PolicyTerms } from './policy.ts'
import { fromStoredTiers, type StoredTier, toStoredTiers } from './policy-limits.ts'

/** The vault refuses an activation from then on, counted from `activatesAt`. */
export const ACTIVATION_WINDOW_SECONDS = 7 * 24 * 60 * 60

const amounts = [
  'approvedCap',
  'automaticCap',
  'lifetimeCap',
  'reserveFloor',
  'periodCap',
  'automaticPeriodCap',
] as const
type Amount = (typeof amounts)[number]

/** As the database keeps it. */
export type StoredPolicy = Omit<ChainPolicy, Amount | 'tiers'> &
  Record<Amount, string> & { tiers: StoredTier[] }

const amountsOf = <T>(convert: (name: Amount) => T): Record<Amount, T> => ({
  approvedCap: convert('approvedCap'),
  automaticCap: convert('automaticCap'),
  lifetimeCap: convert('lifetimeCap'),
  reserveFloor: convert('reserveFloor'),
  periodCap: convert('periodCap'),
  automaticPeriodCap: convert('automaticPeriodCap'),
})

export const toStoredPolicy = (policy: ChainPolicy): StoredPolicy => ({
  ...policy,
  ...amountsOf((name) => policy[name].toString()),
  tiers: toStoredTiers(policy.tiers),
})

export const fromStoredPolicy = (policy: StoredPolicy): ChainPolicy => ({
  ...policy,
  ...amountsOf((name) => BigInt(policy[name])),
  tiers: fromStoredTiers(policy.tiers),
})

/** The end of year 9999: the contract accepts any number, a timestamp does not. */
const LAST_SECOND = 253_402_300_799

/** A logged policy as the service compares and shows it. */
export const termsOf = ({ expiresAtSeconds, ...terms }: ChainPolicy): PolicyTerms => ({
  ...terms,
  expiresAt: secondsToTimestamp(Math.min(expiresAtSeconds, LAST_SECOND)),
})

/**
 * Whether the stored policy encodes to what was proposed. An expiry beyond the safe integers was
 * rounded when it was read, so that only its owner can activate such a policy.
 */
export const isEncodable = ({
  proposalId,
  expectedVersion,
  policy,
}: {
  proposalId: string
  expectedVersion: number
  policy: ChainPolicy
}): boolean =>
  Number.isSafeInteger(policy.expiresAtSeconds) &&
  proposalIdOf(expectedVersion, policy) === proposalId
