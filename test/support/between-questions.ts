import type { Db } from '#platform/database/database.ts'

/** Before the question of this number, of all that are asked in transactions, something happens. */
export function beforeQuestion(db: Db, place: number, happen: () => Promise<unknown>) {
  let asked = 0
  const transaction: Db['transaction'] = (scope, work, options) =>
    db.transaction(
      scope,
      (tx) =>
        work({
          ...tx,
          query: async (statement) => {
            asked += 1
            if (asked === place) await happen()
            return tx.query(statement)
          },
        }),
      options,
    )
  const watched: Db = { ...db, transaction }
  /** A test whose moment never came has shown nothing. */
  return { db: watched, hasHappened: () => asked >= place }
}
