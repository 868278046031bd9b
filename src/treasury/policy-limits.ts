/**
 * Pure rules for the two limits of a policy that may be off: the spending period with its caps, and
 * the tiers above which several approvers must sign.
 */
import type { ChainPolicy, ChainTier } from '@countersign/proof/execution.ts'
import { AppError } from '#platform/errors.ts'

export const TIERS_MAX = 4
export const TIER_APPROVALS_MIN = 2
export const TIER_APPROVALS_MAX = 8
export const PERIOD_SECONDS_MIN = 3_600
export const PERIOD_SECONDS_MAX = 31_536_000

/** Off is 0 without a period, and no tiers. */
export type PolicyLimits = Pick<
  ChainPolicy,
  'periodSeconds' | 'periodCap' | 'automaticPeriodCap' | 'tiers'
>

export const NO_LIMITS: PolicyLimits = {
  periodSeconds: 0,
  periodCap: 0n,
  automaticPeriodCap: 0n,
  tiers: [],
}

/** Omitted keeps what is in force; null turns it off. */
export type ChosenLimits = {
  periodSeconds?: number | null | undefined
  periodCap?: bigint | null | undefined
  automaticPeriodCap?: bigint | null | undefined
  tiers?: ChainTier[] | null | undefined
}

const invalid = (message: string) => new AppError('validation_failed', { message })

/** The limits of a policy that is prepared now. */
export function limitsAfter(inForce: PolicyLimits | undefined, chosen: ChosenLimits): PolicyLimits {
  const before = inForce ?? NO_LIMITS
  const tiers = chosen.tiers === undefined ? before.tiers : (chosen.tiers ?? [])
  return { ...periodAfter(before, chosen), tiers }
}

/** A period and its caps mean nothing without each other. */
function periodAfter(before: PolicyLimits, chosen: ChosenLimits): Omit<PolicyLimits, 'tiers'> {
  const kept = chosen.periodSeconds === undefined ? before.periodSeconds : chosen.periodSeconds
  const periodSeconds = kept ?? 0
  const capOf = (name: 'periodCap' | 'automaticPeriodCap'): bigint => {
    const given = chosen[name]
    if (periodSeconds === 0) {
      if (typeof given !== 'bigint') return 0n
      throw invalid(`\`${name}\` needs a period. Set \`periodSeconds\` too, or leave the cap out.`)
    }
    if (typeof given === 'bigint') return given
    if (given === undefined && before.periodSeconds !== 0) return before[name]
    throw invalid(
      `A period needs \`${name}\`. Set it, or set \`periodSeconds\` to null for no period.`,
    )
  }
  return {
    periodSeconds,
    periodCap: capOf('periodCap'),
    automaticPeriodCap: capOf('automaticPeriodCap'),
  }
}

/** Rejects limits that no contract would accept. Ranges of single fields are in the schema. */
export function requireConsistentLimits(terms: PolicyLimits & { automaticCap: bigint }): void {
  const { tiers, automaticCap } = terms
  if (terms.automaticPeriodCap > terms.periodCap) {
    throw invalid('`automaticPeriodCap` must not be above `periodCap`.')
  }
  const [first] = tiers
  if (first && automaticCap > first.above) {
    throw invalid(
      `\`automaticCap\` must not be above ${first.above}, where the first of \`tiers\` begins.`,
    )
  }
  const isAscending = tiers.every((tier, place) => {
    const before = tiers[place - 1]
    return !before || (tier.above > before.above && tier.approvals > before.approvals)
  })
  if (!isAscending) {
    throw invalid('`tiers` must ascend: each above more and with more approvals than before.')
  }
}

/**
 * The contract counts addresses and the service counts people, so a tier must not ask for more of
 * either than there are.
 */
export function requireFillableTiers(
  { tiers, approverAddresses }: { tiers: readonly ChainTier[]; approverAddresses: string[] },
  approverAccounts: number,
): void {
  const most = tiers.at(-1)?.approvals ?? 0
  if (most > approverAddresses.length) {
    throw new AppError('policy_violation', {
      message:
        `A tier asks for ${most} approvals, but there are ${approverAddresses.length} approver ` +
        'wallets. Assign more wallets the approver role, or ask for fewer.',
    })
  }
  if (most > approverAccounts) {
    throw new AppError('policy_violation', {
      message:
        `A tier asks for ${most} approvals, but the approver wallets belong to ` +
        `${approverAccounts === 1 ? '1 member' : `${approverAccounts} members`}, and nobody ` +
        'signs twice. Assign wallets of other members the approver role, or ask for fewer.',
    })
  }
}

/** As the database and the API write them. */
export type StoredTier = { above: string; approvals: number }

export const toStoredTiers = (tiers: readonly ChainTier[]): StoredTier[] =>
  tiers.map(({ above, approvals }) => ({ above: above.toString(), approvals }))

export const fromStoredTiers = (tiers: readonly StoredTier[]): ChainTier[] =>
  tiers.map(({ above, approvals }) => ({ above: BigInt(above), approvals }))

/** As the API shows them: null where there is no period. */
export type LimitsRecord = {
  periodSeconds: number | null
  periodCap: string | null
  automaticPeriodCap: string | null
  tiers: StoredTier[]
}

export function toLimitsRecord(limits: PolicyLimits): LimitsRecord {
  const { periodSeconds, periodCap, automaticPeriodCap } = limits
  const tiers = toStoredTiers(limits.tiers)
  if (periodSeconds === 0) {
    return { periodSeconds: null, periodCap: null, automaticPeriodCap: null, tiers }
  }
  return {
    periodSeconds,
    periodCap: periodCap.toString(),
    automaticPeriodCap: automaticPeriodCap.toString(),
    tiers,
  }
}
