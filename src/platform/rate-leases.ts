/**
 * Limits of requests in a window, shared by all processes. A process takes a lease of several
 * requests from the limit in PostgreSQL and counts them down in memory, so that most requests cost
 * no statement. All leases of a window together never exceed the limit. A lease is an eighth of
 * what is left: large at first, single requests near the end, so that little is left unused in
 * another process.
 */
import sql from 'sql-template-tag'
import type { Db } from '#platform/database/database.ts'
import type { Clock } from './clock.ts'
import { sha256 } from './digest.ts'

type Lease = { granted: number; leftMs: number }

export type RateLimit = {
  /** Different limits of one key are counted apart. */
  name: string
  max: number
  windowMs: number
}

export type RateCounter = {
  /** Milliseconds until the caller may try again; 0 if the request is within the limit. */
  count(key: string): Promise<number>
}

const SHARE = 8
/** Of keys in memory. Forgetting one only gives up what is left of its lease. */
const KEYS_MAX = 50_000
const KEY_BYTES = 16

const keyOf = (name: string, key: string): Buffer => sha256(`${name} ${key}`).subarray(0, KEY_BYTES)

/** A single statement, of an unlogged table: it waits for no write to the disk. */
async function takeLease(
  db: Pick<Db, 'query'>,
  { name, max, windowMs }: RateLimit,
  key: string,
): Promise<Lease> {
  const first = Math.max(1, Math.floor(max / SHARE))
  const isOver = sql`r.ends_at <= now()`
  const next = sql`least(greatest(${max}::integer - r.used, 0),
    greatest(1, (${max}::integer - r.used) / ${SHARE}::integer))`
  const [row] = await db.query<Lease>(sql`
    insert into rate_leases as r (key, ends_at, used, granted)
    values (${keyOf(name, key)}, now() + make_interval(secs => ${windowMs / 1_000}), ${first},
      ${first})
    on conflict (key) do update set
      ends_at = case when ${isOver} then excluded.ends_at else r.ends_at end,
      used = case when ${isOver} then excluded.used else r.used + ${next} end,
      granted = case when ${isOver} then excluded.granted else ${next} end
    returning granted, ceil(1000 * extract(epoch from ends_at - now()))::integer as "leftMs"`)
  if (!row) throw new Error('Taking a lease returned no row')
  return row
}

type Window = {
  /** Of the lease. */
  left: number
  /** Of all leases of the window. */
  granted: number
  endsAt: number
  /** No further lease is to be had in this window. */
  isLast: boolean
  leasing: Promise<void> | undefined
}

export function createRateCounter(
  { db, clock }: { db: Pick<Db, 'query'>; clock: Clock },
  limit: RateLimit,
): RateCounter {
  const windows = new Map<string, Window>()
  const now = () => clock.now().getTime()

  const windowOf = (key: string): Window => {
    const known = windows.get(key)
    if (known && (known.leasing || now() < known.endsAt)) return known
    const fresh: Window = { left: 0, granted: 0, endsAt: 0, isLast: false, leasing: undefined }
    windows.delete(key)
    windows.set(key, fresh)
    const [oldest] = windows.keys()
    if (windows.size > KEYS_MAX && oldest !== undefined) windows.delete(oldest)
    return fresh
  }

  /** Without the database this process counts by itself for one window. */
  const lease = async (key: string, window: Window): Promise<void> => {
    const alone = { granted: limit.max - window.granted, leftMs: limit.windowMs }
    const lease = await takeLease(db, limit, key).catch(() => alone)
    window.left = lease.granted
    window.granted += lease.granted
    window.endsAt = now() + lease.leftMs
    window.isLast = lease === alone || lease.granted === 0
    window.leasing = undefined
  }

  return {
    async count(key) {
      for (;;) {
        const window = windowOf(key)
        if (window.left > 0) {
          window.left -= 1
          return 0
        }
        if (window.isLast) return Math.max(1, window.endsAt - now())
        // Requests that come meanwhile wait for the same lease.
        window.leasing ??= lease(key, window)
        await window.leasing
      }
    },
  }
}

/** Rows of windows that ended. Returns their number. */
export async function deleteEndedLeases(db: Pick<Db, 'query'>): Promise<number> {
  const rows = await db.query(sql`
    delete from rate_leases where ends_at < now() - interval '1 minute' returning 1 as gone`)
  return rows.length
}
