import sql from 'sql-template-tag'
import type { Db } from '#platform/database.ts'

export async function pingDatabase(db: Pick<Db, 'query'>): Promise<void> {
  await db.query(sql`select 1`)
}
