/** Resource use of a process, where the system exposes it. */
import { readdir, readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export type Footprint = { rssMib: number; files: number }

export const canLook = process.platform === 'linux'

export async function footprintOf(pid: number): Promise<Footprint> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kib = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN)
  return { rssMib: kib / 1_024, files: (await readdir(`/proc/${pid}/fd`)).length }
}

/** The number of sockets that the process has open to that local port. */
export async function connectionsTo(port: number, pid: number): Promise<number> {
  const folder = `/proc/${pid}/fd`
  const links = await Promise.all(
    (await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => '')),
  )
  const own = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
  const remote = port.toString(16).toUpperCase().padStart(4, '0')
  const lines = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).split('\n')
  // Fields of a line: number, local, remote, state, …, and the socket as the tenth.
  const fields = lines.map((line) => line.trim().split(/\s+/))
  return fields.filter(([, , there = '', , , , , , , socket = '']) => {
    return there.endsWith(`:${remote}`) && own.has(socket)
  }).length
}

const TICKS_A_SECOND = 100

/** Fields after the name, which may contain anything: state, parent, … */
const statOf = async (pid: number): Promise<string[]> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** The PostgreSQL server of this backend; the backend may end at any moment. */
export const serverOf = async (backendPid: number): Promise<number> =>
  Number((await statOf(backendPid))[1])

/** Processor seconds that all processes of this server have used together. */
export async function serverCpuSeconds(server: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const stats = await Promise.all(pids.map(async (pid) => ({ pid, stat: await statOf(pid) })))
  // Processes that have ended are included in their parent's total.
  const [, , , , , , , , , , , user = 0, system = 0, gone = 0, goneSystem = 0] = (
    await statOf(server)
  ).map(Number)
  const ticks = stats
    .filter(({ stat }) => Number(stat[1]) === server)
    .reduce((sum, { stat }) => sum + Number(stat[11]) + Number(stat[12]), 0)
  return (ticks + user + system + gone + goneSystem) / TICKS_A_SECOND
}

/** Options for a process whose heap is inspected. */
export const heapOptions = (folder: string) => ({
  NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}`,
})

type Snapshot = { snapshot: { meta: { node_fields: string[] } }; nodes: number[] }

async function readSnapshot(folder: string, pid: number): Promise<Snapshot | undefined> {
  const name = (await readdir(folder)).find((one) => one.includes(`.${pid}.`))
  if (name === undefined) return undefined
  try {
    const snapshot = JSON.parse(await readFile(join(folder, name), 'utf8'))
    await rm(join(folder, name))
    return snapshot
  } catch {
    // It is still being written.
    return undefined
  }
}

/** What a Node process retains after garbage collection, which a heap snapshot triggers. */
export async function heapInUseMib(folder: string, pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR2')
  for (;;) {
    await wait(500)
    const found = await readSnapshot(folder, pid)
    if (!found) continue
    const { node_fields: fields } = found.snapshot.meta
    const at = fields.indexOf('self_size')
    const bytes = found.nodes.reduce((sum, one, n) => sum + (n % fields.length === at ? one : 0), 0)
    return bytes / 1_024 / 1_024
  }
}
