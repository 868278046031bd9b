/**
 * Makes small wrong versions of the TypeScript sources and runs the tests that call the changed
 * function against each: `npm run mutate:ts -- payments --sample 40`. A run that was stopped
 * continues where it was. Without a module, only docs/MUTATION.md is written from the results.
 */
import { parseArgs } from 'node:util'
import { measureCoverage, readCoverage } from '#mutation/typescript/coverage.ts'
import { judgeLines } from '#mutation/typescript/judge-lines.ts'
import { judgeModule } from '#mutation/typescript/judge-module.ts'
import { MODULES } from '#mutation/typescript/modules.ts'
import { report } from '#mutation/typescript/report.ts'
import { createTestRunner } from '#mutation/typescript/test-runner.ts'
import { writePart } from './document.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    /** At most so many test files for a mutant, those first that are likely to notice. */
    tests: { type: 'string', default: '12' },
    /** Test files that took longer when coverage was measured take no part. */
    slowest: { type: 'string', default: '60000' },
    workers: { type: 'string', default: '2' },
    /** Measures test files that are not measured yet, those whose path begins with `--under`. */
    coverage: { type: 'boolean', default: false },
    under: { type: 'string', multiple: true, default: [''] },
  },
})

/** The lines of `broken-lines.ts` instead of a module. */
const LINES = 'lines'

async function main(): Promise<void> {
  const unknown = positionals.filter((name) => name !== LINES && !Object.hasOwn(MODULES, name))
  if (unknown.length > 0) {
    const known = Object.keys(MODULES).join(', ')
    throw new Error(`There is no module ${unknown.join(', ')}. Known: ${known}`)
  }
  const workers = Number(values.workers)
  const stored = values.coverage ? null : await readCoverage()
  const coverage = stored ?? (await measureCoverage({ workers, under: values.under }))
  if (positionals.length > 0) {
    const runner = await createTestRunner({ coverage: null, workers })
    const sampling = {
      seed: values.seed,
      sample: Number(values.sample),
      testsMax: Number(values.tests),
      slowestMs: Number(values.slowest),
    }
    try {
      for (const module of positionals) {
        if (module === LINES) await judgeLines(runner)
        else await judgeModule(runner, coverage, { ...sampling, module })
      }
    } finally {
      await runner.close()
    }
  }
  await writePart({ typescript: await report({ seed: values.seed }) })
}

await main()
process.exit()
