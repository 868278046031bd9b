/** What the form of an expense holds, and what becomes of it. Pure. */
import type { BodyOf } from '@countersign/client/operation-types.ts'
import { editableAmount, type ParsedAmount, parseAmount } from '@countersign/ui/amounts.ts'
import type { Revision } from '../expense-types.ts'

export type AttachedFile = Pick<
  NonNullable<Revision['attachments']>[number],
  'id' | 'name' | 'mediaType' | 'sizeBytes'
>

export type Values = {
  purpose: string
  recipientId: string | null
  /** As typed. */
  amount: string
  vaultId: string | null
  mode: Revision['requestedMode']
  category: string
  reference: string
  dueDate: string
  attachments: readonly AttachedFile[]
}

export const EMPTY: Values = {
  purpose: '',
  recipientId: null,
  amount: '',
  vaultId: null,
  mode: 'approved',
  category: '',
  reference: '',
  dueDate: '',
  attachments: [],
}

type Units = { decimals: number; locale: string }

export const valuesOf = (revision: Revision, { decimals, locale }: Units): Values => ({
  purpose: revision.purpose,
  recipientId: revision.recipientId,
  amount: editableAmount(revision.amountBaseUnits, decimals, locale),
  vaultId: revision.vaultId,
  mode: revision.requestedMode,
  category: revision.category ?? '',
  reference: revision.reference ?? '',
  dueDate: revision.dueDate ?? '',
  attachments: (revision.attachments ?? []).map(({ id, name, mediaType, sizeBytes }) => ({
    id,
    name,
    mediaType,
    sizeBytes,
  })),
})

export type Problem =
  | 'purpose_missing'
  | 'purpose_too_long'
  | 'recipient_missing'
  | 'vault_missing'
  | `amount_${Extract<ParsedAmount, { ok: false }>['problem']}`
  | 'amount_too_large'
  | 'reference_too_long'

type FieldName = 'purpose' | 'recipient' | 'amount' | 'vault' | 'reference'
export type Problems = Partial<Record<FieldName, Problem>>
export type Terms = BodyOf<'createExpense'>

const AMOUNT_LIMIT = 2n ** 128n
const REFERENCE_MAX = 100
const length = (text: string): number => [...text].length

/** The body of a request, or what is wrong where. Only what the service would refuse is wrong. */
export function checkValues(
  values: Values,
  { decimals, locale, purposeMax }: Units & { purposeMax: number },
): { ok: true; terms: Terms } | { ok: false; problems: Problems } {
  const problems: Problems = {}
  const purpose = values.purpose.trim()
  if (purpose === '') problems.purpose = 'purpose_missing'
  else if (length(purpose) > purposeMax) problems.purpose = 'purpose_too_long'
  if (values.recipientId === null) problems.recipient = 'recipient_missing'
  if (values.vaultId === null) problems.vault = 'vault_missing'
  const reference = values.reference.trim()
  if (length(reference) > REFERENCE_MAX) problems.reference = 'reference_too_long'
  const amount = parseAmount(values.amount, decimals, locale)
  if (!amount.ok) problems.amount = `amount_${amount.problem}`
  else if (BigInt(amount.baseUnits) >= AMOUNT_LIMIT) problems.amount = 'amount_too_large'
  const { vaultId, recipientId } = values
  if (Object.keys(problems).length > 0 || !amount.ok || !vaultId || !recipientId) {
    return { ok: false, problems }
  }
  const terms = {
    vaultId,
    recipientId,
    purpose,
    amountBaseUnits: amount.baseUnits,
    requestedMode: values.mode,
    attachmentIds: values.attachments.map(({ id }) => id),
    category: values.category || null,
    reference: reference || null,
    dueDate: values.dueDate || null,
  }
  return { ok: true, terms }
}

/** Whether someone has begun to fill it in. */
export const isBegun = ({
  purpose,
  recipientId,
  amount,
  reference,
  attachments,
}: Values): boolean =>
  purpose.trim() !== '' ||
  recipientId !== null ||
  amount.trim() !== '' ||
  reference.trim() !== '' ||
  attachments.length > 0
