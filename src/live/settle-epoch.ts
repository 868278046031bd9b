/** Notices that the database is another one than before, or has gone back in time. */
import type { Context } from '#context.ts'
import { refreshEpoch } from './streams.store.ts'

/** Call when a process starts, and whenever it had lost the database. */
export async function settleEpoch({ db, log }: Pick<Context, 'db' | 'log'>): Promise<void> {
  if (!(await refreshEpoch(db))) return
  log.warn(
    'The database has a new history, after a takeover or a restore: live streams start anew. If ' +
      'it lacks payments that are on the chain, their executors are held until these have been ' +
      'read from it; an owner must acknowledge those without a record.',
  )
}
