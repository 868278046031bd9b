/** A revision as it is stored: the terms, with what the books say of vault and recipient now. */
import { versionHashOf } from '@countersign/proof/version-hash.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { findRecipient, type Recipient } from '#organizations/recipients.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { lowerCased } from '#platform/values.ts'
import { requireUsable } from '#treasury/vault.ts'
import { findVault, type VaultRow } from '#treasury/vaults.store.ts'
import { type ExpenseTerms, purposeKeyOf, requirePlausible } from './expense.ts'
import { insertRevision, type RevisionRow } from './expenses.store.ts'

export type WriteRevision = {
  actor: Member
  expenseId: string
  revision: number
  terms: ExpenseTerms
  reason: string | null
  parties: Parties
}

/** Where the money would come from and where it would go, if there are such. */
export type Parties = { vault: VaultRow | undefined; recipient: Recipient | undefined }

export async function findParties(
  tx: Tx,
  { organizationId }: Pick<Member, 'organizationId'>,
  { vaultId, recipientId }: Pick<ExpenseTerms, 'vaultId' | 'recipientId'>,
): Promise<Parties> {
  const [vault, recipient] = await Promise.all([
    findVault(tx, { organizationId, vaultId }),
    findRecipient(tx, { organizationId, recipientId }),
  ])
  return { vault, recipient }
}

/** The address is copied, so that nothing done to the recipient later can turn the money. */
export function writeRevision(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  { actor, expenseId, revision, terms, reason, parties }: WriteRevision,
): RevisionRow {
  const { organizationId, accountId } = actor
  const { purpose, requestedMode } = terms
  const { vault, recipient } = parties
  const amount = requirePlausible(terms)
  if (!vault) throw new AppError('forbidden', { message: 'There is no such vault here.' })
  requireUsable(vault)
  if (!recipient) throw new AppError('forbidden', { message: 'There is no such recipient here.' })
  if (!recipient.active) {
    throw new AppError('state_conflict', { message: 'This recipient is deactivated.' })
  }
  const recipientAddress = lowerCased(recipient.address)
  const content = {
    organizationId,
    expenseId,
    revision,
    // As the books spell it: whoever recomputes the hash is shown this, not what was typed.
    vaultId: vault.id,
    recipientAddress,
    amount,
    requestedMode,
    purpose,
  }
  const versionHash = versionHashOf({
    ...content,
    vaultAddress: vault.address,
    chainId: vault.chainId,
    tokenAddress: vault.tokenAddress,
  })
  const at = ctx.clock.now()
  const { organizationId: _organization, ...asked } = content
  const row = {
    ...asked,
    recipientId: recipient.id,
    recipientLabel: recipient.label,
    reason,
    versionHash,
    authorAccountId: accountId,
  }
  insertRevision(tx, { ...row, organizationId, purposeKey: purposeKeyOf(purpose), at })
  return { ...row, createdAt: at.toISOString() }
}
