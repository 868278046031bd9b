/** What a thief could take, as docs/VAULT.md explains it: only what the contract would let through. */
import { requiredApprovals } from '@countersign/proof/execution.ts'
import type { Policy } from './policy-terms.ts'

export type Loss = {
  perPayment: bigint
  /** Of one spending period; null without one. Around a boundary twice of it can go. */
  perPeriod: bigint | null
  /** At today's balance. */
  today: bigint
  /** Whatever is deposited later. */
  ever: bigint
}

export type WorstCase = {
  /** Null: nothing, whatever the balance is. */
  executorKey: Loss | null
  executorAndApprover: Loss | null
  /** With so many approvers every amount that the policy allows can go. Null if one is enough. */
  executorAndApprovers: { approvers: number; loss: Loss | null } | null
  periodSeconds: number | null
  recipientCount: number
}

type Figures = { balanceBaseUnits: string; spentTotal: string }

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const atLeastZero = (value: bigint): bigint => (value > 0n ? value : 0n)

export function worstCaseOf(policy: Policy, { balanceBaseUnits, spentTotal }: Figures): WorstCase {
  const ever = atLeastZero(BigInt(policy.lifetimeCap) - BigInt(spentTotal))
  const movable = atLeastZero(BigInt(balanceBaseUnits) - BigInt(policy.reserveFloor))
  const recipientCount = policy.recipientAddresses.length
  const tiers = policy.tiers.map(({ above, approvals }) => ({ above: BigInt(above), approvals }))
  const loss = (cap: bigint, periodCap: string | null): Loss | null => {
    const perPeriod = periodCap === null ? null : least(BigInt(periodCap), ever)
    const perPayment = least(cap, perPeriod ?? ever)
    if (policy.paused || perPayment === 0n || recipientCount === 0) return null
    return { perPayment, perPeriod, today: least(ever, movable), ever }
  }
  const approvedCap = BigInt(policy.approvedCap)
  const approvers = requiredApprovals(tiers, approvedCap)
  // Above the first tier, the signature of one approver is not enough.
  const byOne = least(approvedCap, tiers[0]?.above ?? approvedCap)
  return {
    executorKey: policy.automaticEnabled
      ? loss(BigInt(policy.automaticCap), policy.automaticPeriodCap)
      : null,
    executorAndApprover: loss(byOne, policy.periodCap),
    executorAndApprovers:
      approvers > 1 ? { approvers, loss: loss(approvedCap, policy.periodCap) } : null,
    periodSeconds: policy.periodSeconds,
    recipientCount,
  }
}
