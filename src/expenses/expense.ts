/**
 * Pure rules for expenses. This module owns the state and contents of an expense; it never moves
 * money and does not judge reports.
 */
import { checksummed } from '@countersign/proof/values.ts'
import { sha256 } from '#platform/digest.ts'
import { AppError } from '#platform/errors.ts'
import { isVisible } from '#platform/values.ts'
import type {
  ExpenseRow,
  RequestedMode,
  RevisionAttachment,
  RevisionRow,
} from './expenses.store.ts'

/** What the submitter enters; the rest of a revision is derived from it. */
export type ExpenseTerms = {
  vaultId: string
  purpose: string
  recipientId: string
  amountBaseUnits: string
  requestedMode: RequestedMode
  /** In the order in which they are shown and hashed. */
  attachmentIds?: readonly string[]
  /** The code of a category of the organization. */
  category?: string | null
  reference?: string | null
  dueDate?: string | null
}

/** The vault counts in 128 bits. */
const AMOUNT_MAX = (1n << 128n) - 1n

const invalid = (message: string) => new AppError('validation_failed', { message })

export function requireValidTerms(terms: ExpenseTerms): bigint {
  const { purpose, amountBaseUnits, reference, attachmentIds = [] } = terms
  if (!isVisible(purpose)) throw invalid('`purpose` must have a visible character.')
  if (typeof reference === 'string' && !isVisible(reference)) {
    throw invalid('`reference` must have a visible character, or be left out.')
  }
  if (new Set(attachmentIds.map((id) => id.toLowerCase())).size < attachmentIds.length) {
    throw invalid('`attachmentIds` must name each attachment once.')
  }
  const amount = BigInt(amountBaseUnits)
  if (amount === 0n) throw invalid('`amountBaseUnits` must be more than 0.')
  if (amount > AMOUNT_MAX) throw invalid('`amountBaseUnits` must be below 2^128.')
  return amount
}

export function requireVisibleText(name: 'reason' | 'body', text: string): void {
  if (!isVisible(text)) throw invalid(`\`${name}\` must have a visible character.`)
}

/** Equal for texts that differ only in case, Unicode form, white space and invisible characters. */
export const textKeyOf = (text: string): Buffer =>
  sha256(
    text
      .normalize('NFKC')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      .toLowerCase()
      .replace(/\s+/gu, ' ')
      .trim(),
  )

export function requireVersion(
  { currentRevision }: Pick<ExpenseRow, 'currentRevision'>,
  expectedVersion: number,
): void {
  if (currentRevision === expectedVersion) return
  throw new AppError('version_conflict', {
    message: `The expense is at revision ${currentRevision}. Read it again and retry.`,
  })
}

export function requireSubmitter(
  { submitterAccountId }: Pick<ExpenseRow, 'submitterAccountId'>,
  { accountId }: { accountId: string },
): void {
  if (submitterAccountId === accountId) return
  throw new AppError('forbidden', { message: 'Only the submitter of an expense may do this.' })
}

export type RevisionRecord = Omit<RevisionRow, 'amount' | 'expenseId' | 'attachments'> & {
  amountBaseUnits: string
  attachments: RevisionAttachment[]
}

export const toRevisionRecord = (row: RevisionRow): RevisionRecord => ({
  revision: row.revision,
  vaultId: row.vaultId,
  purpose: row.purpose,
  recipientId: row.recipientId,
  recipientLabel: row.recipientLabel,
  recipientAddress: checksummed(row.recipientAddress),
  amountBaseUnits: row.amount.toString(),
  requestedMode: row.requestedMode,
  attachments: row.attachments ?? [],
  category: row.category,
  categoryName: row.categoryName,
  reference: row.reference,
  dueDate: row.dueDate,
  reason: row.reason,
  versionHash: row.versionHash,
  authorAccountId: row.authorAccountId,
  createdAt: row.createdAt,
})

export type ListedExpense = ExpenseRow & { revision: RevisionRecord }
