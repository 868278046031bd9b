import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#context.ts'
import { pingDatabase } from './health.store.ts'

const PATIENCE_MS = 2_000

/** A probe must answer quickly, also when the database neither answers nor refuses. */
export async function isDatabaseReady({ db }: Pick<Context, 'db'>): Promise<boolean> {
  const patience = new AbortController()
  try {
    return await Promise.race([
      pingDatabase(db).then(
        () => true,
        () => false,
      ),
      wait(PATIENCE_MS, false, { signal: patience.signal }),
    ])
  } finally {
    patience.abort()
  }
}
