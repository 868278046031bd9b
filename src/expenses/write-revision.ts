/** A revision as it is stored: the terms, with what the books say of vault and recipient now. */
import type { Context } from '#context.ts'
import type { Member } from '#organizations/permissions.ts'
import { findRecipient } from '#organizations/recipients.store.ts'
import type { Tx } from '#platform/database.ts'
import { AppError } from '#platform/errors.ts'
import { lowerCased } from '#platform/values.ts'
import { requireUsable } from '#treasury/vault.ts'
import { findVault } from '#treasury/vaults.store.ts'
import { type ExpenseTerms, purposeKeyOf, requirePlausible, versionHashOf } from './expense.ts'
import { insertRevision } from './expenses.store.ts'

export type WriteRevision = {
  actor: Member
  expenseId: string
  revision: number
  terms: ExpenseTerms
  reason: string | null
}

/** The address is copied, so that nothing done to the recipient later can turn the money. */
export async function writeRevision(
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  { actor, expenseId, revision, terms, reason }: WriteRevision,
): Promise<string> {
  const { organizationId, accountId } = actor
  const { vaultId, recipientId, purpose, requestedMode } = terms
  const amount = requirePlausible(terms)
  const vault = await findVault(tx, { organizationId, vaultId })
  if (!vault) throw new AppError('forbidden', { message: 'There is no such vault here.' })
  requireUsable(vault)
  const recipient = await findRecipient(tx, { organizationId, recipientId })
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
  await insertRevision(tx, {
    ...content,
    recipientId,
    recipientLabel: recipient.label,
    purposeKey: purposeKeyOf(purpose),
    reason,
    versionHash,
    authorAccountId: accountId,
    at: ctx.clock.now(),
  })
  return versionHash
}
