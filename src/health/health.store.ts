import sql from 'sql-template-tag'
import type { Db } from '#platform/database.ts'

export async function pingDatabase(db: Pick<Db, 'query'>): Promise<void> {
  await db.query(sql`select 1`)
}

/** Whole seconds since the youngest beat of a worker; undefined where there is none. */
export async function findWorkerHeartbeat(db: Pick<Db, 'query'>): Promise<number | undefined> {
  const [row] = await db.query<{ age: number | null }>(sql`
    select greatest(0, floor(extract(epoch from now() - max(beat_at))))::integer as age
    from worker_processes`)
  return row?.age ?? undefined
}
