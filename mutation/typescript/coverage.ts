/** Which test files call which functions, measured once and stored. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mutant } from '#mutation/mutant.ts'
import { functionAt } from './instrument.ts'
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
  under = '',
}: {
  workers: number
  /** Only test files whose path begins like this. */
  under?: string
}): Promise<Coverage> {
  const known = (await readCoverage()) ?? {}
  const modules = new Set((await readFiles(Object.values(MODULES).flat())).keys())
  const lines = join(FOLDER, 'coverage.jsonl')
  await mkdir(FOLDER, { recursive: true })
  const runner = await createTestRunner({ coverage: { file: lines, modules }, workers })
  try {
    const tests = (await runner.listTests()).filter(
      (test) => test.startsWith(under) && !Object.hasOwn(known, test),
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
  { source, coverage }: { source: string; coverage: Coverage },
): string[] {
  const number = functionAt(source, index)
  const prefix = `${file}#`
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  return Object.entries(coverage)
    .map(([test, { ms, called }]) => {
      const ofFile = called.filter((name) => name.startsWith(prefix)).length
      const calls = number === -1 ? ofFile > 0 : called.includes(`${prefix}${number}`)
      const weight = (test.startsWith(folder) ? 0 : ms) / Math.max(1, ofFile)
      return { test, calls, weight }
    })
    .filter(({ calls }) => calls)
    .sort((a, b) => a.weight - b.weight)
    .map(({ test }) => test)
}
