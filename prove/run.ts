/**
 * `npm run prove`: the long proofs, one after the other, each with its figures in `prove/results`.
 * `npm run prove -- payments simulator` runs some; one that is proven already is not run again,
 * so that a run that was broken off goes on where it was, unless `--again` is given.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const ROOT = join(import.meta.dirname, '..')
const RESULTS = join(import.meta.dirname, 'results')

type Proof = {
  title: string
  /** Of Node; `out` is where it writes its figures as JSON, if it has any. */
  args: (out: string) => string[]
  env?: (out: string) => Record<string, string>
}

const GUARD = ['--import', './require-node.mjs']

const proofs: Record<string, Proof> = {
  contracts: {
    title: 'The contracts: invariants and properties, a million calls',
    args: () => [...GUARD, 'node_modules/hardhat/dist/src/cli.js', 'test', 'solidity'],
    env: () => ({ COUNTERSIGN_PROVE: '1' }),
  },
  simulator: {
    title:
      "The payment engine, signing and entrusting: 20,000 seeds each, the contract's guard off",
    args: (out) => [...GUARD, 'test/simulator/prove.ts', '--seeds', '20000', '--out', out],
  },
  expenses: {
    title: 'Expenses: a thousand random sequences beside a reference model',
    args: () => [
      ...GUARD,
      'node_modules/vitest/vitest.mjs',
      'run',
      'test/model/expenses.model.test.ts',
    ],
    env: () => ({ PROVE_SEQUENCES: '1000' }),
  },
  live: {
    title: 'Live streams: 100,000 events, late commits, readers that come and go',
    args: () => [...GUARD, 'node_modules/vitest/vitest.mjs', 'run', 'test/live/gap-free.test.ts'],
    env: (out) => ({ PROVE_EVENTS: '100000', PROVE_OUT: out }),
  },
  payments: {
    title: 'Real processes: 200 payments while workers and PostgreSQL are killed',
    args: () => [
      ...GUARD,
      'node_modules/vitest/vitest.mjs',
      'run',
      'test/processes/payments-kill.test.ts',
    ],
    env: (out) => ({ PROVE_PAYMENTS: '200', PROVE_OUT: out }),
  },
}

type Result = { id: string; title: string; holds: boolean; seconds: number; figures: unknown }

const say = (line: string) => process.stdout.write(`${line}\n`)

const fileOf = (id: string): string => join(RESULTS, `${id}.json`)

const readJson = async (file: string): Promise<unknown> =>
  readFile(file, 'utf8').then(JSON.parse, () => null)

/** Ctrl-C reaches the proof as well; only one that holds is not run again. */
async function prove(id: string, { title, args, env }: Proof): Promise<Result> {
  say(`\n${id}: ${title}`)
  const out = join(RESULTS, `${id}.figures.json`)
  await rm(out, { force: true })
  const begun = performance.now()
  const child = spawn(process.execPath, args(out), {
    cwd: ROOT,
    env: { ...process.env, ...env?.(out) },
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  const seconds = Math.round((performance.now() - begun) / 1000)
  const result = { id, title, holds: code === 0, seconds, figures: await readJson(out) }
  await writeFile(fileOf(id), `${JSON.stringify(result, null, 2)}\n`)
  await rm(out, { force: true })
  return result
}

async function proveUnlessProven(id: string, proof: Proof, again: boolean): Promise<Result> {
  const known = (await readJson(fileOf(id))) as Result | null
  return known?.holds && !again ? known : prove(id, proof)
}

function chosen(ids: readonly string[]): [string, Proof][] {
  const unknown = ids.filter((id) => !Object.hasOwn(proofs, id))
  if (unknown.length > 0) {
    const all = Object.keys(proofs).join(', ')
    throw new Error(`There is no proof called ${unknown.join(', ')}. There are: ${all}.`)
  }
  return Object.entries(proofs).filter(([id]) => ids.length === 0 || ids.includes(id))
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { again: { type: 'boolean', default: false } },
  })
  const wanted = chosen(positionals)
  await mkdir(RESULTS, { recursive: true })
  const results: Result[] = []
  for (const [id, proof] of wanted) results.push(await proveUnlessProven(id, proof, values.again))
  say('')
  for (const { id, holds, seconds, title } of results) {
    say(`${holds ? 'holds' : 'FAILS'}  ${id.padEnd(12)}${`${seconds} s`.padStart(8)}  ${title}`)
  }
  say(`Figures: ${RESULTS}`)
  if (results.some(({ holds }) => !holds)) process.exitCode = 1
}

await main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
