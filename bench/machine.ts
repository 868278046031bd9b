/** What the figures were measured on: without it they say nothing. */
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { loadBinaries } from '#dev/postgres-cluster.ts'

export type Machine = {
  at: string
  cpu: string
  cores: number
  memoryGib: number
  system: string
  node: string
  /** PostgreSQL, and what the bare servers are made of. */
  versions?: string[]
  commit: string
  /** When the run began: later it is the load of the parts before. */
  loadBefore: number
}

const run = (file: string, ...args: string[]): string =>
  execFileSync(file, args, { encoding: 'utf8' }).trim()

/** Figures that were just kept, and the page of them, change nothing that is measured. */
const CODE = [':/', ':(top,exclude)bench/results', ':(top,exclude)docs']

const commitOf = (): string => {
  const git = (...args: string[]) => run('git', ...args)
  try {
    const isDirty = git('status', '--porcelain', '--untracked-files=no', '--', ...CODE) !== ''
    return `${git('rev-parse', '--short=12', 'HEAD')}${isDirty ? ', with changes' : ''}`
  } catch {
    return 'unknown'
  }
}

async function readVersions(): Promise<string[]> {
  const { postgres } = await loadBinaries()
  const [, version] = /([\d.]+)\s*$/.exec(run(postgres, '--version')) ?? []
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  const { dependencies } = JSON.parse(text)
  return [`PostgreSQL ${version}`, `Fastify ${dependencies.fastify}`, `pg ${dependencies.pg}`]
}

/** Of the last minute: what others take from the machine, asked before anything is measured. */
export const readLoad = (): number => Math.round((loadavg()[0] ?? 0) * 10) / 10

export const readMachine = async (loadBefore: number): Promise<Machine> => ({
  at: `${new Date().toISOString().slice(0, 16)}Z`,
  cpu: cpus()[0]?.model.trim() || 'unknown',
  cores: availableParallelism(),
  memoryGib: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()}`,
  node: process.version,
  versions: await readVersions(),
  commit: commitOf(),
  loadBefore,
})

export const machineText = (machine: Machine): string => {
  const { cpu, cores, memoryGib, system, node, versions = [], commit, loadBefore, at } = machine
  const own =
    loadBefore > cores / 2
      ? ` The load was ${loadBefore} before anything was measured: others used the machine too.`
      : ''
  const software = [`Node ${node}`, ...versions].join(', ')
  const what = `${cores} cores (${cpu}), ${memoryGib} GiB, ${system}, ${software}`
  return `${at}, commit ${commit}: ${what}.${own}`
}
