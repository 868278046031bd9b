/**
 * `npm run bench`: everything that is measured, one part after the other, each beside its yardstick
 * in one run. `npm run bench -- reads creation` runs some. The figures of each part are kept in
 * `bench/results`, and docs/BENCHMARKS.md with its plot is written anew from all that are there.
 * Every part says in its file how its size is set; `--small` is a look at all in some minutes, of
 * which nothing is kept.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Figure, holds } from './figures.ts'
import { readLoad, readMachine } from './machine.ts'
import { type Part, parts } from './parts.ts'
import { keepResult, RESULTS, writeReport } from './results.ts'

const ROOT = join(import.meta.dirname, '..')
const loadBefore = readLoad()
const say = (line: string) => process.stdout.write(`${line}\n`)

/** Ctrl-C reaches the part as well. What it measured counts, even where it fell short. */
async function run(id: string, part: Part, isSmall: boolean): Promise<boolean> {
  const { title, args, small } = part
  say(`\n${id}: ${title}`)
  const machine = await readMachine(loadBefore)
  const out = join(RESULTS, `${id}.figures.json`)
  await rm(out, { force: true })
  const env = { ...part.env, ...(isSmall ? small : {}), ...process.env, BENCH_OUT: out }
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' })
  await once(child, 'exit')
  const figures: Figure[] | undefined = await readFile(out, 'utf8').then(
    JSON.parse,
    () => undefined,
  )
  await rm(out, { force: true })
  if (!figures) {
    say(`${id} measured nothing`)
    return false
  }
  if (!isSmall) await keepResult({ id, title, machine, figures })
  return figures.every(holds)
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
if (!values.small) {
  await writeReport()
  say('\ndocs/BENCHMARKS.md and docs/benchmarks.svg are written.')
}
process.exitCode = isGood ? 0 : 1
