/** The sizes that `scale.ts` and `partitions.ts` measure, and docs/SIZING.md names. */
import type { Sizes } from './scale-data.ts'

/** Enough of everything that the answers are cut here too: otherwise they would be shorter. */
export const SMALL: Sizes = {
  openExpenses: 1_000,
  reservedPayments: 500,
  comments: 250,
  memberships: 250,
}

export const LARGE: Sizes = {
  openExpenses: 100_000,
  reservedPayments: 50_000,
  comments: 20_000,
  memberships: 5_000,
}

export const PARTITIONED = { organizations: 1_000_000, rowsEach: 1, partitions: 32 }
