/** A PostgreSQL of the machine's own packages for the drill: it can be lost and restored. */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile, chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { inject } from 'vitest'
import { pickPort } from '#dev/free-ports.ts'
import { type ClusterAccount, chooseAccount } from '#dev/postgres-cluster.ts'
import { CACHE, cannotFetch, fetchPackage, librariesIn } from '#test/support/debian.ts'
import { copyFolder } from '#test/support/postgres.ts'
import { ROOT } from './deployed.ts'

const execute = promisify(execFile)
const READY_WITHIN_MS = 60_000

/** The programs of one version; the embedded PostgreSQL has no tools for backups. */
type Programs = { folder: string; libraries: string[] }

async function newestIn(root: string): Promise<string | undefined> {
  const inside = join(root, 'usr', 'lib', 'postgresql')
  const versions = existsSync(inside) ? await readdir(inside) : []
  const [newest] = versions.sort((a, b) => Number(b) - Number(a))
  const folder = newest && join(inside, newest, 'bin')
  return folder && existsSync(join(folder, 'pg_receivewal')) ? folder : undefined
}

export async function findPrograms(): Promise<Programs> {
  const installed = await newestIn('/')
  if (installed) return { folder: installed, libraries: [] }
  const fetched = join(CACHE, 'debian-postgresql')
  if (!existsSync(fetched)) {
    await fetchPackage('postgresql', fetched).catch(cannotFetch('PostgreSQL'))
  }
  const folder = await newestIn(fetched)
  if (!folder) throw new Error(`Install PostgreSQL: ${fetched} has no pg_receivewal.`)
  return { folder, libraries: await librariesIn(fetched) }
}

export type Drill = {
  folder: string
  /** With the roles and the schema's owner; not started. */
  createCluster(name: string): Promise<Cluster>
  clusterAt(name: string, port: number): Cluster
  /** Moves the cluster's configuration out of its data folder, as Debian's packages have it. */
  moveConfiguration(cluster: Cluster, name: string): Promise<string>
  /** A script of deploy/backup, as the cluster's user. Resolves with what it printed. */
  script(name: string, args: string[], cluster?: Cluster): Promise<string>
  /** The same, for one that runs until it is stopped. */
  start(name: string, args: string[], cluster: Cluster): Started
  stop(): Promise<void>
}

export type Started = { stop(): Promise<void>; signal(signal: 'SIGSTOP' | 'SIGCONT'): void }

export type Cluster = {
  data: string
  port: number
  superuserUrl: string
  ownerUrl: string
  /** `config`: a folder with its configuration, if that is not in the data folder. */
  start(config?: string): Promise<void>
  /** SIGKILL: nothing is written any more. */
  kill(): Promise<void>
}

const PASSWORD = randomBytes(18).toString('base64url')

