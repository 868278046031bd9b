/** What was measured, a file a part in `bench/results`, and the page that is made of them. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parts } from './parts.ts'
import { plotOf } from './plot.ts'
import { type PartResult, reportOf } from './report.ts'

export const RESULTS = join(import.meta.dirname, 'results')
const DOCS = join(import.meta.dirname, '..', 'docs')

export const keepResult = (result: PartResult): Promise<void> =>
  writeFile(join(RESULTS, `${result.id}.json`), `${JSON.stringify(result, null, 2)}\n`)

export async function readResults(): Promise<PartResult[]> {
  const kept = new Set(await readdir(RESULTS))
  const names = Object.keys(parts)
    .map((id) => `${id}.json`)
    .filter((name) => kept.has(name))
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(RESULTS, name), 'utf8'))),
  )
}

export async function writeReport(): Promise<void> {
  const results = await readResults()
  await writeFile(join(DOCS, 'BENCHMARKS.md'), reportOf(results))
  await writeFile(join(DOCS, 'benchmarks.svg'), plotOf(results))
}
