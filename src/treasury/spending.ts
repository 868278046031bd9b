/** Whether a vault can make a payment now, and the first refusal if it cannot. Pure. */
import type { BlockCode } from '#platform/block-codes.ts'
import type { ErrorCode } from '#platform/errors.ts'
import type { PeriodSpending } from './period.ts'
import type { PolicyRow } from './policies.store.ts'
import type { RecipientStanding } from './vault-recipients.store.ts'
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
  /** What the vault's list says of it. */
  recipient: Omit<RecipientStanding, 'address'> | undefined
  /** Undefined without a period. */
  period: PeriodSpending | undefined
  /** ISO 8601. */
  now: string
}

export type SpendingRefusal = {
  /** The error to the caller. */
  code: ErrorCode & BlockCode
  /** Of a payment that is rechecked. */
  blockCode: BlockCode
  message: string
  /** When the next period has room for the payment. Null if waiting for it does not help. */
  possibleFrom: string | null
}

const refusal = (code: ErrorCode & BlockCode, message: string): SpendingRefusal => ({
  code,
  blockCode: code,
  message,
  possibleFrom: null,
})

const violation = (message: string): SpendingRefusal => refusal('policy_violation', message)

/** Checks in the order of the contract, so that both report the same first reason. */
export function spendingRefusal(spending: Spending): SpendingRefusal | undefined {
  const { vault, policy, executorAddress } = spending
  if (vault.archivedAt !== null) return refusal('vault_archived', 'The vault is archived.')
  if (vault.state !== 'verified') return refusal('vault_unverified', 'The vault is unverified.')
  if (!policy) return refusal('policy_missing', 'The vault has no policy. Configure one first.')
  if (executorAddress === undefined) {
    return refusal(
      'executor_not_ready',
      'The organization has no active executor. Provision one first.',
    )
  }
  if (policy.executorAddress !== executorAddress) {
    return violation('The policy names another executor. Configure a new policy.')
  }
  return (
    policyRefusal(spending, policy) ??
    recipientRefusal(spending, policy) ??
    sumsRefusal(spending, policy) ??
    fundsRefusal(spending, policy)
  )
}

function policyRefusal(
  { mode, amount, now }: Spending,
  policy: PolicyRow,
): SpendingRefusal | undefined {
  if (policy.paused) return violation('The policy is paused. Lift the pause first.')
  if (policy.expiresAt <= now) return violation('The policy has expired. Configure a new policy.')
  if (mode === 'automatic' && !policy.automaticEnabled) {
    return violation('The policy allows no automatic payments. Request approval instead.')
  }
  const cap = mode === 'automatic' ? policy.automaticCap : policy.approvedCap
  if (amount > cap) return violation(`The amount exceeds the ${mode} cap of ${cap}.`)
  return undefined
}

function recipientRefusal(
  { recipient, recipientAddress, now }: Spending,
  policy: PolicyRow,
): SpendingRefusal | undefined {
  if (!recipient || recipient.allowedFrom === null) {
    return violation('The vault does not list this recipient on chain. Prepare a policy to add it.')
  }
  if (recipient.allowedFrom > now) {
    return violation(`The vault pays this recipient only from ${shown(recipient.allowedFrom)} on.`)
  }
  if (recipient.blocked) {
    return violation('This recipient is blocked on chain. Only the owner can lift the block.')
  }
  const roles = [policy.executorAddress, ...policy.approverAddresses]
  if (roles.includes(recipientAddress)) {
    return violation('The vault pays neither its executor nor an approver. Pay another address.')
  }
  return undefined
}

function sumsRefusal(spending: Spending, policy: PolicyRow): SpendingRefusal | undefined {
  const { vault, held, mode, amount, period } = spending
  const left = policy.lifetimeCap - vault.spentTotal - held.held
  if (amount > left) return violation(`Only ${positive(left)} of the lifetime cap remains.`)
  if (!period) return undefined
  const { periodCap, automaticPeriodCap } = policy
  const { endsAt } = period
  const { remaining, automaticRemaining } = periodRoom({ policy, held, period })
  if (amount > remaining) {
    return periodRefusal({ amount, remaining, cap: periodCap, what: 'period cap', endsAt })
  }
  if (mode === 'approved' || amount <= automaticRemaining) return undefined
  const what = 'automatic period cap'
  return periodRefusal({
    amount,
    remaining: automaticRemaining,
    cap: automaticPeriodCap,
    what,
    endsAt,
  })
}

type ExhaustedPeriod = {
  amount: bigint
  remaining: bigint
  cap: bigint
  what: string
  endsAt: string
}

function periodRefusal(period: ExhaustedPeriod): SpendingRefusal {
  const { amount, remaining, cap, what, endsAt } = period
  const isPossible = amount <= cap
  return {
    code: 'policy_violation',
    blockCode: 'period_cap_exceeded',
    message: isPossible
      ? `Only ${remaining} of the ${what} of ${cap} remains. Possible again from ${shown(endsAt)}.`
      : `The amount exceeds the ${what} of ${cap}.`,
    possibleFrom: isPossible ? endsAt : null,
  }
}

/** What the period still allows, payments that were reserved but not made included. */
export function periodRoom({
  policy,
  held,
  period,
}: {
  policy: Pick<PolicyRow, 'periodCap' | 'automaticPeriodCap'>
  held: Pick<Held, 'held' | 'heldAutomatic'>
  period: Pick<PeriodSpending, 'total' | 'automatic'>
}): { remaining: bigint; automaticRemaining: bigint } {
  const remaining = positive(policy.periodCap - period.total - held.held)
  const automatic = policy.automaticPeriodCap - period.automatic - held.heldAutomatic
  return { remaining, automaticRemaining: positive(automatic < remaining ? automatic : remaining) }
}

const positive = (amount: bigint): bigint => (amount > 0n ? amount : 0n)

/** The chain counts whole seconds. */
const shown = (timestamp: string): string => timestamp.replace(/\.\d+Z$/, 'Z')

function fundsRefusal(
  { vault, held, amount }: Spending,
  policy: PolicyRow,
): SpendingRefusal | undefined {
  const left = vault.balance - held.held - amount
  if (left >= policy.reserveFloor) return undefined
  const free = availableFunds({ vault, held, policy })
  return refusal(
    'insufficient_funds',
    `The vault has ${free} available above its reserve and pending payments. ` +
      'Deposit first, or lower the amount.',
  )
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
  return positive(vault.balance - held.held - policy.reserveFloor)
}

/** A payment's own reservation must not count against it. */
export const withoutOwn = (
  held: Held,
  { amount, mode }: Pick<Spending, 'amount' | 'mode'>,
): Held => ({
  held: held.held - amount,
  heldAutomatic: held.heldAutomatic - (mode === 'automatic' ? amount : 0n),
  heldCount: held.heldCount - 1,
})