export async function openDrill(): Promise<Drill> {
  const programs = await findPrograms()
  // Beside the tests' database, which is in memory where there is room.
  const folder = await mkdtemp(join(dirname(inject('preparedFolder')), 'countersign-drill-'))
  const program = (name: string) => join(programs.folder, name)
  const binaries = { initdb: program('initdb'), postgres: program('postgres') }
  const account = await chooseAccount({ binaries, cluster: join(folder, 'none') })
  if (account.owner) await chown(folder, account.owner.uid, account.owner.gid)
  const env = {
    PATH: [programs.folder, process.env.PATH].join(delimiter),
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    ...(programs.libraries.length > 0 && {
      LD_LIBRARY_PATH: programs.libraries.join(delimiter),
    }),
  }
  const running: (() => Promise<void>)[] = []
  const tools = { account, env, program, folder, running }
  const clusterAt = (name: string, port: number) => clusterOf(tools, join(folder, name), port)
  return {
    folder,
    clusterAt,
    async createCluster(name) {
      const port = await pickPort('127.0.0.1')
      await createData(tools, join(folder, name))
      return clusterAt(name, port)
    },
    async moveConfiguration({ data }, name) {
      const config = join(folder, name)
      await mkdir(config, { mode: 0o755 })
      for (const file of ['postgresql.conf', 'pg_hba.conf', 'pg_ident.conf']) {
        await rename(join(data, file), join(config, file))
      }
      await mkdir(join(config, 'conf.d'))
      await writeFile(join(config, 'conf.d', 'own.conf'), 'work_mem = 5MB\n')
      const settings = [
        `data_directory = '${data}'`,
        `hba_file = '${join(config, 'pg_hba.conf')}'`,
        `ident_file = '${join(config, 'pg_ident.conf')}'`,
        `external_pid_file = '${join(folder, 'main.pid')}'`,
        "include_dir = 'conf.d'",
      ]
      await appendFile(join(config, 'postgresql.conf'), `${settings.join('\n')}\n`)
      return config
    },
    async script(name, args, cluster) {
      const started = commandOf(tools, name, args)
      const options = { env: { ...env, ...loginOf(cluster) }, cwd: '/', ...account.spawnAs }
      return (await execute(started.file, started.args, options)).stdout.trim()
    },
    start: (name, args, cluster) => startScript(tools, { name, args, cluster }),
    async stop() {
      for (const end of running.splice(0).reverse()) await end()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

type Tools = {
  account: ClusterAccount
  env: Record<string, string>
  program(name: string): string
  folder: string
  running: (() => Promise<void>)[]
}

function commandOf({ account }: Tools, name: string, args: string[]) {
  const [file = '', ...rest] = [...account.prefix, join(ROOT, 'deploy', 'backup', name), ...args]
  return { file, args: rest }
}

const loginOf = (cluster: Cluster | undefined): Record<string, string> =>
  cluster
    ? {
        PGHOST: '127.0.0.1',
        PGPORT: String(cluster.port),
        PGUSER: 'postgres',
        PGPASSWORD: PASSWORD,
      }
    : {}

function startScript(
  tools: Tools,
  { name, args, cluster }: { name: string; args: string[]; cluster: Cluster },
): Started {
  const started = commandOf(tools, name, args)
  const child = spawn(started.file, started.args, {
    env: { ...tools.env, ...loginOf(cluster) },
    cwd: '/',
    stdio: 'ignore',
    ...tools.account.spawnAs,
  })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  tools.running.push(stop)
  return { stop, signal: (signal) => void child.kill(signal) }
}

/** The second one is a copy of the first, which is faster to make. */
async function createData(tools: Tools, data: string): Promise<void> {
  const empty = join(tools.folder, 'empty')
  if (!existsSync(empty)) await createEmpty(tools, empty)
  await copyFolder(empty, data)
}

async function createEmpty({ account, env, program, folder }: Tools, data: string): Promise<void> {
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, PASSWORD, { mode: 0o644 })
  await mkdir(data, { mode: 0o700 })
  if (account.owner) await chown(data, account.owner.uid, account.owner.gid)
  const [file = '', ...args] = [
    ...[...account.prefix, program('initdb'), '-D', data, '--username=postgres'],
    ...['--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8', '--no-sync'],
  ]
  await execute(file, args, { env, cwd: '/', ...account.spawnAs })
}

function clusterOf(tools: Tools, data: string, port: number): Cluster {
  const { account, env, program, running } = tools
  const url = (user: string, database: string) =>
    `postgres://${user}:${PASSWORD}@127.0.0.1:${port}/${database}`
  const superuserUrl = url('postgres', 'postgres')
  let kill = async () => {}
  return {
    data,
    port,
    superuserUrl,
    ownerUrl: url('countersign', 'countersign'),
    kill: () => kill(),
    async start(config) {
      // The disk is not what is tested: a process that is killed leaves its writes to the system.
      const settings = [
        `port=${port}`,
        'unix_socket_directories=',
        'fsync=off',
        'shared_buffers=32MB',
      ]
      if (config) settings.push(`config_file=${join(config, 'postgresql.conf')}`)
      const flags = settings.flatMap((setting) => ['-c', setting])
      const [file = '', ...args] = [...account.prefix, program('postgres'), '-D', data, ...flags]
      const child = spawn(file, args, { env, cwd: '/', stdio: 'ignore', ...account.spawnAs })
      const ended = once(child, 'exit')
      kill = async () => {
        child.kill('SIGKILL')
        await ended
      }
      running.push(kill)
      await untilServes(superuserUrl, () => child.exitCode !== null)
    },
  }
}

async function untilServes(url: string, hasEnded: () => boolean): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS
  for (;;) {
    const isUp = await ask(url, 'select pg_is_in_recovery() as waiting').then(
      ([row]) => row?.waiting === false,
      () => false,
    )
    if (isUp) return
    if (hasEnded() || performance.now() > deadline) throw new Error('PostgreSQL does not serve')
    await wait(50)
  }
}

/** One statement on a connection of its own. */
export async function ask(
  url: string,
  ...statements: string[]
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end().catch(() => {})
  }
}
