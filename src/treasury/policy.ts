/** Pure rules for a spending policy: valid terms, and the changes from the policy in force. */
import { checksummed } from '@countersign/proof/values.ts'
import { AppError } from '#platform/errors.ts'

export const APPROVERS_MAX = 32
export const RECIPIENTS_MAX = 256
const CAP_MAX = (1n << 128n) - 1n

/** Addresses are lower case here. */
export type PolicyTerms = {
  executorAddress: string
  approverAddresses: string[]
  recipientAddresses: string[]
  approvedCap: bigint
  automaticCap: bigint
  lifetimeCap: bigint
  reserveFloor: bigint
  expiresAt: string
  automaticEnabled: boolean
  paused: boolean
}

const invalid = (message: string) => new AppError('validation_failed', { message })
const violation = (message: string) => new AppError('policy_violation', { message })

/** Rejects terms that no contract would accept, whatever its state. */
export function requireConsistent(
  terms: Omit<PolicyTerms, 'executorAddress' | 'approverAddresses' | 'recipientAddresses'>,
): void {
  const caps = ['approvedCap', 'automaticCap', 'lifetimeCap', 'reserveFloor'] as const
  const tooLarge = caps.find((name) => terms[name] > CAP_MAX)
  if (tooLarge) throw invalid(`\`${tooLarge}\` must be below 2^128.`)
  if (terms.automaticCap > terms.approvedCap) {
    throw invalid('`automaticCap` must not be above `approvedCap`.')
  }
  if (terms.approvedCap > terms.lifetimeCap) {
    throw invalid('`approvedCap` must not be above `lifetimeCap`.')
  }
}

/** Depends on the clock, so an idempotent replay must not run it. */
export function requireUnexpired({ expiresAt }: Pick<PolicyTerms, 'expiresAt'>, at: Date): void {
  if (expiresAt <= at.toISOString()) throw invalid('`expiresAt` must be in the future.')
}

export type PolicyVault = { address: string; tokenAddress: string; spentTotal: bigint }

/** Rejects terms that this organization and vault do not allow now. */
export function requirePossible(
  terms: PolicyTerms,
  { address, tokenAddress, spentTotal }: PolicyVault,
): void {
  const { approverAddresses, recipientAddresses, executorAddress } = terms
  if (approverAddresses.length === 0) {
    throw violation(
      'A policy needs at least one approver. Assign a wallet the approver role first.',
    )
  }
  if (approverAddresses.length > APPROVERS_MAX) {
    throw violation(
      `A policy may list at most ${APPROVERS_MAX} approvers. Revoke an approver role first.`,
    )
  }
  if (recipientAddresses.length > RECIPIENTS_MAX) {
    throw violation(
      `A policy may list at most ${RECIPIENTS_MAX} recipients. Deactivate some first.`,
    )
  }
  if (approverAddresses.includes(executorAddress)) {
    throw violation('The executor cannot be an approver. Revoke its approver role first.')
  }
  if (recipientAddresses.includes(executorAddress)) {
    throw violation('The executor cannot be a recipient. Deactivate that recipient first.')
  }
  const listed = [...approverAddresses, ...recipientAddresses]
  if (listed.includes(address) || listed.includes(tokenAddress)) {
    throw violation('Neither the vault nor its token can be an approver or a recipient.')
  }
  if (terms.lifetimeCap < spentTotal) {
    throw violation(
      `\`lifetimeCap\` must be at least ${spentTotal}, which the vault has already paid.`,
    )
  }
}

type ListChange = { added: string[]; removed: string[] }
type ValueChange<T> = { from: T | null; to: T }
export type PolicyChanges = {
  recipients: ListChange
  approvers: ListChange
  executor: ValueChange<string> | null
  approvedCap: ValueChange<string> | null
  automaticCap: ValueChange<string> | null
  lifetimeCap: ValueChange<string> | null
  reserveFloor: ValueChange<string> | null
  expiresAt: ValueChange<string> | null
  automaticEnabled: ValueChange<boolean> | null
  paused: ValueChange<boolean> | null
}

const listChange = (before: readonly string[], after: readonly string[]): ListChange => ({
  added: after.filter((entry) => !before.includes(entry)).map(checksummed),
  removed: before.filter((entry) => !after.includes(entry)).map(checksummed),
})

const valueChange = <T>(from: T | undefined, to: T): ValueChange<T> | null =>
  from === to ? null : { from: from ?? null, to }

/** Shown to the owner before signing, so that no one can add an address unnoticed. */
export function changesBetween(before: PolicyTerms | undefined, after: PolicyTerms): PolicyChanges {
  const cap = (name: 'approvedCap' | 'automaticCap' | 'lifetimeCap' | 'reserveFloor') =>
    valueChange(before?.[name].toString(), after[name].toString())
  return {
    recipients: listChange(before?.recipientAddresses ?? [], after.recipientAddresses),
    approvers: listChange(before?.approverAddresses ?? [], after.approverAddresses),
    executor: valueChange(
      before && checksummed(before.executorAddress),
      checksummed(after.executorAddress),
    ),
    approvedCap: cap('approvedCap'),
    automaticCap: cap('automaticCap'),
    lifetimeCap: cap('lifetimeCap'),
    reserveFloor: cap('reserveFloor'),
    expiresAt: valueChange(before?.expiresAt, after.expiresAt),
    automaticEnabled: valueChange(before?.automaticEnabled, after.automaticEnabled),
    paused: valueChange(before?.paused, after.paused),
  }
}

export type ListedAddresses = Pick<
  PolicyTerms,
  'executorAddress' | 'approverAddresses' | 'recipientAddresses'
>

export type PolicyDifferences = {
  missingRecipients: string[]
  extraRecipients: string[]
  missingApprovers: string[]
  extraApprovers: string[]
  executorDiffers: boolean
}

/**
 * How the policy in force differs from the organization now. Missing: active in the organization,
 * and not in the policy. Extra: in the policy, and no longer active. A policy that is prepared now
 * would add the missing and remove the extra addresses.
 */
export function differencesFrom(
  policy: ListedAddresses,
  organization: Omit<ListedAddresses, 'executorAddress'> & { executorAddress: string | undefined },
): PolicyDifferences {
  const recipients = listChange(policy.recipientAddresses, organization.recipientAddresses)
  const approvers = listChange(policy.approverAddresses, organization.approverAddresses)
  return {
    missingRecipients: recipients.added,
    extraRecipients: recipients.removed,
    missingApprovers: approvers.added,
    extraApprovers: approvers.removed,
    executorDiffers: policy.executorAddress !== organization.executorAddress,
  }
}

/** Never below zero: a new policy may have a cap that is already exceeded. */
export const remainingAllowance = ({
  lifetimeCap,
  spentTotal,
  held,
}: {
  lifetimeCap: bigint
  spentTotal: bigint
  held: bigint
}): bigint => {
  const left = lifetimeCap - spentTotal - held
  return left > 0n ? left : 0n
}
