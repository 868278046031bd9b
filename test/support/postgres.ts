/** One real PostgreSQL for the run, with a migrated template that every test file clones. */
import { execFile } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '#dev/embedded-postgres.ts'
import { migrate } from '#platform/database/migrate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The owner's login to the server's own database. */
    postgresUrl: string
    /** A data folder whose database is migrated and stopped, to be copied. */
    preparedFolder: string
  }
}

export const TEMPLATE = 'countersign_template'

/** Tests open thousands of connections. */
const LOGIN_SETTINGS = { scram_iterations: 1 }

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

/** With its owner: PostgreSQL refuses a cluster of somebody else. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  await promisify(execFile)('cp', ['-a', `${from}/.`, to])
}

/** Creating and migrating a cluster takes longer than all else that a service does to start. */
async function prepareFolder(folder: string): Promise<string> {
  const postgres = await startEmbeddedPostgres({ folder, durable: false, settings: LOGIN_SETTINGS })
  await migrate({ url: postgres.url })
  await postgres.stop()
  const lines = Object.entries(LOGIN_SETTINGS).map(([name, value]) => `${name} = ${value}\n`)
  await appendFile(join(folder, 'postgres', 'postgresql.conf'), lines.join(''))
  const prepared = `${folder}-prepared`
  await copyFolder(folder, prepared)
  return prepared
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(await placeForFiles(), 'countersign-test-'))
  const prepared = await prepareFolder(folder)
  const sockets = join(folder, 'postgres')
  const postgres = await startEmbeddedPostgres({
    folder,
    durable: false,
    maxConnections: 300,
    settings: {
      // Short-lived tables need no vacuum, and a database with a running autovacuum cannot be
      // dropped by its owner.
      autovacuum: 'off',
      max_parallel_workers_per_gather: 0,
      ...LOGIN_SETTINGS,
      unix_socket_directories: sockets,
    },
  })
  // A database can be copied while nobody is connected to it.
  const elsewhere = new URL(postgres.url)
  elsewhere.pathname = 'postgres'
  const client = new pg.Client(elsewhere.href)
  await client.connect()
  await client.query(`create database ${TEMPLATE} template countersign strategy file_copy`)
  await client.end()
  // A socket takes less CPU time than TCP.
  project.provide('postgresUrl', `${postgres.url}?host=${encodeURIComponent(sockets)}`)
  project.provide('preparedFolder', prepared)
  return async () => {
    await postgres.stop()
    for (const path of [folder, prepared]) await rm(path, { recursive: true, force: true })
  }
}
