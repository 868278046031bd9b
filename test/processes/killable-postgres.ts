/** A PostgreSQL that a test may kill: it restarts at the same address. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { childEnv, chooseAccount, loadBinaries } from '#dev/postgres-cluster.ts'
import type { TestDatabase } from '#test/support/database.ts'
import { copyFolder } from '#test/support/postgres.ts'
import { freePort, makeFolder, onCleanUp } from './processes.ts'

export type KillablePostgres = {
  database: TestDatabase
  /** SIGKILL, or SIGQUIT for what `pg_ctl stop -m immediate` does; resolves when it has ended. */
  kill(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void>
  /** Resolves when it accepts connections again. */
  restart(): Promise<void>
}

const READY_WITHIN_MS = 30_000

/** Durable, unlike the tests' shared server: commits wait for the disk. */
export async function startKillablePostgres(given?: string): Promise<KillablePostgres> {
  const folder = given ?? (await makeFolder())
  await copyFolder(inject('preparedFolder'), folder)
  const port = await freePort()
  const password = (await readFile(join(folder, 'postgres-owner-password'), 'utf8')).trim()
  const url = `postgres://countersign:${password}@127.0.0.1:${port}/countersign`
  const cluster = join(folder, 'postgres')
  const binaries = await loadBinaries()
  const account = await chooseAccount({ binaries, cluster })
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
  const flags = settings.flatMap((setting) => ['-c', setting])
  const [file = '', ...args] = [...account.prefix, binaries.postgres, '-D', cluster, ...flags]

  const launch = () => {
    const options = { env: childEnv, cwd: '/', stdio: 'ignore', ...account.spawnAs } as const
    const child = spawn(file, args, options)
    return { child, ended: once(child, 'exit') }
  }
  let server = launch()
  const restart = async () => {
    const deadline = performance.now() + READY_WITHIN_MS
    while (!(await isReady(url))) {
      if (performance.now() > deadline) throw new Error('PostgreSQL does not come back')
      // What the dead server left behind may take a moment to disappear.
      if (server.child.exitCode !== null || server.child.signalCode !== null) server = launch()
      await wait(50)
    }
  }
  const kill = async (signal: NodeJS.Signals) => {
    server.child.kill(signal)
    await server.ended
  }
  onCleanUp(() => kill('SIGINT'))
  await restart()
  return { database: databaseAt(url), kill, restart }
}

async function isReady(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** A migrated database on a server of the test's own. */
export function databaseAt(url: string): TestDatabase {
  const options = '-c search_path=countersign'
  const pool = new pg.Pool({ connectionString: url, max: 2, options })
  pool.on('error', () => {})
  const asOwner: TestDatabase['asOwner'] = async (text, values) =>
    (await pool.query(text, values)).rows
  return { url, asOwner, drop: () => pool.end() }
}
