import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { StartupError } from '#platform/errors.ts'
import { codeOf, loadOrCreateSecret, reasonOf } from './data-folder.ts'
import type { ClusterAccount } from './postgres-cluster.ts'
import {
  childEnv,
  chooseAccount,
  ensureCluster,
  loadBinaries,
  problemIn,
  readPidFile,
  stopLimitMs,
  stopOrphan,
} from './postgres-cluster.ts'

export type EmbeddedPostgres = {
  /** Login of the schema's owner: not a superuser, but may create roles. */
  url: string
  port: number
  pid: number
  stop(): Promise<void>
  /** Resolves when the server ends by itself; stays pending after stop(). */
  exited: Promise<number | null>
}

export type EmbeddedPostgresOptions = {
  folder: string
  /** False trades durability in a power cut for speed, and lets the owner create databases. */
  durable?: boolean
  maxConnections?: number
  /** Settings of the server that replace or add to the usual ones. */
  settings?: Record<string, string | number>
}

type Server = { child: ChildProcess; pid: number; port: number; ended: Promise<number | null> }
type Launch = {
  postgres: string
  account: ClusterAccount
  cluster: string
  log: string
  settings: Record<string, string | number>
}

const startLimitMs = 30_000
const logLimitBytes = 10 * 1024 * 1024

// Failures that a retry can fix: another program took the port, or the server of a killed starter
// is still starting or stopping.
const transient = /Address already in use|shared memory block|"postmaster\.pid" already exists/

/** The caller must hold the claim of the folder: a server that runs in it counts as an orphan. */
export async function startEmbeddedPostgres({
  folder,
  durable = true,
  maxConnections = 100,
  settings: more = {},
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    const binaries = await loadBinaries()
    await fs.mkdir(folder, { recursive: true, mode: 0o700 })
    const home = await fs.realpath(folder)
    const cluster = join(home, 'postgres')
    const account = await chooseAccount({ binaries, cluster })
    const make = () => randomBytes(24).toString('base64url')
    const superPassword = await loadOrCreateSecret({
      folder: home,
      name: 'postgres-password',
      make,
    })
    const ownerPassword = await loadOrCreateSecret({
      folder: home,
      name: 'postgres-owner-password',
      make,
    })
    await ensureCluster({ binaries, account, cluster, durable, superPassword })
    const settings = { ...settingsFor({ durable, maxConnections }), ...more }
    const log = join(home, 'postgres.log')
    const server = await launch({ ...binaries, account, cluster, log, settings })
    try {
      await ensureOwner({ port: server.port, home, superPassword, ownerPassword, durable })
    } catch (error) {
      await stopServer(server)
      throw error
    }
    return handleOf({ server, ownerPassword })
  } catch (error) {
    if (codeOf(error) === '') throw error
    const message = `Cannot start PostgreSQL in ${folder}: ${reasonOf(error)}.`
    throw new StartupError(message, { cause: error })
  }
}

function handleOf({
  server,
  ownerPassword,
}: {
  server: Server
  ownerPassword: string
}): EmbeddedPostgres {
  const { port, pid, ended } = server
  let stopping: Promise<void> | undefined
  const { promise: exited, resolve } = Promise.withResolvers<number | null>()
  ended.then((code) => {
    if (stopping === undefined) resolve(code)
  })
  return {
    url: `postgres://countersign:${ownerPassword}@127.0.0.1:${port}/countersign`,
    port,
    pid,
    exited,
    stop: () => {
      stopping ??= stopServer(server)
      return stopping
    },
  }
}

function settingsFor({
  durable,
  maxConnections,
}: {
  durable: boolean
  maxConnections: number
}): Record<string, string | number> {
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    shared_buffers: '64MB',
    max_connections: maxConnections,
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
}

