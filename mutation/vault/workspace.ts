/** Runs the Solidity tests against a wrong vault, apart from the usual build. */
import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Code } from './compiler.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const BUILD = 'contracts/build/mutation'
const ARTIFACT = `${BUILD}/artifacts/contracts/src/CountersignVault.sol/CountersignVault.json`
const HANGING_MS = 15 * 60_000
const NAMED_MAX = 3
/** Tried in turn for a sabotage: random calls may not reach it with the first seed. */
const SEEDS = ['0x1', '0x2', '0x3', '0x4', '0x5', '0x6', '0x7', '0x8']

const hardhat = fileURLToPath(new URL('./cli.js', import.meta.resolve('hardhat')))

export type Verdict = {
  outcome: 'killed' | 'survived' | 'invalid'
  /** Names of tests that failed, the first few. */
  tests: string[]
  /** The promise that the invariants found broken, with its words. */
  promise: string | null
}

/** The tests, compiled once. */
export async function prepareTests(): Promise<void> {
  await rm(join(root, BUILD, 'artifacts'), { recursive: true, force: true })
  await rm(join(root, BUILD, 'cache'), { recursive: true, force: true })
  await run(['build'])
}

/**
 * The tests of the functions, and the invariants where those notice nothing. With `only`, the
 * invariants alone, with several seeds, and all promises but that one silent.
 */
export async function runTests(code: Code, only?: string): Promise<Verdict> {
  const file = join(root, ARTIFACT)
  const artifact = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...artifact, ...code }))
  const runs: Run[] =
    only === undefined
      ? [{ grep: 'test_' }, { grep: 'invariant_' }]
      : SEEDS.map((seed) => ({ grep: 'invariant_', only, seed }))
  for (const one of runs) {
    try {
      await run(['test', 'solidity', '--no-compile', '--grep', one.grep], one)
    } catch (failure) {
      const { stdout = '', stderr = '' } = failure as { stdout?: string; stderr?: string }
      return read(`${stdout}\n${stderr}`)
    }
  }
  return { outcome: 'survived', tests: [], promise: null }
}

type Run = { grep: string; only?: string; seed?: string }

function run(args: readonly string[], { only = '', seed }: Partial<Run> = {}) {
  const own = { COUNTERSIGN_BUILD: BUILD, COUNTERSIGN_MUTANT: '1', COUNTERSIGN_ONLY: only }
  const env = { ...process.env, ...own, ...(seed && { COUNTERSIGN_SEED: seed }) }
  const options = { cwd: root, env, timeout: HANGING_MS, maxBuffer: 2 ** 26 }
  return promisify(execFile)(process.execPath, [hardhat, ...args], options)
}

function read(output: string): Verdict {
  const found = output.matchAll(/^ +\d+\) ((?:test_|invariant_|setUp)\w*)/gm)
  const tests = [...new Set([...found].map(([, test = '']) => test))].slice(0, NAMED_MAX)
  if (tests.length === 0) throw new Error(`The tests neither passed nor failed:\n${output}`)
  return { outcome: 'killed', tests, promise: /Error: (I\d+: .*)/.exec(output)?.[1] ?? null }
}
