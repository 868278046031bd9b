/** Lets something happen while a command works: before its nth query, counted over transactions. */
import type { Db, Reader } from '#platform/database/database.ts'

export function beforeQuestion(db: Db, place: number, happen: () => Promise<unknown>) {
  let asked = 0
  const watching = <Source extends Reader>(source: Source): Source => ({
    ...source,
    query: async (statement) => {
      asked += 1
      if (asked === place) await happen()
      return source.query(statement)
    },
  })
  const watched: Db = {
    ...db,
    transaction: (scope, work, options) =>
      db.transaction(scope, (tx) => work(watching(tx)), options),
    read: (scope, work) => db.read(scope, (reader) => work(watching(reader))),
  }
  /** A test whose query never came has shown nothing. */
  return { db: watched, hasHappened: () => asked >= place }
}
