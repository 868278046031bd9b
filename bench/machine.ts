/** What the figures were measured on: without it they say nothing. */
import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'

export type Machine = {
  at: string
  cpu: string
  cores: number
  memoryGib: number
  system: string
  node: string
  commit: string
  /** Of the last minute, before anything was measured: what others took from it. */
  loadBefore: number
}

const commitOf = (): string => {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
  try {
    const isDirty = git('status', '--porcelain', '--untracked-files=no') !== ''
    return `${git('rev-parse', '--short=12', 'HEAD')}${isDirty ? ', with changes' : ''}`
  } catch {
    return 'unknown'
  }
}

export const readMachine = (): Machine => ({
  at: `${new Date().toISOString().slice(0, 16)}Z`,
  cpu: cpus()[0]?.model.trim() || 'unknown',
  cores: availableParallelism(),
  memoryGib: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()}`,
  node: process.version,
  commit: commitOf(),
  loadBefore: Math.round((loadavg()[0] ?? 0) * 10) / 10,
})

export const machineText = (machine: Machine): string => {
  const { cpu, cores, memoryGib, system, node, commit, loadBefore, at } = machine
  const own =
    loadBefore > cores / 2
      ? ` The load was ${loadBefore} before anything was measured: others used the machine too.`
      : ''
  const what = `${cores} cores (${cpu}), ${memoryGib} GiB, ${system}, Node ${node}`
  return `${at}, commit ${commit}: ${what}.${own}`
}
