/** The result of each run, one file in `prove/results`, and whether it is about this tree. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Figures } from './figures.ts'
import type { Run } from './kinds.ts'
import type { Conditions } from './machine.ts'
import { runs } from './registry.ts'
import { createSourceReader, type SourceReader } from './sources.ts'

const FOLDER = join(import.meta.dirname, 'results')

export type Result = {
  id: string
  title: string
  /** The program ended without an error; targets are checked when the page is written. */
  holds: boolean
  seconds: number
  /** Hash of the run's sources; null when they changed while it ran. Older results have none. */
  sources?: string | null
  /** Seed of property tests. */
  seed?: number
  conditions?: Conditions
  figures: Figures | null
}

export type KeptResult = Result & {
  /** Its sources are those of the working tree. */
  isFresh: boolean
}

export const hashOfRun = (run: Run, reader: SourceReader): string =>
  reader.hashOf(run.sources, [run.args({ figures: 'FIGURES', tests: 'TESTS' }), run.env ?? {}])

export async function readResults(): Promise<Map<string, KeptResult>> {
  await mkdir(FOLDER, { recursive: true })
  const reader = createSourceReader()
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.json'))
  const results = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(FOLDER, name), 'utf8')) as Result),
  )
  return new Map(
    results.map((result) => {
      const run = runs[result.id]
      const isFresh = run !== undefined && result.sources === hashOfRun(run, reader)
      return [result.id, { ...result, isFresh }]
    }),
  )
}

export async function keepResult(result: Result): Promise<void> {
  const file = join(FOLDER, `${result.id}.json`)
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`)
}
