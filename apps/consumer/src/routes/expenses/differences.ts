/** What one revision of an expense changed compared with another. Pure. */
import type { Revision } from './expense-types.ts'

export type Terms = Pick<
  Revision,
  | 'purpose'
  | 'amountBaseUnits'
  | 'recipientId'
  | 'recipientLabel'
  | 'recipientAddress'
  | 'vaultId'
  | 'requestedMode'
  | 'category'
  | 'categoryName'
  | 'reference'
  | 'dueDate'
  | 'attachments'
>

type Of<Field extends string, Value> = { field: Field; before: Value; after: Value }

export type Difference =
  | Of<'amount', string>
  | Of<'recipient', { label: string; address: string }>
  | Of<'purpose', string>
  | Of<'vault', string>
  | Of<'mode', Revision['requestedMode']>
  | Of<'category', string | null>
  | Of<'reference', string | null>
  | Of<'dueDate', string | null>
  | { field: 'attachments'; added: readonly string[]; removed: readonly string[] }

const recipientOf = ({ recipientLabel: label, recipientAddress: address }: Terms) => ({
  label,
  address,
})
const categoryOf = ({ category, categoryName }: Terms) => categoryName ?? category ?? null
const fileNames = (
  files: NonNullable<Terms['attachments']>,
  without: NonNullable<Terms['attachments']>,
) => files.filter(({ id }) => !without.some((other) => other.id === id)).map(({ name }) => name)

/** In the order of weight: money and who gets it first. */
export function differencesOf(before: Terms, after: Terms): Difference[] {
  const all: (Difference | null)[] = [
    before.amountBaseUnits === after.amountBaseUnits
      ? null
      : { field: 'amount', before: before.amountBaseUnits, after: after.amountBaseUnits },
    before.recipientId === after.recipientId && before.recipientAddress === after.recipientAddress
      ? null
      : { field: 'recipient', before: recipientOf(before), after: recipientOf(after) },
    before.purpose === after.purpose
      ? null
      : { field: 'purpose', before: before.purpose, after: after.purpose },
    before.vaultId === after.vaultId
      ? null
      : { field: 'vault', before: before.vaultId, after: after.vaultId },
    before.requestedMode === after.requestedMode
      ? null
      : { field: 'mode', before: before.requestedMode, after: after.requestedMode },
    (before.category ?? null) === (after.category ?? null)
      ? null
      : { field: 'category', before: categoryOf(before), after: categoryOf(after) },
    (before.reference ?? null) === (after.reference ?? null)
      ? null
      : { field: 'reference', before: before.reference ?? null, after: after.reference ?? null },
    (before.dueDate ?? null) === (after.dueDate ?? null)
      ? null
      : { field: 'dueDate', before: before.dueDate ?? null, after: after.dueDate ?? null },
    attachmentsOf(before.attachments ?? [], after.attachments ?? []),
  ]
  return all.filter((difference) => difference !== null)
}

function attachmentsOf(
  before: NonNullable<Terms['attachments']>,
  after: NonNullable<Terms['attachments']>,
): Difference | null {
  const added = fileNames(after, before)
  const removed = fileNames(before, after)
  return added.length + removed.length === 0 ? null : { field: 'attachments', added, removed }
}
