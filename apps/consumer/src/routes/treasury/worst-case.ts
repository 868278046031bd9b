/** What a thief could take, as docs/VAULT.md explains it: only what the contract would let through. */
import type { Policy } from './policy-terms.ts'

export type Loss = { perPayment: bigint; total: bigint } | null

export type WorstCase = {
  /** Null: nothing. */
  executorKey: Loss
  executorAndApprover: Loss
  recipientCount: number
}

type Figures = { balanceBaseUnits: string; spentTotal: string }

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

export function worstCaseOf(policy: Policy, { balanceBaseUnits, spentTotal }: Figures): WorstCase {
  const allowance = BigInt(policy.lifetimeCap) - BigInt(spentTotal)
  const movable = BigInt(balanceBaseUnits) - BigInt(policy.reserveFloor)
  const total = least(allowance, movable)
  const recipientCount = policy.recipientAddresses.length
  const loss = (cap: string): Loss => {
    const perPayment = least(BigInt(cap), total)
    return policy.paused || perPayment <= 0n || recipientCount === 0 ? null : { perPayment, total }
  }
  return {
    executorKey: policy.automaticEnabled ? loss(policy.automaticCap) : null,
    executorAndApprover: loss(policy.approvedCap),
    recipientCount,
  }
}
