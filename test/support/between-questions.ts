import type { Db } from '#platform/database.ts'

/** Before the question of this number, of all that are asked in transactions, something happens. */
export function beforeQuestion(db: Db, place: number, happen: () => Promise<unknown>): Db {
  let asked = 0
  return {
    ...db,
    transaction: (scope, work, options) =>
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
      ),
  }
}
