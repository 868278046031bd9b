/**
 * Three PostgreSQL nodes under Patroni, three members of etcd, HAProxy and PgBouncer on loopback,
 * with the files of deploy/ha. Traffic between nodes passes relays, so that a node can be cut off.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { chmod, chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { pickPort } from '#dev/free-ports.ts'
import { type ClusterAccount, chooseAccount } from '#dev/postgres-cluster.ts'
import { ensureLogins } from '#platform/database/logins.ts'
import { migrate } from '#platform/database/migrate.ts'
import { findPrograms } from '#test/deploy/drill.ts'
import { findPatroni, findProgram, missing } from '#test/support/debian.ts'
import { configurePgbouncer } from './pgbouncer.ts'
import { type Relay, startRelay } from './relay.ts'

const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy', 'ha')
const NAMES = ['node1', 'node2', 'node3'] as const
export type NodeName = (typeof NAMES)[number]

export type Member = { name: string; role: string; state: string; timeline?: number }

export type HaNode = {
  name: NodeName
  /** SIGKILL, as a lost machine does; Patroni is started again by `revive`. */
  killPatroni(): void
  killPostgres(): Promise<void>
  freeze(): Promise<void>
  thaw(): void
  /** `clients`: HAProxy does not reach it either. */
  cut(options: { clients: boolean }): void
  heal(): void
  revive(): void
}

export type HaCluster = {
  nodes: HaNode[]
  /** Through HAProxy. */
  ownerUrl: string
  superuserUrl: string
  apiUrl: string
  workerUrl: string
  /** Of API processes, through PgBouncer. */
  poolerUrl: string
  folder: string
  /** Patroni's view of all members; empty while none answers. */
  members(): Promise<Member[]>
  /** One primary and two streaming standbys, of which one is synchronous. */
  untilHealthy(withinMs?: number): Promise<void>
  primary(): Promise<HaNode | undefined>
  stop(): Promise<void>
}

type Tools = {
  folder: string
  account: ClusterAccount
  postgres: string
  libraries: string[]
  running: Set<ChildProcess>
  passwords: Record<'super' | 'replication' | 'rewind' | 'owner' | 'api' | 'worker', string>
}

const secret = () => randomBytes(18).toString('base64url')

type Launch = { name: string; file: string; args: string[]; env: Record<string, string> }

/** Its output goes to a file in the cluster's folder. As PostgreSQL's account. */
function launch({ folder, account, running }: Tools, { name, file, args, env }: Launch) {
  const [program = '', ...rest] = [...account.prefix, file, ...args]
  const log = openSync(join(folder, `${name}.log`), 'a')
  const child = spawn(program, rest, {
    cwd: folder,
    env,
    stdio: ['ignore', log, log],
    ...account.spawnAs,
  })
  closeSync(log)
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

async function found<T>(name: string, finding: Promise<T | undefined>): Promise<T> {
  const one = await finding
  if (!one) throw new Error(missing(name))
  return one
}

async function prepare(): Promise<Tools> {
  const programs = await found('postgresql', findPrograms())
  const folder = await mkdtemp(join(tmpdir(), 'countersign-ha-'))
  const postgres = programs.folder
  const binaries = { initdb: join(postgres, 'initdb'), postgres: join(postgres, 'postgres') }
  const account = await chooseAccount({ binaries, cluster: join(folder, 'none') })
  await chmod(folder, 0o755)
  if (account.owner) await chown(folder, account.owner.uid, account.owner.gid)
  const passwords = {
    super: secret(),
    replication: secret(),
    rewind: secret(),
    owner: secret(),
    api: secret(),
    worker: secret(),
  }
  const libraries = programs.libraries
  return { folder, account, postgres, libraries, running: new Set(), passwords }
}

/** Three members. Their ports. */
async function startEtcd(tools: Tools): Promise<number[]> {
  const etcd = await found('etcd-server', findProgram('etcd'))
  const members = []
  for (const name of NAMES) {
    members.push({
      name,
      client: await pickPort('127.0.0.1'),
      peer: await pickPort('127.0.0.1'),
    })
  }
  const at = (port: number) => `http://127.0.0.1:${port}`
  for (const { name, client, peer } of members) {
    const env = {
      ...etcd.env,
      ETCD_NAME: name,
      ETCD_DATA_DIR: join(tools.folder, `etcd-${name}`),
      ETCD_LISTEN_PEER_URLS: at(peer),
      ETCD_LISTEN_CLIENT_URLS: at(client),
      ETCD_INITIAL_ADVERTISE_PEER_URLS: at(peer),
      ETCD_ADVERTISE_CLIENT_URLS: at(client),
      ETCD_INITIAL_CLUSTER: members.map((one) => `${one.name}=${at(one.peer)}`).join(','),
      ETCD_INITIAL_CLUSTER_STATE: 'new',
      ETCD_INITIAL_CLUSTER_TOKEN: 'countersign',
    }
    launch(tools, { name: `etcd-${name}`, file: etcd.path, args: [], env })
  }
  return members.map(({ client }) => client)
}

type Place = {
  name: NodeName
  data: string
  postgres: number
  rest: number
  relays: Record<'replication' | 'peers' | 'etcd' | 'clients' | 'checks', Relay>
}

async function placeOf(tools: Tools, name: NodeName, etcd: readonly number[]): Promise<Place> {
  const [postgres, rest] = [await pickPort('127.0.0.1'), await pickPort('127.0.0.1')]
  let turn = 0
  const nextEtcd = () => {
    turn += 1
    return etcd[turn % etcd.length] ?? 0
  }
  const relays = {
    replication: await startRelay(() => postgres),
    peers: await startRelay(() => rest),
    etcd: await startRelay(nextEtcd),
    clients: await startRelay(() => postgres),
    checks: await startRelay(() => rest),
  }
  return { name, data: join(tools.folder, name), postgres, rest, relays }
}

type Patroni = NonNullable<Awaited<ReturnType<typeof findPatroni>>>

function startPatroni(tools: Tools, patroni: Patroni, place: Place): ChildProcess {
  const { passwords, libraries, folder } = tools
  const env = {
    ...patroni.env,
    LD_LIBRARY_PATH: [patroni.env.LD_LIBRARY_PATH, ...libraries].join(delimiter),
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    HOME: folder,
    PATRONI_NAME: place.name,
    PATRONI_RESTAPI_LISTEN: `127.0.0.1:${place.rest}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${place.relays.peers.port}`,
    PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${place.postgres}`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${place.relays.replication.port}`,
    PATRONI_POSTGRESQL_DATA_DIR: place.data,
    PATRONI_POSTGRESQL_PGPASS: join(folder, `${place.name}.pgpass`),
    PATRONI_POSTGRESQL_BIN_DIR: tools.postgres,
    // One address, although there are three members: the relay takes them in turn.
    PATRONI_ETCD3_HOSTS: `127.0.0.1:${place.relays.etcd.port}`,
    PATRONI_ETCD3_USE_PROXIES: 'true',
    PATRONI_SUPERUSER_PASSWORD: passwords.super,
    PATRONI_REPLICATION_PASSWORD: passwords.replication,
    PATRONI_REWIND_PASSWORD: passwords.rewind,
  }
  const args = [...patroni.args, join(folder, 'patroni.yml')]
  return launch(tools, { name: place.name, file: patroni.path, args, env })
}

async function parentsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0)
}

