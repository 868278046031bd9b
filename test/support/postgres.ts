/** One real PostgreSQL for the run, with a migrated template that every test file clones. */
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '#dev/embedded-postgres.ts'
import { migrate } from '#platform/database/migrate.ts'
import { setForAll } from '#test/support/superuser.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The owner's login to the server's own database. */
    postgresUrl: string
  }
}

export const TEMPLATE = 'countersign_template'

const MEMORY = '/dev/shm'
const MEMORY_MIN_BYTES = 2 * 1024 ** 3

/**
 * In memory where Linux has room there: a database is hundreds of small files, and creating and
 * removing them on a disk takes five times as long.
 */
async function placeForFiles(): Promise<string> {
  const found = await statfs(MEMORY).catch(() => undefined)
  return found && found.bavail * found.bsize >= MEMORY_MIN_BYTES ? MEMORY : tmpdir()
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(await placeForFiles(), 'countersign-test-'))
  const postgres = await startEmbeddedPostgres({ folder, durable: false, maxConnections: 300 })
  // Short-lived tables need no vacuum, and a database with a running autovacuum cannot be dropped
  // by its owner.
  await setForAll(
    { url: postgres.url, folder },
    { autovacuum: 'off', max_parallel_workers_per_gather: 0 },
  )
  const client = new pg.Client(postgres.url)
  await client.connect()
  await client.query(`create database ${TEMPLATE}`)
  await client.end()
  const template = new URL(postgres.url)
  template.pathname = TEMPLATE
  await migrate({ url: template.href })
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