async function launch(o: Launch): Promise<Server> {
  const deadline = performance.now() + startLimitMs
  for (;;) {
    await stopOrphan({ cluster: o.cluster })
    const from = await prepareLog({ log: o.log })
    const server = await spawnServer({ ...o, port: await freePort() })
    const state = await waitForStart({ server, cluster: o.cluster, deadline })
    if (state === 'ready') return server
    if (state === 'late') {
      await stopServer(server)
      const message = `PostgreSQL was not ready within ${startLimitMs / 1000} s. See ${o.log}.`
      throw new StartupError(message)
    }
    const output = (await fs.readFile(o.log)).subarray(from).toString()
    if (!transient.test(output) || performance.now() > deadline) {
      throw new StartupError(
        `PostgreSQL did not start: ${problemIn({ text: output })}. See ${o.log}.`,
      )
    }
    await delay(100)
  }
}

async function prepareLog({ log }: { log: string }): Promise<number> {
  const size = await fs.stat(log).then(
    (found) => found.size,
    () => 0,
  )
  if (size <= logLimitBytes) return size
  await fs.truncate(log)
  return 0
}

async function spawnServer(o: Launch & { port: number }): Promise<Server> {
  const settings = Object.entries({ ...o.settings, port: o.port })
  const flags = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const [file = '', ...args] = [...o.account.prefix, o.postgres, '-D', o.cluster, ...flags]
  const log = await fs.open(o.log, 'a', 0o600)
  try {
    // Detached: Ctrl-C reaches the whole process group, and the service must stop before its
    // database.
    const child = spawn(file, args, {
      env: childEnv,
      cwd: '/',
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      ...o.account.spawnAs,
    })
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    // However this process exits, it stops its server.
    const stopChild = () => void child.kill('SIGINT')
    process.once('exit', stopChild)
    ended.then(() => process.off('exit', stopChild))
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    return { child, pid: child.pid ?? 0, port: o.port, ended }
  } finally {
    await log.close()
  }
}

/** Only the server's own pid file counts: another program could answer on the port. */
async function waitForStart({
  server,
  cluster,
  deadline,
}: {
  server: Server
  cluster: string
  deadline: number
}): Promise<'ready' | 'ended' | 'late'> {
  let hasEnded = false
  server.ended.then(() => {
    hasEnded = true
  })
  while (performance.now() < deadline) {
    if (hasEnded) return 'ended'
    const { pid, status } = await readPidFile({ cluster })
    if (pid === server.pid && status === 'ready') return 'ready'
    await delay(10)
  }
  return 'late'
}

async function stopServer({ child, ended }: Server): Promise<void> {
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGQUIT'), stopLimitMs)
  await ended
  clearTimeout(timer)
}

function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const server = createServer().once('error', reject)
  server.listen({ host: '127.0.0.1', port: 0, exclusive: true }, () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
  })
  return promise
}

async function ensureOwner(o: {
  port: number
  home: string
  superPassword: string
  ownerPassword: string
  durable: boolean
}): Promise<void> {
  const login = { host: '127.0.0.1', port: o.port, user: 'postgres', database: 'postgres' }
  const client = new Client({ ...login, password: o.superPassword, ssl: false })
  // Without a listener, a server that dies between two queries would crash this process.
  client.on('error', () => {})
  try {
    await client.connect()
    const role = await client.query(`select from pg_roles where rolname = 'countersign'`)
    // Always set, so that the passwords in the folder and in the cluster cannot diverge for long.
    await client.query(
      `${role.rowCount === 0 ? 'create' : 'alter'} role countersign with login createrole ` +
        `nosuperuser ${o.durable ? 'nocreatedb' : 'createdb'} password '${o.ownerPassword}'`,
    )
    const found = await client.query(`select from pg_database where datname = 'countersign'`)
    if (found.rowCount === 0) await client.query('create database countersign owner countersign')
  } catch (error) {
    const reason =
      codeOf(error) === '28P01'
        ? `${join(o.home, 'postgres-password')} is not the password of this cluster`
        : reasonOf(error)
    throw new StartupError(`Cannot prepare the database: ${reason}.`, { cause: error })
  } finally {
    await client.end()
  }
}