/** The postmaster of the data folder and its children. */
async function postgresProcesses(data: string): Promise<number[]> {
  const file = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')
  const postmaster = Number(file.split('\n')[0])
  if (!(postmaster > 1)) return []
  const command = await readFile(`/proc/${postmaster}/cmdline`, 'utf8').catch(() => '')
  if (!command.includes(data)) return []
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = await Promise.all(pids.map(parentsOf))
  return [postmaster, ...pids.filter((_pid, n) => parents[n] === postmaster)]
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}

function nodeOf(tools: Tools, patroni: Patroni, place: Place): HaNode & { end(): Promise<void> } {
  let child = startPatroni(tools, patroni, place)
  let frozen: number[] = []
  const { relays, name, data } = place
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const thaw = () => {
    for (const pid of frozen.splice(0)) signal(pid, 'SIGCONT')
  }
  const killPostgres = async () => {
    for (const pid of await postgresProcesses(data)) signal(pid, 'SIGKILL')
  }
  return {
    name,
    killPatroni: () => void child.kill('SIGKILL'),
    killPostgres,
    async freeze() {
      frozen = [child.pid ?? 0, ...(await postgresProcesses(data))].filter((pid) => pid > 1)
      for (const pid of frozen) signal(pid, 'SIGSTOP')
      // Patroni may have just started more.
      const late = (await postgresProcesses(data)).filter((pid) => !frozen.includes(pid))
      for (const pid of late) signal(pid, 'SIGSTOP')
      frozen.push(...late)
    },
    thaw,
    cut({ clients }) {
      for (const relay of [relays.replication, relays.peers, relays.etcd]) relay.cut()
      if (clients) for (const relay of [relays.clients, relays.checks]) relay.cut()
    },
    heal() {
      for (const relay of Object.values(relays)) relay.heal()
    },
    revive() {
      if (hasEnded()) child = startPatroni(tools, patroni, place)
    },
    async end() {
      thaw()
      child.kill('SIGKILL')
      await killPostgres()
      await Promise.all(Object.values(relays).map((relay) => relay.close()))
    },
  }
}

async function startHaproxy(tools: Tools, places: readonly Place[]): Promise<number> {
  const haproxy = await found('haproxy', findProgram('haproxy'))
  const port = await pickPort('127.0.0.1')
  const env = Object.fromEntries(
    places.flatMap(({ relays }, n) => [
      [`NODE${n + 1}`, `127.0.0.1:${relays.clients.port}`],
      [`NODE${n + 1}_REST`, String(relays.checks.port)],
    ]),
  )
  launch(tools, {
    name: 'haproxy',
    file: haproxy.path,
    args: ['-db', '-f', join(tools.folder, 'haproxy.cfg')],
    env: { ...haproxy.env, ...env, LISTEN: `127.0.0.1:${port}` },
  })
  return port
}

