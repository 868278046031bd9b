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
}

/** What an approval signs and the chain's event repeats: every field that decides the payment. */
export const versionHashOf = (content: VersionedContent): string =>
  canonicalHash({
    v: 1,
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
  })
