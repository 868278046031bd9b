/** A vault takes a limited number of changes at once; a long list takes several transactions. */
import type { PolicyChanges } from './policy-difference.ts'

export const RECIPIENT_CHANGES_MAX = 500

const lower = (one: string): string => one.toLowerCase()

/**
 * The list after this transaction. The service chooses which changes come first; it may only choose
 * among those that were asked for, or the transaction is compared with the whole change and refused.
 */
export function recipientsAfter(
  inForce: readonly string[],
  wanted: readonly string[],
  stated: PolicyChanges['recipients'],
): readonly string[] {
  const had = new Set(inForce.map(lower))
  const has = new Set(wanted.map(lower))
  const added = wanted.filter((one) => !had.has(lower(one)))
  const removed = inForce.filter((one) => !has.has(lower(one)))
  if (added.length + removed.length <= RECIPIENT_CHANGES_MAX) return wanted
  const isAsked =
    stated.added.length + stated.removed.length === RECIPIENT_CHANGES_MAX &&
    stated.added.every((one) => has.has(lower(one)) && !had.has(lower(one))) &&
    stated.removed.every((one) => had.has(lower(one)) && !has.has(lower(one)))
  if (!isAsked) return wanted
  const gone = new Set(stated.removed.map(lower))
  return [...inForce.filter((one) => !gone.has(lower(one))), ...stated.added]
}
