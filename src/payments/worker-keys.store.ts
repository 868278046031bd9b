/** SQL of the MAC keys that workers have used. */
import sql from 'sql-template-tag'
import type { Db, Tx } from '#platform/database/database.ts'

/** Recorded by the first worker with the key, with database time. */
export async function insertWorkerKey(db: Pick<Db, 'query'>, keyId: string): Promise<void> {
  await db.query(sql`
    insert into worker_keys (key_id) values (${keyId}) on conflict do nothing`)
}

export async function findIsAnyKeyUsed(db: Pick<Db, 'query'>): Promise<boolean> {
  const rows = await db.query(sql`select key_id from worker_keys limit 1`)
  return rows.length > 0
}

/** Whether the key was first used within the last `days`; true for an unrecorded key. */
export async function findIsKeyNew(tx: Tx, keyId: string, days: number): Promise<boolean> {
  const [row] = await tx.query<{ isNew: boolean }>(sql`
    select first_used_at > now() - make_interval(days => ${days}::integer) as "isNew"
    from worker_keys where key_id = ${keyId}`)
  return row?.isNew ?? true
}
