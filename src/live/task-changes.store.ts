/**
 * SQL for the transactions that changed something tasks are derived from. Triggers note them, so
 * that no writer can forget it.
 */
import sql from 'sql-template-tag'
import type { Db, Reader } from '#platform/database/database.ts'

/** Whether a transaction that `asOf` has not seen changed anything. */
export async function hasTaskChanges(
  reader: Reader,
  { organizationId, asOf }: { organizationId: string; asOf: string },
): Promise<boolean> {
  const isUnseen = sql`transaction_id >= pg_snapshot_xmin(${asOf}::pg_snapshot)
    and not pg_visible_in_snapshot(transaction_id, ${asOf}::pg_snapshot)`
  const [row] = await reader.query<{ hasChanges: boolean }>(sql`
    select exists (select from task_changes where organization_id = ${organizationId}
        and ${isUnseen})
      or exists (select from shared_task_changes where ${isUnseen})
      as "hasChanges"`)
  return row?.hasChanges ?? true
}

export async function pruneTaskChanges(db: Pick<Db, 'query'>): Promise<void> {
  await db.query(sql`select prune_task_changes()`)
}
