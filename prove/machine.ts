/** The conditions of a run, without which its figures mean little. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { loadBinaries } from '#dev/postgres-cluster.ts'

export const ROOT = join(import.meta.dirname, '..')

export type Conditions = {
  /** With a + when the tree differs from it. */
  commit: string
  at: string
  node: string
  postgres: string
  chain: string
  machine: string
}

const output = async (file: string, args: string[]): Promise<string> =>
  (await promisify(execFile)(file, args, { cwd: ROOT })).stdout.trim()

const versionOf = async (name: string): Promise<string> => {
  const file = join(ROOT, 'node_modules', name, 'package.json')
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version
}

async function commit(): Promise<string> {
  try {
    const hash = await output('git', ['rev-parse', '--short=10', 'HEAD'])
    const changed = await output('git', ['status', '--porcelain', '--', 'src', 'test', 'contracts'])
    return changed === '' ? hash : `${hash}+`
  } catch {
    return 'not in a repository'
  }
}

export async function conditions(): Promise<Conditions> {
  const { postgres } = await loadBinaries()
  const [database = ''] = /[\d.]+/.exec(await output(postgres, ['--version'])) ?? []
  const [hardhat, edr, solc] = await Promise.all(
    ['hardhat', '@nomicfoundation/edr', 'solc'].map(versionOf),
  )
  const gib = Math.round(totalmem() / 1024 ** 3)
  const model = cpus()[0]?.model.trim() ?? 'unknown'
  return {
    commit: await commit(),
    at: new Date().toISOString(),
    node: process.versions.node,
    postgres: database,
    chain: `Hardhat ${hardhat}, EDR ${edr}, solc ${solc}`,
    machine: `${availableParallelism()} cores, ${gib} GiB, ${model}, ${process.platform}`,
  }
}
