/**
 * Writes a revision: the submitter's terms with the vault and recipient as the database has them
 * now.
 */
import { versionHashOf } from '@countersign/proof/version-hash.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { findRecipient, type Recipient } from '#organizations/recipients.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { lowerCased } from '#platform/values.ts'
import { requireUsable } from '#treasury/vault.ts'
import { findVault, type VaultRow } from '#treasury/vaults.store.ts'
import { type ExpenseTerms, purposeKeyOf, requireValidTerms } from './expense.ts'
import { insertRevision, type RevisionRow } from './expenses.store.ts'

export type WriteRevision = {
  actor: Member
  expenseId: string
  revision: number
  terms: ExpenseTerms
  reason: string | null
  parties: Parties
}

/** The vault that pays and the recipient that is paid, if they exist. */
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

/**
 * Copies the recipient's address, so that no later change of the recipient can redirect the money.
 */
export function writeRevision(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  { actor, expenseId, revision, terms, reason, parties }: WriteRevision,
): RevisionRow {
  const { organizationId, accountId } = actor
  const { purpose, requestedMode } = terms
  const { vault, recipient } = parties
  const amount = requireValidTerms(terms)
  if (!vault) throw new AppError('forbidden', { message: 'The organization has no such vault.' })
  requireUsable(vault)
  if (!recipient)
    throw new AppError('forbidden', { message: 'The organization has no such recipient.' })
  if (!recipient.active) {
    throw new AppError('state_conflict', {
      message: 'The recipient is deactivated. Choose an active one.',
    })
  }
  const recipientAddress = lowerCased(recipient.address)
  const content = {
    organizationId,
    expenseId,
    revision,
    // The stored spelling of the id, which is shown to whoever recomputes the hash.
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
  const { organizationId: _organization, ...stored } = content
  const row = {
    ...stored,
    recipientId: recipient.id,
    recipientLabel: recipient.label,
    reason,
    versionHash,
    authorAccountId: accountId,
  }
  insertRevision(tx, { ...row, organizationId, purposeKey: purposeKeyOf(purpose), at })
  return { ...row, createdAt: at.toISOString() }
}
