/** Whether a vault can make a payment now, and the first refusal if it cannot. Pure. */
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

/** Checks in the order of the contract, so that both report the same first reason. */
export function spendingRefusal(spending: Spending): SpendingRefusal | undefined {
  const { vault, policy, executorAddress } = spending
  if (vault.archivedAt !== null)
    return { code: 'vault_archived', message: 'The vault is archived.' }
  if (vault.state !== 'verified')
    return { code: 'vault_unverified', message: 'The vault is unverified.' }
  if (!policy)
    return { code: 'policy_missing', message: 'The vault has no policy. Configure one first.' }
  if (executorAddress === undefined) {
    return {
      code: 'executor_not_ready',
      message: 'The organization has no active executor. Provision one first.',
    }
  }
  if (policy.executorAddress !== executorAddress) {
    return violation('The policy names another executor. Configure a new policy.')
  }
  return policyRefusal(spending, policy) ?? fundsRefusal(spending, policy)
}

function policyRefusal(
  { vault, held, mode, amount, recipientAddress, now }: Spending,
  policy: PolicyRow,
): SpendingRefusal | undefined {
  if (policy.paused) return violation('The policy is paused. Configure a policy that is not.')
  if (policy.expiresAt <= now) return violation('The policy has expired. Configure a new policy.')
  if (mode === 'automatic' && !policy.automaticEnabled) {
    return violation('The policy allows no automatic payments. Request approval instead.')
  }
  const cap = mode === 'automatic' ? policy.automaticCap : policy.approvedCap
  if (amount > cap) return violation(`The amount exceeds the ${mode} cap of ${cap}.`)
  if (!policy.recipientAddresses.includes(recipientAddress)) {
    return violation('The policy on chain does not list this recipient. Configure a new policy.')
  }
  const left = policy.lifetimeCap - vault.spentTotal - held.held
  if (amount > left) return violation(`Only ${left > 0n ? left : 0n} of the lifetime cap remains.`)
  return undefined
}

function fundsRefusal(
  { vault, held, amount }: Spending,
  policy: PolicyRow,
): SpendingRefusal | undefined {
  const left = vault.balance - held.held - amount
  if (left >= policy.reserveFloor) return undefined
  const free = availableFunds({ vault, held, policy })
  return {
    code: 'insufficient_funds',
    message:
      `The vault has ${free} available above its reserve and pending payments. ` +
      'Deposit first, or lower the amount.',
  }
}

/** What the vault can pay above its reserve floor and live payments. Never below zero. */
export function availableFunds({
  vault,
  held,
  policy,
}: {
  vault: Pick<VaultRow, 'balance'>
  held: Pick<Held, 'held'>
  policy: Pick<PolicyRow, 'reserveFloor'>
}): bigint {
  const free = vault.balance - held.held - policy.reserveFloor
  return free > 0n ? free : 0n
}
