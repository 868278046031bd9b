/** Pure rules for a spending policy: which terms are valid. */
import { checksummed } from '@countersign/proof/values.ts'
import { AppError } from '#platform/errors.ts'
import { type PolicyLimits, requireConsistentLimits } from './policy-limits.ts'

export const APPROVERS_MAX = 32
const CAP_MAX = (1n << 128n) - 1n

/** Addresses are lower case here. */
export type PolicyTerms = PolicyLimits & {
  executorAddress: string
  approverAddresses: string[]
  approvedCap: bigint
  automaticCap: bigint
  lifetimeCap: bigint
  reserveFloor: bigint
  expiresAt: string
  automaticEnabled: boolean
  paused: boolean
}

const caps = [
  'approvedCap',
  'automaticCap',
  'lifetimeCap',
  'reserveFloor',
  'periodCap',
  'automaticPeriodCap',
] as const

const invalid = (message: string) => new AppError('validation_failed', { message })
const violation = (message: string) => new AppError('policy_violation', { message })

/** Rejects terms that no contract would accept, whatever its state. */
export function requireConsistent(
  terms: Omit<PolicyTerms, 'executorAddress' | 'approverAddresses'>,
): void {
  const tooLarge = caps.find((name) => terms[name] > CAP_MAX)
  if (tooLarge) throw invalid(`\`${tooLarge}\` must be below 2^128.`)
  if (terms.tiers.some(({ above }) => above > CAP_MAX)) {
    throw invalid('`above` in `tiers` must be below 2^128.')
  }
  if (terms.automaticCap > terms.approvedCap) {
    throw invalid('`automaticCap` must not be above `approvedCap`.')
  }
  if (terms.approvedCap > terms.lifetimeCap) {
    throw invalid('`approvedCap` must not be above `lifetimeCap`.')
  }
  requireConsistentLimits(terms)
}

/** Depends on the clock, so an idempotent replay must not run it. */
export function requireUnexpired({ expiresAt }: Pick<PolicyTerms, 'expiresAt'>, at: Date): void {
  if (expiresAt <= at.toISOString()) throw invalid('`expiresAt` must be in the future.')
}

export type PolicyVault = { address: string; tokenAddress: string; spentTotal: bigint }

/** Rejects terms and recipients that this organization and vault do not allow now. */
export function requirePossible(
  terms: PolicyTerms & { recipientAddresses: readonly string[] },
  { address, tokenAddress, spentTotal }: PolicyVault,
): void {
  const { approverAddresses, executorAddress } = terms
  const recipients = new Set(terms.recipientAddresses)
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
  if (approverAddresses.includes(executorAddress)) {
    throw violation('The executor cannot be an approver. Revoke its approver role first.')
  }
  if (recipients.has(executorAddress)) {
    throw violation('The executor cannot be a recipient. Deactivate that recipient first.')
  }
  const paid = approverAddresses.find((approver) => recipients.has(approver))
  if (paid !== undefined) {
    throw violation(
      `The vault pays no approver, and ${checksummed(paid)} is also a recipient. Deactivate that ` +
        'recipient, or revoke its approver role.',
    )
  }
  if ([address, tokenAddress].some((own) => approverAddresses.includes(own) || recipients.has(own)))
    throw violation('Neither the vault nor its token can be an approver or a recipient.')
  if (terms.lifetimeCap < spentTotal) {
    throw violation(
      `\`lifetimeCap\` must be at least ${spentTotal}, which the vault has already paid.`,
    )
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
