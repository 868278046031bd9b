/**
 * `npm run bench` measures every part that has no fresh result, one after the other, keeps the
 * figures in `bench/results` and writes docs/BENCHMARKS.md, its plot and docs/SIZING.md.
 * `npm run bench -- reads creation` measures the named parts, fresh or not, and `--again` all of
 * them. `--write` only writes the pages. `--small` tries every part at a small size and keeps
 * nothing.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createSourceReader, ROOT } from '#prove/sources.ts'
import { type Figure, holds } from './figures.ts'
import { readLoad, readMachine } from './machine.ts'
import { type Part, parts } from './parts.ts'
import { hashOfPart, keepResult, RESULTS, readResults, writeReport } from './results.ts'

const loadBefore = readLoad()
const say = (line: string) => process.stdout.write(`${line}\n`)

/** Ctrl-C reaches the part as well. Its figures are kept even where they miss a target. */
async function run(id: string, part: Part, isSmall: boolean): Promise<boolean> {
  const { title, args, small } = part
  say(`\n${id}: ${title}`)
  const machine = await readMachine(loadBefore, part.sources)
  const before = hashOfPart(part, createSourceReader())
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
  const sources = hashOfPart(part, createSourceReader()) === before ? before : null
  if (!isSmall) await keepResult({ id, title, sources, machine, figures })
  return figures.every(holds)
}

const flag = { type: 'boolean', default: false } as const
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { small: flag, again: flag, write: flag },
})
const unknown = positionals.filter((id) => !(id in parts))
if (unknown.length > 0) {
  say(`There is no part ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`)
  process.exit(2)
}
await mkdir(RESULTS, { recursive: true })
const fresh = (await readResults()).filter(({ isFresh }) => isFresh).map(({ id }) => id)
const isDue = (id: string): boolean => {
  if (values.write) return false
  if (positionals.length > 0) return positionals.includes(id)
  return values.again || values.small || !fresh.includes(id)
}
let isGood = true
for (const [id, part] of Object.entries(parts)) {
  if (isDue(id)) isGood = (await run(id, part, values.small)) && isGood
}
if (!values.small) {
  await writeReport()
  say('\ndocs/BENCHMARKS.md, docs/benchmarks.svg and docs/SIZING.md are written.')
}
process.exitCode = isGood ? 0 : 1
