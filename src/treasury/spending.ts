/** Whether a vault can pay something now, and if not, which refusal says so first. Pure. */
import type { BlockCode } from '#platform/block-codes.ts'
import type { ErrorCode } from '#platform/errors.ts'
import type { PolicyRow } from './policies.store.ts'
import type { Held, VaultRow } from './vaults.store.ts'

export type Spending = {
  vault: VaultRow
  policy: PolicyRow | undefined
  held: Held
  /** The organization's active executor. */
  executorAddress: string | undefined
  mode: 'approved' | 'automatic'
  amount: bigint
  /** Lower case. */
  recipientAddress: string
  /** ISO 8601. */
  now: string
}

/** The code is an error to the caller and the block code of a payment that is rechecked. */
export type SpendingRefusal = { code: ErrorCode & BlockCode; message: string }

const violation = (message: string): SpendingRefusal => ({ code: 'policy_violation', message })

/** In the order of the contract's own checks, so that the first reason is the same there. */
export function spendingRefusal(spending: Spending): SpendingRefusal | undefined {
  const { vault, policy, executorAddress } = spending
  if (vault.archivedAt !== null) return { code: 'vault_archived', message: 'It is archived.' }
  if (vault.state !== 'verified') return { code: 'vault_unverified', message: 'It is unverified.' }
  if (!policy) return { code: 'policy_missing', message: 'The vault has no policy yet.' }
  if (executorAddress === undefined) {
    return { code: 'executor_not_ready', message: 'The organization has no active executor.' }
  }
  if (policy.executorAddress !== executorAddress) {
    return violation('The policy names another executor. Configure a new one.')
  }
  return policyRefusal(spending, policy) ?? fundsRefusal(spending, policy)
}

function policyRefusal(
  { vault, held, mode, amount, recipientAddress, now }: Spending,
  policy: PolicyRow,
): SpendingRefusal | undefined {
  if (policy.paused) return violation('The policy is paused.')
  if (policy.expiresAt <= now) return violation('The policy has expired.')
  if (mode === 'automatic' && !policy.automaticEnabled) {
    return violation('The policy allows no payment without a signature.')
  }
  const cap = mode === 'automatic' ? policy.automaticCap : policy.approvedCap
  if (amount > cap) return violation(`The amount is above the ${mode} cap of ${cap}.`)
  if (!policy.recipientAddresses.includes(recipientAddress)) {
    return violation('The policy on chain does not list this recipient.')
  }
  const left = policy.lifetimeCap - vault.spentTotal - held.held
  if (amount > left) return violation(`Of the lifetime cap, ${left > 0n ? left : 0n} is left.`)
  return undefined
}

function fundsRefusal(
  { vault, held, amount }: Spending,
  { reserveFloor }: PolicyRow,
): SpendingRefusal | undefined {
  const left = vault.balance - held.held - amount
  if (left >= reserveFloor) return undefined
  const free = vault.balance - held.held - reserveFloor
  return {
    code: 'insufficient_funds',
    message: `Above its reserve and what is promised, the vault has ${free > 0n ? free : 0n}.`,
  }
}
