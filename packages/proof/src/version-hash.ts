/** The hash of an expense revision, which an approval signs and the vault logs. */
import { canonicalHash, textHash } from './digest.ts'

export type VersionedContent = {
  organizationId: string
  expenseId: string
  revision: number
  vaultId: string
  /** Addresses are lower case. */
  vaultAddress: string
  chainId: number
  tokenAddress: string
  recipientAddress: string
  amount: bigint
  requestedMode: 'approved' | 'automatic'
  purpose: string
} & RevisionDetails

/** What accounting needs. A revision without any of these hashes as version 1. */
export type RevisionDetails = {
  /** SHA-256 of each attachment, 64 lower-case hex digits, in the revision's order. */
  attachments?: readonly string[]
  /** The category's code. */
  category?: string | null
  reference?: string | null
  /** Such as 2030-01-31. */
  dueDate?: string | null
}

/** Null when the revision has no details. */
function detailsOf({ attachments = [], category, reference, dueDate }: RevisionDetails) {
  const details = {
    attachments: attachments.length === 0 ? null : attachments,
    category: category ?? null,
    reference: reference ?? null,
    dueDate: dueDate ?? null,
  }
  return Object.values(details).every((detail) => detail === null) ? null : details
}

/** What an approval signs and the chain's event repeats: every field that decides the payment. */
export function versionHashOf(content: VersionedContent): string {
  const details = detailsOf(content)
  return canonicalHash({
    v: details ? 2 : 1,
    organizationId: content.organizationId,
    expenseId: content.expenseId,
    revision: content.revision,
    vaultId: content.vaultId,
    vaultAddress: content.vaultAddress,
    chainId: content.chainId,
    token: content.tokenAddress,
    recipientAddress: content.recipientAddress,
    amountBaseUnits: content.amount.toString(),
    requestedMode: content.requestedMode,
    purposeHash: textHash(content.purpose),
    ...details,
  })
}
