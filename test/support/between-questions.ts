import type { Db } from '#platform/database/database.ts'

/** Runs something before the n-th of all queries that are made in transactions. */
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
  /** A test whose query never came has shown nothing. */
  return { db: watched, hasHappened: () => asked >= place }
}
