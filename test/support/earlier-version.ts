/** A database that an earlier version of the service has left, for tests of an upgrade. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '#platform/database/migrate.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const MIGRATIONS = join(import.meta.dirname, '..', '..', 'migrations')

/** With every migration before the named one. */
export async function createDatabaseBefore(migration: string): Promise<TestDatabase> {
  const database = await createTestDatabase({ migrated: false })
  const folder = await mkdtemp(join(tmpdir(), 'countersign-migrations-'))
  try {
    const names = (await readdir(MIGRATIONS)).filter((name) => name < migration)
    for (const name of names) await cp(join(MIGRATIONS, name), join(folder, name))
    await migrate({ url: database.url, folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return database
}
