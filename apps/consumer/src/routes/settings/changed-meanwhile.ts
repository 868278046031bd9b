/** What a newly read list of categories means for the rows that somebody edits. */
import { type Category, type CategoryRow, toCategories } from './category-rows.ts'

const isSame = (one: readonly Category[], other: readonly Category[] | null): boolean =>
  other !== null &&
  one.length === other.length &&
  one.every(({ code, name }, at) => code === other[at]?.code && name === other[at].name)

/**
 * `own`: it has what was typed or sent here, and the rows stay. `take`: nothing was typed, so the
 * rows follow it. `ask`: somebody else changed the list beside what was typed.
 */
export function changedMeanwhile(
  saved: readonly Category[],
  {
    rows,
    base,
    sent,
  }: {
    rows: readonly CategoryRow[]
    /** The list that the rows began with. */
    base: readonly Category[]
    /** The list that was sent last. */
    sent: readonly Category[] | null
  },
): 'same' | 'own' | 'take' | 'ask' {
  if (isSame(saved, base)) return 'same'
  if (isSame(saved, sent) || isSame(saved, toCategories(rows))) return 'own'
  return isSame(rows, base) ? 'take' : 'ask'
}
