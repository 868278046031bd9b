/**
 * Checks a payment's evidence against the vault's own rules at the time of the payment: the policy
 * and how it came into force, the recipient, the approvers, and the sums of the period. Pure.
 */
import type { Evidence, EvidencePolicy } from './evidence.ts'
import { requiredApprovals } from './execution.ts'
import type { BlockFacts, PolicyFacts, TransactionFacts } from './payment-facts.ts'
import { periodOf, sumsOf } from './spending-period.ts'
import { checksummed, secondsToTimestamp, timestampToSeconds } from './values.ts'
import { type Finding, says } from './verify-evidence.ts'

/** The vault voids a proposal that nobody has activated until then. */
const ACTIVATION_WINDOW_SECONDS = 604_800

const lower = (value: string): string => value.toLowerCase()

const isCanonical = ({ blockHash, canonicalHash }: BlockFacts): boolean =>
  blockHash === canonicalHash

/** Where a log is, or that its block is no longer part of the chain. */
const placeOf = (facts: BlockFacts, what: string): string =>
  isCanonical(facts)
    ? `${what} in block ${facts.blockNumber}`
    : `block ${facts.blockNumber} was replaced`

export function policyFindings({ policy }: Evidence, facts: TransactionFacts): Finding[] {
  const link = 'chain: the policy was configured'
  const logged = facts.policy
  if (!policy || !logged)
    return [says(link, false, 'the vault has no log of it in its transaction')]
  const differing = differingTerms(policy, logged)
  return [
    says(
      link,
      isCanonical(logged) && logged.isEarlier,
      placeOf(logged, `version ${logged.version}`),
    ),
    says(
      'chain: the policy matches the bundle',
      differing.length === 0,
      differing.length === 0 ? 'every field' : `differs in ${differing.join(', ')}`,
    ),
  ]
}

function differingTerms(stated: EvidencePolicy, { policy }: PolicyFacts): string[] {
  const tiers = stated.tiers.map(({ above, approvals }) => `${approvals} above ${above}`)
  const loggedTiers = policy.tiers.map(({ above, approvals }) => `${approvals} above ${above}`)
  const pairs: Record<string, [unknown, unknown]> = {
    executorAddress: [lower(stated.executorAddress), policy.executorAddress],
    approverAddresses: [set(stated.approverAddresses), set(policy.approverAddresses)],
    approvedCap: [BigInt(stated.approvedCap), policy.approvedCap],
    automaticCap: [BigInt(stated.automaticCap), policy.automaticCap],
    lifetimeCap: [BigInt(stated.lifetimeCap), policy.lifetimeCap],
    reserveFloor: [BigInt(stated.reserveFloor), policy.reserveFloor],
    periodSeconds: [stated.periodSeconds, policy.periodSeconds],
    periodCap: [BigInt(stated.periodCap), policy.periodCap],
    automaticPeriodCap: [BigInt(stated.automaticPeriodCap), policy.automaticPeriodCap],
    tiers: [tiers.join(), loggedTiers.join()],
    expiresAt: [timestampToSeconds(stated.expiresAt), policy.expiresAtSeconds],
    automaticEnabled: [stated.automaticEnabled, policy.automaticEnabled],
  }
  return Object.entries(pairs)
    .filter(([, [left, right]]) => left !== right)
    .map(([name]) => name)
}

const set = (addresses: readonly string[]): string => addresses.map(lower).sort().join()

/** A vault's first policy never waits; the others do where the vault has a delay. */
export function proposalFindings({ policy: stated }: Evidence, facts: TransactionFacts): Finding[] {
  const { vault, policy } = facts
  if (!stated || !vault || !policy) return []
  const link = 'chain: the policy waited'
  const { changeDelaySeconds } = vault
  const isAtOnce = changeDelaySeconds === 0 || policy.version === 1
  if (isAtOnce) {
    const reason = changeDelaySeconds === 0 ? 'the vault has no delay' : 'it was the first'
    return [
      says(
        link,
        stated.proposal === null,
        stated.proposal === null
          ? `not needed: ${reason}`
          : `the bundle names a proposal, but ${reason}`,
      ),
    ]
  }
  if (!stated.proposal) {
    return [says(link, false, `it had to wait ${changeDelaySeconds} seconds; no proposal is named`)]
  }
  const problem = proposalProblem(stated.proposal, facts, policy, changeDelaySeconds)
  const detail = `at least ${changeDelaySeconds} seconds, until ${stated.proposal.activatesAt}`
  return [says(link, problem === null, problem ?? detail)]
}

function proposalProblem(
  stated: NonNullable<EvidencePolicy['proposal']>,
  { proposal }: TransactionFacts,
  policy: PolicyFacts,
  delaySeconds: number,
): string | null {
  if (!proposal) return 'the vault has no log of the proposal in its transaction'
  if (!isCanonical(proposal)) return placeOf(proposal, '')
  const { proposalId, activatesAtSeconds, waiting } = proposal
  const isNamed =
    proposalId === lower(stated.id) && activatesAtSeconds === timestampToSeconds(stated.activatesAt)
  if (!isNamed) return 'the log differs from the bundle'
  const isThis = proposalId === policy.proposalId && proposal.expectedVersion === policy.version - 1
  if (!isThis) return 'another policy was proposed'
  const isWaiting =
    waiting?.proposalId === proposalId && waiting.activatesAtSeconds === activatesAtSeconds
  if (!proposal.isEarlier || !isWaiting) return 'it did not wait when the policy came into force'
  const hasWaited =
    activatesAtSeconds === proposal.timeSeconds + delaySeconds &&
    policy.timeSeconds >= activatesAtSeconds
  if (!hasWaited) return `it waited less than ${delaySeconds} seconds`
  const isInTime = policy.timeSeconds < activatesAtSeconds + ACTIVATION_WINDOW_SECONDS
  return isInTime ? null : 'it was void when the policy came into force'
}

