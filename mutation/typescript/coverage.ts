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

/** Parts of names that say nothing about a subject. */
const GENERAL = new Set(['store', 'routes', 'machine', 'actions', 'packages', 'platform', 'test'])

/** `src/approvals/end-approval.ts`: approval. Test files named so are about it. */
function subjectsOf(file: string): string[] {
  const words = file.split(/[^a-z]+/).filter((word) => word.length > 4 && !GENERAL.has(word))
  return words.map((word) => word.replace(/s$/, ''))
}

/** Compares what the routes declare with the committed document. */
const DOCUMENT_TEST = 'test/http/openapi-document.test.ts'

/**
 * The file beside it first, then those of the same folder, then those that say most about the file
 * in the least time. A function that many tests call, such as one that registers routes, says
 * little; a file with the same subject in its name may take ten times as long.
 */
export function testsFor(
  { file, index }: Mutant,
  { sources, coverage }: { sources: ReadonlyMap<string, string>; coverage: Coverage },
): string[] {
  const source = sources.get(file) ?? ''
  const number = functionAt(source, index)
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  const subjects = subjectsOf(file)
  // Nothing counts calls in a table: whoever uses it is called instead.
  const files = countFunctions(source) === 0 ? importersOf(file, sources) : [file]
  const ofFile = ({ called }: { called: string[] }) =>
    called.filter((name) => files.some((path) => name.startsWith(`${path}#`)))
  const callers = countNames(Object.values(coverage).flatMap(ofFile))
  return Object.entries(coverage)
    .map(([test, measured]) => {
      const names = ofFile(measured)
      const says = names.reduce((sum, name) => sum + 1 / (callers.get(name) ?? 1), 0)
      const isBeside = test === file.replace(/\.ts$/, '.test.ts')
      const isFirst = test.startsWith(folder) || test === DOCUMENT_TEST
      const isAbout = subjects.some((word) => test.includes(word))
      const cost = isFirst ? 0 : measured.ms / (isAbout ? 10 : 1)
      const calls = number === -1 ? names.length > 0 : names.includes(`${file}#${number}`)
      return { test, calls: calls || isBeside, weight: isBeside ? -1 : cost / (says + 0.001) }
    })
    .filter(({ calls }) => calls)
    .sort((a, b) => a.weight - b.weight)
    .map(({ test }) => test)
}

function countNames(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** Source files that import the file by its name, which is unique within the sources. */
function importersOf(file: string, sources: ReadonlyMap<string, string>): string[] {
  const name = file.slice(file.lastIndexOf('/'))
  return [...sources].flatMap(([path, text]) => (text.includes(`${name}'`) ? [path] : []))
}
