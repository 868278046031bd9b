/** A new revision: the submitter's terms with vault and recipient as the database has them now. */
import { versionHashOf } from '@countersign/proof/version-hash.ts'
import type { Member } from '#access/permissions.ts'
import { type AttachmentRecord, EXPENSES_MAX } from '#attachments/attachment.ts'
import { findOtherUses, lockAttachments } from '#attachments/attachments.store.ts'
import { viewerOf } from '#attachments/read-attachment.ts'
import type { Context } from '#context.ts'
import { findRecipientAndName, type Recipient } from '#organizations/recipients.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { lowerCased } from '#platform/values.ts'
import { requireUsable } from '#treasury/vault.ts'
import { findVault, type VaultRow } from '#treasury/vaults.store.ts'
import { type ExpenseCategory, findCategory } from './categories.store.ts'
import { type ExpenseTerms, requireValidTerms, textKeyOf } from './expense.ts'
import type { NewRevision, RevisionAttachment } from './expenses.store.ts'

export type ComposeRevision = {
  actor: Member
  expenseId: string
  revision: number
  terms: ExpenseTerms
  reason: string | null
  parties: Parties
}

/** What the terms name, if it exists: vault, recipient, category and attachments. */
export type Parties = {
  vault: VaultRow | undefined
  recipient: Recipient | undefined
  /** Of whoever writes the revision. */
  authorName: string | null
  category: ExpenseCategory | undefined
  /** Those that the submitter may use. */
  attachments: AttachmentRecord[]
  /** The number of other expenses that use the most used of the attachments. */
  otherUses: number
}

/** `expenseId` is null for a new expense. */
export async function findParties(
  tx: Tx,
  actor: Member,
  { terms, expenseId }: { terms: ExpenseTerms; expenseId: string | null },
): Promise<Parties> {
  const { organizationId, accountId } = actor
  const { vaultId, recipientId, attachmentIds = [] } = terms
  const code = terms.category ?? undefined
  const hasAttachments = attachmentIds.length > 0
  const [vault, found, category, attachments, otherUses] = await Promise.all([
    findVault(tx, { organizationId, vaultId }),
    findRecipientAndName(tx, { organizationId, recipientId, accountId }),
    code === undefined ? undefined : findCategory(tx, { organizationId, code }),
    hasAttachments ? lockAttachments(tx, { ...viewerOf(actor), attachmentIds }) : [],
    hasAttachments ? findOtherUses(tx, { organizationId, attachmentIds, expenseId }) : 0,
  ])
  const { recipient, displayName: authorName = null } = found ?? {}
  return { vault, recipient, authorName, category, attachments, otherUses }
}

const invalid = (message: string) => new AppError('validation_failed', { message })

function requireDetails(terms: ExpenseTerms, { category, attachments, otherUses }: Parties) {
  if (typeof terms.category === 'string' && !category) {
    throw invalid("`category` must be the code of one of the organization's categories.")
  }
  const ordered = (terms.attachmentIds ?? []).map((wanted) => {
    const found = attachments.find(({ id }) => id === wanted.toLowerCase())
    if (found) return found
    throw new AppError('forbidden', {
      message: 'You have no such attachment. Upload the file, and use the id in the response.',
    })
  })
  // Afterwards, so that it says nothing about attachments that the caller cannot see.
  if (otherUses >= EXPENSES_MAX) {
    throw new AppError('state_conflict', {
      message: `At most ${EXPENSES_MAX} expenses can use an attachment. Upload the file again.`,
    })
  }
  return {
    attachments: ordered.length === 0 ? null : ordered.map(toRevisionAttachment),
    category: category?.code ?? null,
    categoryName: category?.name ?? null,
    reference: terms.reference ?? null,
    dueDate: terms.dueDate ?? null,
  }
}

const toRevisionAttachment = ({
  id,
  name,
  mediaType,
  sizeBytes,
  sha256,
}: AttachmentRecord): RevisionAttachment => ({ id, name, mediaType, sizeBytes, sha256 })

/**
 * Copies the recipient's address, so that no later change of the recipient can redirect the money.
 */
export function composeRevision(
  ctx: Pick<Context, 'clock'>,
  { actor, expenseId, revision, terms, reason, parties }: ComposeRevision,
): NewRevision {
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
  const details = requireDetails(terms, parties)
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
    ...details,
    attachments: details.attachments?.map(({ sha256 }) => sha256) ?? [],
    vaultAddress: vault.address,
    chainId: vault.chainId,
    tokenAddress: vault.tokenAddress,
  })
  const { reference } = details
  return {
    ...content,
    ...details,
    recipientId: recipient.id,
    recipientLabel: recipient.label,
    reason,
    versionHash,
    authorAccountId: accountId,
    purposeKey: textKeyOf(purpose),
    referenceKey: reference === null ? null : textKeyOf(reference),
    createdAt: ctx.clock.now(),
  }
}
