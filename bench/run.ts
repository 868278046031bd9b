/**
 * `npm run bench`: everything that is measured, one part after the other, each beside its yardstick
 * in one run. `npm run bench -- reads creation` runs some. The figures of each part are kept in
 * `bench/results`, and docs/BENCHMARKS.md with its plot is written anew from all that are there.
 * Every part says in its file how its size is set; `--small` is a look at all in some minutes.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Figure, holds } from './figures.ts'
import { readMachine } from './machine.ts'
import { plotOf } from './plot.ts'
import { type PartResult, reportOf } from './report.ts'

const ROOT = join(import.meta.dirname, '..')
const RESULTS = join(import.meta.dirname, 'results')
const GUARD = ['--import', './require-node.mjs']

type Settings = Record<string, string>
type Part = { title: string; args: string[]; env?: Settings; small: Settings }

const file = (name: string): string[] => [...GUARD, `bench/${name}.ts`]
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'bench/vitest.config.ts']

const parts: Record<string, Part> = {
  reads: {
    title: 'Authenticated reads through the whole HTTP stack',
    args: file('reads'),
    small: { READ_ROUNDS: '3', READ_ROUND_MS: '1000', READ_WARM_UP: '500' },
  },
  creation: {
    title: 'Creation of expenses through the whole HTTP stack',
    args: file('creation'),
    small: { CREATION_ROUNDS: '3', CREATION_ROUND_SECONDS: '2' },
  },
  growth: {
    title: 'Growth of the books',
    args: file('growth'),
    small: { GROWTH_SIZES: '1000,10000', GROWTH_ROUNDS: '30' },
  },
  payments: {
    title: 'The payment pipeline',
    args: [...GUARD, ...vitest],
    small: { PAYMENTS: '96', BLOCK_MS: '1000' },
  },
  'payments-fast': {
    title: 'The payment pipeline on a faster chain',
    args: [...GUARD, ...vitest],
    env: { PAYMENTS: '320', BLOCK_MS: '250' },
    small: { PAYMENTS: '96', BLOCK_MS: '250' },
  },
  streams: {
    title: 'Live streams',
    args: file('live'),
    small: { BENCH_STREAMS: '500', BENCH_SECONDS: '3' },
  },
  memory: { title: 'Memory', args: file('memory'), small: { MEMORY_MS: '5000' } },
  'start-up': { title: 'Start-up', args: file('start-up'), small: { START_ROUNDS: '3' } },
}

const say = (line: string) => process.stdout.write(`${line}\n`)
const fileOf = (id: string): string => join(RESULTS, `${id}.json`)

const readJson = async <T>(path: string): Promise<T | undefined> =>
  readFile(path, 'utf8').then(JSON.parse, () => undefined)

/** Ctrl-C reaches the part as well. What it measured counts, even where it fell short. */
async function run(id: string, part: Part, isSmall: boolean): Promise<boolean> {
  const { title, args, small } = part
  say(`\n${id}: ${title}`)
  const machine = await readMachine()
  const out = join(RESULTS, `${id}.figures.json`)
  await rm(out, { force: true })
  const env = { ...part.env, ...(isSmall ? small : {}), ...process.env, BENCH_OUT: out }
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' })
  await once(child, 'exit')
  const figures = await readJson<Figure[]>(out)
  await rm(out, { force: true })
  if (!figures) {
    say(`${id} measured nothing`)
    return false
  }
  const result: PartResult = { id, title, isSmall, machine, figures }
  await writeFile(fileOf(id), `${JSON.stringify(result, null, 2)}\n`)
  return figures.every(holds)
}

async function writeReport(): Promise<void> {
  const results: PartResult[] = []
  for (const id of Object.keys(parts)) {
    const result = await readJson<PartResult>(fileOf(id))
    if (result) results.push(result)
  }
  await writeFile(join(ROOT, 'docs', 'BENCHMARKS.md'), reportOf(results))
  await writeFile(join(ROOT, 'docs', 'benchmarks.svg'), plotOf(results))
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { small: { type: 'boolean', default: false } },
})
const unknown = positionals.filter((id) => !(id in parts))
if (unknown.length > 0) {
  say(`There is no part ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`)
  process.exit(2)
}
await mkdir(RESULTS, { recursive: true })
let isGood = true
for (const [id, part] of Object.entries(parts)) {
  if (positionals.length > 0 && !positionals.includes(id)) continue
  isGood = (await run(id, part, values.small)) && isGood
}
await writeReport()
say('\ndocs/BENCHMARKS.md and docs/benchmarks.svg are written.')
process.exitCode = isGood ? 0 : 1
