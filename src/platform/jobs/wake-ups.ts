/**
 * Notifies readers of live events after the commit. NOTIFY inside a transaction holds PostgreSQL's
 * single notification lock until the commit is on disk, which would serialise the commits of all
 * tenants. A notification can be lost if this process dies in between; readers also poll every
 * second or two.
 */
import { setTimeout as wait } from 'node:timers/promises'
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

/** The first notification goes at once. Commits come in groups, and one wakes as well as ten. */
const GATHER_MS = 20

/** One notification at a time; commits in the meantime share the next one. */
export function createWakeUps({ query, onFailure = () => {} }: WakeUpOptions): WakeUps {
  let isDue = false
  let isFailing = false
  let inProgress: Promise<void> | undefined
  let gathering: AbortController | undefined
  let isSettling = false
  const gather = async () => {
    if (isSettling) return
    gathering = new AbortController()
    await wait(GATHER_MS, undefined, { signal: gathering.signal }).catch(() => {})
  }
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
      await gather()
    }
    inProgress = undefined
  }
  return {
    wake() {
      isDue = true
      inProgress ??= notify()
    },
    async settled() {
      isSettling = true
      gathering?.abort()
      await inProgress
      isSettling = false
    },
  }
}
