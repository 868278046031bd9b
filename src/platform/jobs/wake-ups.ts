/**
 * Notifies readers of live events after the commit. NOTIFY inside a transaction holds PostgreSQL's
 * single notification lock until the commit is on disk, which would serialise the commits of all
 * tenants. A notification can be lost if this process dies in between; readers also poll every
 * second or two.
 */
import sql, { type Sql } from 'sql-template-tag'

/** Connections with this setting notify by themselves; the `live_events` trigger skips them. */
export const NOTIFY_AFTER_COMMIT = { 'app.wakes': 'afterwards' }

const NOTIFY: Sql = sql`select pg_notify('countersign_live', '')`

export type WakeUps = { wake(): void; settled(): Promise<void> }

export type WakeUpOptions = {
  query(statement: Sql): Promise<unknown>
  /** Called for the first of several consecutive failures. */
  onFailure?(error: unknown): void
}

/** One notification at a time; commits in the meantime share the next one. */
export function createWakeUps({ query, onFailure = () => {} }: WakeUpOptions): WakeUps {
  let isDue = false
  let isFailing = false
  let inProgress: Promise<void> | undefined
  const notify = async () => {
    while (isDue) {
      isDue = false
      try {
        await query(NOTIFY)
        isFailing = false
      } catch (error) {
        if (!isFailing) onFailure(error)
        isFailing = true
      }
    }
    inProgress = undefined
  }
  return {
    wake() {
      isDue = true
      inProgress ??= notify()
    },
    settled: async () => inProgress,
  }
}
