/** What runs have found, a file each in `prove/results`: what was broken off goes on there. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Told } from './figures.ts'
import type { Conditions } from './machine.ts'

const FOLDER = join(import.meta.dirname, 'results')

export type Result = {
  id: string
  title: string
  /** It ended as it should; whether its figures reach their targets is another matter. */
  holds: boolean
  seconds: number
  /** Kept of older runs without them. */
  conditions?: Conditions
  figures: Told | null
}

export async function readResults(): Promise<Map<string, Result>> {
  await mkdir(FOLDER, { recursive: true })
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.json'))
  const results = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(FOLDER, name), 'utf8')) as Result),
  )
  return new Map(results.map((result) => [result.id, result]))
}

export async function keepResult(result: Result): Promise<void> {
  const file = join(FOLDER, `${result.id}.json`)
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`)
}
