import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { chooseAccount } from '#dev/postgres-cluster.ts'
import { ensureLogins } from '#platform/database/logins.ts'
import { migrate } from '#platform/database/migrate.ts'
import { findPrograms } from '#test/deploy/drill.ts'
import { findPatroni, findProgram } from '#test/support/debian.ts'
import { type HaNode, launch, NAMES, nodeOf, type Place, placeOf, type Tools } from './node.ts'
import { configurePgbouncer } from './pgbouncer.ts'
import { freePort } from './ports.ts'

const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy', 'ha')
type Member = { name: string; role: string; state: string; timeline?: number }

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
  /** One primary and two streaming standbys, of which one is synchronous. */
  untilHealthy(withinMs?: number): Promise<void>
  primary(): Promise<HaNode | undefined>
  stop(): Promise<void>
}

const secret = () => randomBytes(18).toString('base64url')

async function prepare(diskMib: number | undefined): Promise<Tools> {
  const programs = await findPrograms()
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
  const started = { running: new Set<ChildProcess>(), diskMib, unmounts: [] }
  return { folder, account, postgres, libraries, passwords, ...started }
}

/** Three members. Their ports. */
async function startEtcd(tools: Tools): Promise<number[]> {
  const etcd = await findProgram('etcd')
  const members = []
  for (const name of NAMES) {
    members.push({
      name,
      client: await freePort(),
      peer: await freePort(),
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
      // deploy/ha/env/patroni.env.example says why.
      ETCD_ENABLE_V2: 'true',
    }
    launch(tools, { name: `etcd-${name}`, file: etcd.path, args: [], env })
  }
  const clients = members.map(({ client }) => client)
  for (const port of clients) while (!(await isDecided(at(port)))) await wait(50)
  return clients
}

/** Patroni 3.0 ends if the members of etcd have not agreed on their version yet. */
async function isDecided(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/version`, { signal: AbortSignal.timeout(1_000) })
    .then(async (response) => (await response.json()) as { etcdcluster: string })
    .catch(() => undefined)
  return answer !== undefined && answer.etcdcluster !== 'not_decided'
}

async function startHaproxy(tools: Tools, places: readonly Place[]): Promise<number> {
  const haproxy = await findProgram('haproxy')
  const port = await freePort()
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

/** Patroni's view of all members; empty while none answers. */
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

async function ask(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
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

async function isHealthy(places: readonly Place[], superuserUrl: string): Promise<boolean> {
  const members = await membersAt(places)
  const standbys = members.filter(({ role }) => role !== 'leader')
  const isUp =
    standbys.length === 2 && standbys.every(({ state }) => /running|streaming/.test(state))
  // Only a standby that Patroni has recorded as synchronous may take over.
  const roles = members.map(({ role }) => role)
  if (!isUp || !roles.includes('leader') || !roles.includes('sync_standby')) return false
  const text = "select sync_state from pg_stat_replication where state = 'streaming'"
  const rows = await ask(superuserUrl, text).catch(() => [])
  return rows.length === 2 && rows.some(({ sync_state }) => sync_state === 'sync')
}

const STARTS_WITHIN_MS = 180_000

/** With `diskMib` each node has a small disk, which a test can fill. */
export async function startHaCluster({ diskMib }: { diskMib?: number } = {}): Promise<HaCluster> {
  const tools = await prepare(diskMib)
  await copyFiles(tools)
  const patroni = await findPatroni()
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

  const untilHealthy = async (withinMs = STARTS_WITHIN_MS) => {
    const end = performance.now() + withinMs
    while (!(await isHealthy(places, superuserUrl))) {
      if (performance.now() > end) {
        throw new Error(`The cluster is not healthy: ${JSON.stringify(await membersAt(places))}`)
      }
      await wait(250)
    }
  }
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.end()))
    for (const child of tools.running) child.kill('SIGKILL')
    while (tools.running.size > 0) await wait(20)
    await Promise.all(nodes.map((node) => node.killPostgres()))
    for (const unmount of tools.unmounts) await unmount()
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
      untilHealthy,
      async primary() {
        const are = await Promise.all(places.map(isPrimary))
        return nodes[are.indexOf(true)]
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
