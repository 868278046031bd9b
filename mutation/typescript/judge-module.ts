/** Runs a sample of a module's mutants and stores each verdict as it comes. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mutant } from '#mutation/mutant.ts'
import { openResults, type Results } from '#mutation/results.ts'
import { type Coverage, testsFor } from './coverage.ts'
import { MODULES, mutantsOfModule, ROOT, readFiles } from './modules.ts'
import type { TestRunner, Verdict } from './test-runner.ts'

/** `source` and `tests` say of which state the verdict is. */
export type Judged = Verdict & { source: string; tests: string; ms: number }

export type Sampling = {
  module: string
  seed: string
  sample: number
  testsMax: number
  slowestMs: number
}

export const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16)

export const resultsOf = (module: string): Promise<Results<Judged>> =>
  openResults(join(ROOT, 'mutation/results', `${module.replace('/', '-')}.jsonl`))

/** A larger sample of the same seed contains the smaller one. */
export async function sampleOf({ module, seed, sample }: Omit<Sampling, 'testsMax' | 'slowestMs'>) {
  const all = [...new Map((await mutantsOfModule(module)).map((one) => [one.id, one])).values()]
  const rank = ({ id }: Mutant) => digest(`${seed} ${id}`)
  const ranked = all.map((mutant) => [rank(mutant), mutant] as const)
  const chosen = ranked.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, sample)
  return { made: all.length, mutants: chosen.map(([, mutant]) => mutant) }
}

/** A kill stands while the file is the same; a survivor is run again after its tests changed. */
const isKnown = (judged: Judged | undefined, source: string, tests: string): boolean =>
  judged?.source === source && (judged.outcome === 'killed' || judged.tests === tests)

export async function judgeModule(
  runner: TestRunner,
  coverage: Coverage,
  { testsMax, slowestMs, ...sampling }: Sampling,
): Promise<void> {
  const { module } = sampling
  const sources = await readFiles(Object.values(MODULES).flat())
  const results = await resultsOf(module)
  const { mutants } = await sampleOf(sampling)
  for (const [index, mutant] of mutants.entries()) {
    const source = sources.get(mutant.file) ?? ''
    const calling = testsFor(mutant, { sources, coverage })
    const quick = calling.filter((test) => (coverage[test]?.ms ?? 0) <= slowestMs)
    const files = quick.slice(0, testsMax)
    // Only slow tests call it: it is left for a run that allows them.
    if (calling.length > 0 && files.length === 0) continue
    const texts = await Promise.all(files.map((file) => readFile(join(ROOT, file), 'utf8')))
    const state = { source: digest(source), tests: digest(texts.join('\n')) }
    if (isKnown(results.verdicts.get(mutant.id), state.source, state.tests)) continue
    const startedAt = performance.now()
    const verdict = files.length === 0 ? NOT_COVERED : await runner.run(mutant, files)
    const ms = Math.round(performance.now() - startedAt)
    await results.add(mutant.id, { ...verdict, ...state, ms })
    const what = `${mutant.file}:${mutant.line} ${mutant.before} → ${mutant.after}`
    const place = `${index + 1}/${mutants.length} ${mutant.id} ${verdict.outcome} ${ms} ms`
    process.stdout.write(`${place} ${what.slice(0, 150)}\n`)
    if (verdict.by) process.stdout.write(`    ${verdict.by.slice(0, 160)}\n`)
  }
}

const NOT_COVERED: Verdict = { outcome: 'survived', by: null, testFiles: 0 }
