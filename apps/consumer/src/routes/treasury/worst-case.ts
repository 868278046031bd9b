/** What a thief could take, as docs/VAULT.md explains it: only what the contract would let through. */
import type { Policy } from './policy-terms.ts'

export type Loss = {
  perPayment: bigint
  /** At today's balance. */
  today: bigint
  /** Whatever is deposited later. */
  ever: bigint
}

export type WorstCase = {
  /** Null: nothing, whatever the balance is. */
  executorKey: Loss | null
  executorAndApprover: Loss | null
  recipientCount: number
}

type Figures = { balanceBaseUnits: string; spentTotal: string }

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const atLeastZero = (value: bigint): bigint => (value > 0n ? value : 0n)

export function worstCaseOf(policy: Policy, { balanceBaseUnits, spentTotal }: Figures): WorstCase {
  const ever = atLeastZero(BigInt(policy.lifetimeCap) - BigInt(spentTotal))
  const movable = atLeastZero(BigInt(balanceBaseUnits) - BigInt(policy.reserveFloor))
  const recipientCount = policy.recipientAddresses.length
  const loss = (cap: string): Loss | null => {
    const perPayment = least(BigInt(cap), ever)
    if (policy.paused || perPayment === 0n || recipientCount === 0) return null
    return { perPayment, today: least(ever, movable), ever }
  }
  return {
    executorKey: policy.automaticEnabled ? loss(policy.automaticCap) : null,
    executorAndApprover: loss(policy.approvedCap),
    recipientCount,
  }
}
