/** Which test files call which functions, measured once and stored. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mutant } from '#mutation/mutant.ts'
import { countFunctions, functionAt } from './instrument.ts'
import { MODULES, ROOT, readFiles } from './modules.ts'
import { createTestRunner } from './test-runner.ts'

/** For each test file, what it calls (`file#number`) and how long it takes. */
export type Coverage = Record<string, { ms: number; called: string[] }>

const FOLDER = join(ROOT, 'mutation/results')
const FILE = join(FOLDER, 'coverage.json')

export async function readCoverage(): Promise<Coverage | null> {
  const text = await readFile(FILE, 'utf8').catch(() => null)
  return text === null ? null : (JSON.parse(text) as Coverage)
}

const BATCH = 12

/** Test files that are not measured yet, stored a dozen at a time: a run can be stopped. */
export async function measureCoverage({
  workers,
  under,
}: {
  workers: number
  /** Only test files whose path begins with one of these. */
  under: readonly string[]
}): Promise<Coverage> {
  const known = (await readCoverage()) ?? {}
  const modules = new Set((await readFiles(Object.values(MODULES).flat())).keys())
  const lines = join(FOLDER, 'coverage.jsonl')
  await mkdir(FOLDER, { recursive: true })
  const runner = await createTestRunner({ coverage: { file: lines, modules }, workers })
  try {
    const tests = (await runner.listTests()).filter(
      (test) => under.some((path) => test.startsWith(path)) && !Object.hasOwn(known, test),
    )
    for (let at = 0; at < tests.length; at += BATCH) {
      await writeFile(lines, '')
      await runner.run(null, tests.slice(at, at + BATCH))
      Object.assign(known, await readMeasured(lines))
      await writeFile(FILE, JSON.stringify(known))
      process.stdout.write(`${Math.min(at + BATCH, tests.length)} of ${tests.length} measured\n`)
    }
  } finally {
    await runner.close()
    await rm(lines, { force: true })
  }
  return known
}

async function readMeasured(lines: string): Promise<Coverage> {
  const measured = (await readFile(lines, 'utf8')).split('\n').filter(Boolean)
  return Object.fromEntries(
    measured.map((line) => {
      const [path, ms, called] = JSON.parse(line) as [string, number, string[]]
      return [path.slice(ROOT.length + 1), { ms, called }]
    }),
  )
}

/** Files of the same folder first, then those that say most about the file in the least time. */
export function testsFor(
  { file, index }: Mutant,
  { sources, coverage }: { sources: ReadonlyMap<string, string>; coverage: Coverage },
): string[] {
  const source = sources.get(file) ?? ''
  const number = functionAt(source, index)
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  // Nothing counts calls in a table: whoever uses it is called instead.
  const files = countFunctions(source) === 0 ? importersOf(file, sources) : [file]
  const prefixes = files.map((path) => `${path}#`)
  return Object.entries(coverage)
    .map(([test, { ms, called }]) => {
      const ofFile = called.filter((name) => prefixes.some((path) => name.startsWith(path))).length
      const calls = number === -1 ? ofFile > 0 : called.includes(`${file}#${number}`)
      const isBeside = test === file.replace(/\.ts$/, '.test.ts')
      const weight = (test.startsWith(folder) ? 0 : ms) / Math.max(1, ofFile)
      return { test, calls: calls || isBeside, weight: isBeside ? -1 : weight }
    })
    .filter(({ calls }) => calls)
    .sort((a, b) => a.weight - b.weight)
    .map(({ test }) => test)
}

/** Source files that import the file by its name, which is unique within the sources. */
function importersOf(file: string, sources: ReadonlyMap<string, string>): string[] {
  const name = file.slice(file.lastIndexOf('/'))
  return [...sources].flatMap(([path, text]) => (text.includes(`${name}'`) ? [path] : []))
}
