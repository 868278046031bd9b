import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#context.ts'
import { pingDatabase } from './health.store.ts'

const TIMEOUT_MS = 2_000

/** A probe must answer quickly, even when the database neither answers nor refuses. */
export async function isDatabaseReady({ db }: Pick<Context, 'db'>): Promise<boolean> {
  const timeout = new AbortController()
  try {
    return await Promise.race([
      pingDatabase(db).then(
        () => true,
        () => false,
      ),
      wait(TIMEOUT_MS, false, { signal: timeout.signal }),
    ])
  } finally {
    timeout.abort()
  }
}
