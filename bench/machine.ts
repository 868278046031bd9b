/** The machine, versions and commit of a measurement. */
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { loadBinaries } from '#dev/postgres-cluster.ts'
import { commitOf } from '#prove/machine.ts'
import type { Sources } from '#prove/sources.ts'

export type Machine = {
  at: string
  cpu: string
  cores: number
  memoryGib: number
  system: string
  node: string
  /** PostgreSQL, and the packages of the bare servers. */
  versions?: string[]
  commit: string
  /** When the run began: later it includes the load of the parts before. */
  loadBefore: number
}

const run = (file: string, ...args: string[]): string =>
  execFileSync(file, args, { encoding: 'utf8' }).trim()

async function readVersions(): Promise<string[]> {
  const { postgres } = await loadBinaries()
  const [, version] = /([\d.]+)\s*$/.exec(run(postgres, '--version')) ?? []
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  const { dependencies } = JSON.parse(text)
  return [`PostgreSQL ${version}`, `Fastify ${dependencies.fastify}`, `pg ${dependencies.pg}`]
}

/** The load average of the last minute, read before anything is measured. */
export const readLoad = (): number => Math.round((loadavg()[0] ?? 0) * 10) / 10

export const readMachine = async (loadBefore: number, sources: Sources): Promise<Machine> => ({
  at: `${new Date().toISOString().slice(0, 16)}Z`,
  cpu: cpus()[0]?.model.trim() || 'unknown',
  cores: availableParallelism(),
  memoryGib: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()}`,
  node: process.version,
  versions: await readVersions(),
  commit: await commitOf(sources),
  loadBefore,
})

export const machineText = (machine: Machine): string => {
  const { cpu, cores, memoryGib, system, node, versions = [], commit, loadBefore, at } = machine
  const own =
    loadBefore > cores / 2
      ? ` The load average before the run was ${loadBefore}: other work used the machine.`
      : ''
  const software = [`Node ${node}`, ...versions].join(', ')
  const what = `${cores} cores (${cpu}), ${memoryGib} GiB, ${system}, ${software}`
  return `Measured ${at} at commit ${commit}: ${what}.${own}`
}
