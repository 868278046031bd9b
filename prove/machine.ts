/** The conditions of a run: commit, versions and machine. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { loadBinaries } from '#dev/postgres-cluster.ts'
import { createSourceReader, ROOT, type Sources } from './sources.ts'

export type Conditions = {
  /** Followed by a + when a source of the run differs from it. */
  commit: string
  at: string
  node: string
  postgres: string
  chain: string
  machine: string
}

const output = async (file: string, args: string[]): Promise<string> =>
  (await promisify(execFile)(file, args, { cwd: ROOT })).stdout.trimEnd()

const versionOf = async (name: string): Promise<string> => {
  const file = join(ROOT, 'node_modules', name, 'package.json')
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version
}

/** Changed, new and deleted files: the path follows a state of two letters and a space. */
async function changedFiles(): Promise<string[]> {
  const how = ['-z', '--porcelain', '--untracked-files=all', '--no-renames']
  const states = await output('git', ['status', ...how])
  return states
    .split('\0')
    .filter(Boolean)
    .map((line) => line.slice(3))
}

export async function commitOf(sources: Sources): Promise<string> {
  try {
    const hash = (await output('git', ['rev-parse', '--short=10', 'HEAD'])).trim()
    const { covers } = createSourceReader()
    const isDirty = (await changedFiles()).some((path) => covers(sources, path))
    return isDirty ? `${hash}+` : hash
  } catch {
    return 'not in a repository'
  }
}

export async function conditions(sources: Sources): Promise<Conditions> {
  const { postgres } = await loadBinaries()
  const [database = ''] = /[\d.]+/.exec(await output(postgres, ['--version'])) ?? []
  const [hardhat, edr, solc] = await Promise.all(
    ['hardhat', '@nomicfoundation/edr', 'solc'].map(versionOf),
  )
  const gib = Math.round(totalmem() / 1024 ** 3)
  const model = cpus()[0]?.model.trim() ?? 'unknown'
  return {
    commit: await commitOf(sources),
    at: new Date().toISOString(),
    node: process.versions.node,
    postgres: database,
    chain: `Hardhat ${hardhat}, EDR ${edr}, solc ${solc}`,
    machine: `${availableParallelism()} cores, ${gib} GiB, ${model}, ${process.platform}`,
  }
}
