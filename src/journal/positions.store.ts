/** SQL for positions in the live events, for those who follow them in workers. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'

/** Transaction ids exceed the safe integers, so they are strings. */
export type JournalPosition = { transactionId: string; seq: number }

/** The newest event that no running transaction can still precede. */
export async function findLiveEnd(tx: Tx): Promise<JournalPosition> {
  const [row] = await tx.query<JournalPosition>(sql`
    select transaction_id as "transactionId", seq from live_events
    where transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    order by live_events.transaction_id desc, live_events.seq desc limit 1`)
  return row ?? { transactionId: '0', seq: 0 }
}

/**
 * `isOfThisServer` is false when the position comes from another server's transaction ids, as after
 * a restore. `isWithheld` means that newer events wait for a running transaction. Query it before
 * the events, never after: an event that commits in between would be neither listed nor withheld.
 */
export async function findReadState(
  reader: Reader,
  position: JournalPosition,
): Promise<{ isOfThisServer: boolean; isWithheld: boolean }> {
  const [row] = await reader.query<{ isOfThisServer: boolean; isWithheld: boolean }>(sql`
    select ${position.transactionId}::xid8 < pg_snapshot_xmin(pg_current_snapshot())
        as "isOfThisServer",
      exists (select from live_events
        where transaction_id >= pg_snapshot_xmin(pg_current_snapshot())) as "isWithheld"`)
  return row ?? { isOfThisServer: true, isWithheld: false }
}
