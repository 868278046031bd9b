/** One node: PostgreSQL under Patroni, the relays that lead to it, and what can happen to it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { chown, mkdir, readdir, readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { ClusterAccount } from '#dev/postgres-cluster.ts'
import type { findPatroni } from '#test/support/debian.ts'
import { fillDisk, mountDisk } from '#test/support/small-disk.ts'
import { freePort } from './ports.ts'
import { type Relay, startRelay } from './relay.ts'

export const NAMES = ['node1', 'node2', 'node3'] as const
type NodeName = (typeof NAMES)[number]

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
  /** Resolves with a function that frees the space. */
  fillDisk(): Promise<() => Promise<void>>
}

export type Tools = {
  folder: string
  account: ClusterAccount
  postgres: string
  libraries: string[]
  running: Set<ChildProcess>
  /** Each node has a disk of this size; otherwise a folder. */
  diskMib: number | undefined
  unmounts: (() => Promise<void>)[]
  passwords: Record<'super' | 'replication' | 'rewind' | 'owner' | 'api' | 'worker', string>
}

type Launch = { name: string; file: string; args: string[]; env: Record<string, string> }

/** Its output goes to a file in the cluster's folder. As PostgreSQL's account. */
export function launch({ folder, account, running }: Tools, { name, file, args, env }: Launch) {
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

export type Place = {
  name: NodeName
  /** The disk of the node, with nothing but its data folder. */
  disk: string
  data: string
  postgres: number
  rest: number
  relays: Record<'replication' | 'peers' | 'etcd' | 'clients' | 'checks', Relay>
}

async function makeDisk(tools: Tools, name: NodeName): Promise<string> {
  const { folder, account, diskMib, unmounts } = tools
  const disk = join(folder, name)
  await mkdir(disk)
  const { uid = 0, gid = 0 } = account.owner ?? {}
  if (diskMib !== undefined) {
    const options = `mode=0700,uid=${uid},gid=${gid}`
    unmounts.push(await mountDisk(disk, { mib: diskMib, options }))
  } else if (account.owner) await chown(disk, uid, gid)
  return disk
}

export async function placeOf(
  tools: Tools,
  name: NodeName,
  etcd: readonly number[],
): Promise<Place> {
  const [postgres, rest] = [await freePort(), await freePort()]
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
  const disk = await makeDisk(tools, name)
  return { name, disk, data: join(disk, 'data'), postgres, rest, relays }
}

type Patroni = Awaited<ReturnType<typeof findPatroni>>

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
    PATRONI_ETCD_HOSTS: `127.0.0.1:${place.relays.etcd.port}`,
    PATRONI_ETCD_USE_PROXIES: 'true',
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

export function nodeOf(
  tools: Tools,
  patroni: Patroni,
  place: Place,
): HaNode & { end(): Promise<void> } {
  let child = startPatroni(tools, patroni, place)
  let frozen: number[] = []
  const { relays, name, disk, data } = place
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
    fillDisk: () => fillDisk(disk),
    async end() {
      thaw()
      child.kill('SIGKILL')
      await killPostgres()
      await Promise.all(Object.values(relays).map((relay) => relay.close()))
    },
  }
}
