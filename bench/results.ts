/** The measured figures, one file a part in `bench/results`, and the page made of them. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSourceReader, type SourceReader } from '#prove/sources.ts'
import { type Part, parts } from './parts.ts'
import { plotOf } from './plot.ts'
import { type KeptResult, type PartResult, reportOf } from './report.ts'
import { sizingOf } from './sizing.ts'

export const RESULTS = join(import.meta.dirname, 'results')
const DOCS = join(import.meta.dirname, '..', 'docs')

export const hashOfPart = ({ args, env = {}, sources }: Part, reader: SourceReader): string =>
  reader.hashOf(sources, [args, env])

export const keepResult = (result: PartResult): Promise<void> =>
  writeFile(join(RESULTS, `${result.id}.json`), `${JSON.stringify(result, null, 2)}\n`)

/** In the order of the parts; a part that was never measured is left out. */
export async function readResults(): Promise<KeptResult[]> {
  const reader = createSourceReader()
  const kept = new Set(await readdir(RESULTS))
  const measured = Object.entries(parts).filter(([id]) => kept.has(`${id}.json`))
  return Promise.all(
    measured.map(async ([id, part]) => {
      const text = await readFile(join(RESULTS, `${id}.json`), 'utf8')
      const result: PartResult = JSON.parse(text)
      return { ...result, isFresh: result.sources === hashOfPart(part, reader) }
    }),
  )
}

export async function writeReport(): Promise<void> {
  const results = await readResults()
  await writeFile(join(DOCS, 'BENCHMARKS.md'), reportOf(results))
  await writeFile(join(DOCS, 'benchmarks.svg'), plotOf(results))
  await writeFile(join(DOCS, 'SIZING.md'), sizingOf(results))
}
