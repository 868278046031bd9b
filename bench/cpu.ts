/** CPU time of processes, which says more than the clock on a machine that others use too. */
import { readdir, readFile } from 'node:fs/promises'

const MICROSECONDS_A_TICK = 10_000

type Usage = { pid: number; parent: number; microseconds: number }

async function usageOf(pid: string): Promise<Usage | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The name in the second field may hold anything, so fields count from its end.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  if (!fields) return undefined
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return {
    pid: Number(pid),
    parent: Number(fields[1]),
    microseconds: ticks * MICROSECONDS_A_TICK,
  }
}

/** Of a process, its children and the children that ended; undefined where nobody can tell. */
export async function cpuMicroseconds(pid: number): Promise<number | undefined> {
  const names = await readdir('/proc').catch(() => [])
  const all = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(usageOf))
  const family = all.filter((one) => one?.pid === pid || one?.parent === pid)
  if (family.length === 0) return undefined
  return family.reduce((sum, one) => sum + (one?.microseconds ?? 0), 0)
}

export type Cost = { server: number; database: number }

/** What a piece of work cost the server and the database, for each time that it was done. */
export async function cpuPer(
  pids: { server: number | undefined; database: number },
  work: () => Promise<number>,
): Promise<Cost> {
  const look = async () => ({
    server: (await cpuMicroseconds(pids.server ?? 0)) ?? Number.NaN,
    database: (await cpuMicroseconds(pids.database)) ?? Number.NaN,
  })
  const before = await look()
  const times = await work()
  const after = await look()
  const each = (name: keyof Cost) => Math.round((after[name] - before[name]) / times)
  return { server: each('server'), database: each('database') }
}

export const costText = ({ server, database }: Cost): string => `${server} + ${database}`
