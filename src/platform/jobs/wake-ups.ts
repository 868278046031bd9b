/**
 * Wakes those who wait for live events, after the commit. Within a transaction, NOTIFY takes the
 * one lock that PostgreSQL has for it and holds it until the commit is on the disk, so that commits
 * of all tenants would go there one after the other. Telling is no promise: whoever was not told
 * (this process died between the two, or could not) looks by themselves, a second or two later.
 */
import sql, { type Sql } from 'sql-template-tag'

/** A connection that says so wakes by itself; for any other the trigger of `live_events` does. */
export const NOTIFY_AFTER_COMMIT = { 'app.wakes': 'afterwards' }

const NOTIFY: Sql = sql`select pg_notify('countersign_live', '')`

export type WakeUps = { wake(): void; settled(): Promise<void> }

export type WakeUpOptions = {
  query(statement: Sql): Promise<unknown>
  /** The first of failures in a row. */
  onFailure?(error: unknown): void
}

/** One at a time: what commits meanwhile is told with the next. */
export function createWakeUps({ query, onFailure = () => {} }: WakeUpOptions): WakeUps {
  let isDue = false
  let isInTrouble = false
  let underWay: Promise<void> | undefined
  const tell = async () => {
    while (isDue) {
      isDue = false
      try {
        await query(NOTIFY)
        isInTrouble = false
      } catch (error) {
        if (!isInTrouble) onFailure(error)
        isInTrouble = true
      }
    }
    underWay = undefined
  }
  return {
    wake() {
      isDue = true
      underWay ??= tell()
    },
    settled: async () => underWay,
  }
}