async function startPgbouncer(tools: Tools, to: number): Promise<number> {
  const { folder, passwords } = tools
  const logins = { countersign_api: passwords.api }
  const { program, args, port } = await configurePgbouncer({ folder, to, logins })
  launch(tools, { name: 'pgbouncer', file: program.path, args, env: program.env })
  return port
}

/** The account that runs everything can read them, wherever the project's folder is. */
async function copyFiles({ folder }: Tools): Promise<void> {
  const copy = async (from: string, to: string) =>
    writeFile(join(folder, to), await readFile(join(DEPLOY, from), 'utf8'))
  await copy('patroni.yml', 'patroni.yml')
  await copy('haproxy.cfg', 'haproxy.cfg')
}

async function membersAt(places: readonly Place[]): Promise<Member[]> {
  const asked = places.map(async ({ rest }) => {
    const signal = AbortSignal.timeout(1_000)
    const response = await fetch(`http://127.0.0.1:${rest}/cluster`, { signal })
    return ((await response.json()) as { members: Member[] }).members
  })
  return Promise.any(asked).catch(() => [])
}

async function isPrimary({ rest }: Place): Promise<boolean> {
  const signal = AbortSignal.timeout(1_000)
  const answer = fetch(`http://127.0.0.1:${rest}/primary`, { signal })
  return answer.then(
    ({ status }) => status === 200,
    () => false,
  )
}

export async function ask(
  url: string,
  ...statements: string[]
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    let rows: Record<string, unknown>[] = []
    for (const text of statements) {
      rows = (await client.query({ text, query_timeout: 20_000 } as pg.QueryConfig)).rows
    }
    return rows
  } finally {
    await client.end().catch(() => {})
  }
}

const STARTS_WITHIN_MS = 180_000

export async function startHaCluster(): Promise<HaCluster> {
  const tools = await prepare()
  await copyFiles(tools)
  const patroni = await found('patroni', findPatroni())
  const etcd = await startEtcd(tools)
  const places: Place[] = []
  for (const name of NAMES) places.push(await placeOf(tools, name, etcd))
  const nodes = places.map((place) => nodeOf(tools, patroni, place))
  const haproxy = await startHaproxy(tools, places)
  const { passwords } = tools
  const url = (user: string, password: string, database: string, port = haproxy) =>
    `postgres://${user}:${password}@127.0.0.1:${port}/${database}`
  const superuserUrl = url('postgres', passwords.super, 'postgres')
  const ownerUrl = url('countersign', passwords.owner, 'countersign')

  const synchronous = () =>
    ask(
      superuserUrl,
      "select application_name, sync_state from pg_stat_replication where state = 'streaming'",
    )
  const isHealthy = async (): Promise<boolean> => {
    const members = await membersAt(places)
    const standbys = members.filter(({ role }) => role !== 'leader')
    const isUp =
      standbys.length === 2 && standbys.every(({ state }) => /running|streaming/.test(state))
    // Only a standby that Patroni has recorded as synchronous may take over.
    const roles = members.map(({ role }) => role)
    if (!isUp || !roles.includes('leader') || !roles.includes('sync_standby')) return false
    const rows = await synchronous().catch(() => [])
    return rows.length === 2 && rows.some(({ sync_state }) => sync_state === 'sync')
  }
  const untilHealthy = async (withinMs = STARTS_WITHIN_MS) => {
    const end = performance.now() + withinMs
    while (!(await isHealthy())) {
      if (performance.now() > end) {
        throw new Error(`The cluster is not healthy: ${JSON.stringify(await membersAt(places))}`)
      }
      await wait(250)
    }
  }
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.end()))
    const left = [...tools.running]
    for (const child of left) child.kill('SIGKILL')
    await Promise.all(
      left.map((child) => (child.exitCode ?? child.signalCode) || once(child, 'exit')),
    )
    await Promise.all(nodes.map((node) => node.killPostgres()))
    await rm(tools.folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await untilHealthy()
    await ask(
      superuserUrl,
      `create role countersign login createrole password '${passwords.owner}'`,
      'create database countersign owner countersign',
    )
    await migrate({ url: ownerUrl })
    await ensureLogins(ownerUrl, { api: passwords.api, worker: passwords.worker })
    const pgbouncer = await startPgbouncer(tools, haproxy)
    return {
      nodes,
      ownerUrl,
      superuserUrl,
      apiUrl: url('countersign_api', passwords.api, 'countersign'),
      workerUrl: url('countersign_work', passwords.worker, 'countersign'),
      poolerUrl: url('countersign_api', passwords.api, 'countersign', pgbouncer),
      folder: tools.folder,
      members: () => membersAt(places),
      untilHealthy,
      async primary() {
        const are = await Promise.all(places.map(isPrimary))
        return nodes[are.indexOf(true)]
      },
      stop,
    }
  } catch (error) {
    if (!process.env.KEEP_HA) await stop()
    throw error
  }
}
