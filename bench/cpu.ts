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

/** What a piece of work cost these processes together, for each time that it was done. */
export async function cpuPer(
  pids: readonly (number | undefined)[],
  work: () => Promise<number>,
): Promise<number> {
  const total = async () => {
    const each = await Promise.all(pids.map((pid) => cpuMicroseconds(pid ?? 0)))
    return each.reduce<number>((sum, one) => sum + (one ?? Number.NaN), 0)
  }
  const before = await total()
  const times = await work()
  return Math.round(((await total()) - before) / times)
}