/** The log that allowed the recipient, and that nothing since has removed or blocked it. */
export function recipientFindings(
  { recipient: stated, revision }: Evidence,
  { recipient: logged, before, policy, timeSeconds }: TransactionFacts,
): Finding[] {
  const link = 'chain: the recipient was allowed'
  if (!stated || !logged)
    return [says(link, false, 'the vault has no log of it in its transaction')]
  const allowedFrom = timestampToSeconds(stated.allowedFrom)
  const isAsStated =
    logged.isAdded &&
    logged.recipientsVersion === stated.recipientsVersion &&
    logged.allowedFromSeconds === allowedFrom
  const isOfTime =
    isCanonical(logged) && logged.isEarlier && logged.allowedFromSeconds <= timeSeconds
  const recipient = lower(revision.recipientAddress)
  const hasRole =
    policy?.policy.executorAddress === recipient || before?.approverAddresses.includes(recipient)
  return [
    says(
      link,
      isAsStated && isOfTime,
      isAsStated
        ? placeOf(logged, `from ${stated.allowedFrom}, list ${logged.recipientsVersion}`)
        : `the log differs from the bundle`,
    ),
    says(
      'chain: the recipient was neither removed nor blocked',
      before !== null && !before.isBlocked && before.allowedFromSeconds === allowedFrom,
      recipientText(before),
    ),
    says(
      'chain: the recipient had no role',
      before !== null && !hasRole,
      hasRole ? 'executor or approver of the policy' : checksummed(recipient),
    ),
  ]
}

function recipientText(before: TransactionFacts['before']): string {
  if (!before) return 'unknown'
  if (before.isBlocked) return 'it was blocked'
  return before.allowedFromSeconds === 0
    ? 'it was not listed'
    : `allowed from ${secondsToTimestamp(before.allowedFromSeconds)} at the payment`
}

/** Uses the policy from the chain; the bundle's was compared with it. */
export function approverFindings(
  { payment, revision }: Evidence,
  { policy, before, execution }: TransactionFacts,
): Finding[] {
  if (payment.mode === 'automatic' || !policy) return []
  const signers = execution?.approverAddresses ?? []
  const needed = requiredApprovals(policy.policy.tiers, BigInt(revision.amountBaseUnits))
  const strangers = signers.filter((one) => !policy.policy.approverAddresses.includes(one))
  const revoked = signers.filter((one) => !before?.approverAddresses.includes(one))
  return [
    says(
      'chain: as many approvers as the amount needs',
      new Set(signers).size === needed && signers.length === needed,
      `${signers.length} of ${needed}`,
    ),
    says(
      'chain: approvers in the policy',
      signers.length > 0 && strangers.length === 0,
      strangers.length === 0
        ? `${signers.length} of ${policy.policy.approverAddresses.length}`
        : `not ${strangers.map(checksummed).join(', ')}`,
    ),
    says(
      'chain: no approver was revoked',
      before !== null && revoked.length === 0,
      revoked.length === 0 ? 'before the payment' : revoked.map(checksummed).join(', '),
    ),
  ]
}

/** Sums of the payments that the vault has logged; both within the caps that it has logged. */
export function periodFindings(
  { payment }: Evidence,
  { period, policy, timeSeconds, spentTotal }: TransactionFacts,
): Finding[] {
  if (!policy || policy.policy.periodSeconds === 0) return []
  const link = 'chain: within the period'
  if (!period) return [says(link, false, 'the payments of the period are unknown')]
  const { periodSeconds, periodCap, automaticPeriodCap } = policy.policy
  const { total, automatic } = sumsOf(period.payments)
  const { startsAt, endsAt } = periodOf(timeSeconds, periodSeconds)
  const span = `${secondsToTimestamp(startsAt)} to ${secondsToTimestamp(endsAt)}`
  const carried =
    period.countedSince < startsAt
      ? `, with what was paid since ${secondsToTimestamp(period.countedSince)}`
      : ''
  return [
    says(link, total <= periodCap, `${total} of at most ${periodCap}, ${span}${carried}`),
    ...(payment.mode === 'automatic'
      ? [
          says(
            'chain: automatic payments within the period',
            automatic <= automaticPeriodCap,
            `${automatic} of at most ${automaticPeriodCap}`,
          ),
        ]
      : []),
    says(
      'chain: no payment of the period is missing',
      isComplete(period, payment.chainPaymentId, spentTotal),
      `${period.payments.length} logged`,
    ),
  ]
}

/** Every log carries the sum of all payments so far, so one that is left out shows. */
function isComplete(
  { payments, spentBefore }: NonNullable<TransactionFacts['period']>,
  chainPaymentId: string,
  spentTotal: bigint | null,
): boolean {
  const last = payments.at(-1)
  const isEveryNext = payments.every(
    ({ spentTotal: sum, amount }, index) =>
      sum === (payments[index - 1]?.spentTotal ?? spentBefore) + amount,
  )
  return isEveryNext && last?.chainPaymentId === chainPaymentId && last.spentTotal === spentTotal
}
