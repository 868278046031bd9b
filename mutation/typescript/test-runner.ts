/**
 * One vitest for all mutants: its database server stays up and what did not change stays
 * transformed. A mutant is put in the place of its file when vitest loads it, so no file on disk
 * changes; the test processes are new for each mutant.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import {
  createVitest,
  type Reporter,
  type TestCase,
  type TestModule,
  type TestSpecification,
  type Vitest,
} from 'vitest/node'
import { TEMPLATE } from '#test/support/postgres.ts'
import { instrument } from './instrument.ts'
import { ROOT, TESTS_LEFT_OUT } from './modules.ts'

export type Verdict = {
  /** `ended`: a test process ended before a test failed, or fails without the mutant too. */
  outcome: 'killed' | 'survived' | 'ended'
  /** The test that failed first, or the error outside of tests. */
  by: string | null
  testFiles: number
}

export type TestRunner = {
  /** Every test file that takes part. */
  listTests(): Promise<string[]>
  run(mutant: { file: string; source: string } | null, tests: readonly string[]): Promise<Verdict>
  close(): Promise<void>
}

type Options = { coverage: { file: string; modules: ReadonlySet<string> } | null; workers: number }

const FILE_TIMEOUT_MS = 180_000
const relative = (path: string): string => path.slice(ROOT.length + 1)

export async function createTestRunner({ coverage, workers }: Options): Promise<TestRunner> {
  let active: { file: string; source: string } | null = null
  const plugin = {
    name: 'mutant',
    enforce: 'pre' as const,
    transform(source: string, id: string) {
      const file = relative(id)
      if (coverage?.modules.has(file)) return { code: instrument(file, source), map: null }
      return active?.file === file ? { code: active.source, map: null } : undefined
    },
  }
  const order: string[] = []
  const failures: string[] = []
  const sound = new Set<string>()
  const vitest = await createVitest(
    'test',
    {
      config: join(ROOT, 'vitest.config.ts'),
      root: ROOT,
      watch: false,
      // It would serve the file as it was: what a plugin does is no part of its key.
      fsModuleCache: false,
      exclude: ['**/node_modules/**', ...TESTS_LEFT_OUT],
      reporters: [noting(failures)],
      setupFiles: [join(import.meta.dirname, 'worker-setup.ts')],
      bail: coverage === null ? 1 : 0,
      maxWorkers: workers,
      sequence: { sequencer: inOrder(order) },
      provide: { coverageFile: coverage?.file ?? null, fileTimeoutMs: FILE_TIMEOUT_MS },
    },
    { plugins: [plugin], server: { watch: null } },
  )
  await vitest.standalone()
  const run: TestRunner['run'] = async (mutant, tests) => {
    const changed = [active?.file, mutant?.file].filter((file) => file !== undefined)
    active = mutant
    for (const file of new Set(changed)) vitest.invalidateFile(join(ROOT, file))
    order.splice(0, order.length, ...tests)
    failures.splice(0)
    return judge(vitest, tests, failures)
  }
  return {
    async listTests() {
      const found = await vitest.globTestSpecifications()
      return found.map(({ moduleId }) => relative(moduleId)).sort()
    },
    async run(mutant, tests) {
      if (mutant?.file.endsWith('.sql')) await replaceView(vitest, mutant.source)
      const verdict = await run(mutant, tests)
      if (mutant?.file.endsWith('.sql')) {
        await replaceView(vitest, await readFile(join(ROOT, mutant.file), 'utf8'))
      }
      const killer = tests.find((test) => verdict.by?.startsWith(`${test}: `))
      if (mutant === null || killer === undefined || sound.has(killer)) return verdict
      // Without the mutant the file must pass, or its failure shows nothing.
      const { outcome } = await run(null, [killer])
      if (outcome !== 'survived') return { ...verdict, outcome: 'ended' }
      sound.add(killer)
      return verdict
    },
    close: () => vitest.close(),
  }
}

/** The view of a migration, in the database that test files clone. */
async function replaceView(vitest: Vitest, migration: string): Promise<void> {
  const [view] = /create view [^;]+/.exec(migration) ?? []
  if (view === undefined) throw new Error('Of a migration, only a view can be changed')
  const url = new URL(vitest.getRootProject().getProvidedContext().postgresUrl)
  url.pathname = TEMPLATE
  const client = new pg.Client({
    connectionString: url.href,
    options: '-c search_path=countersign',
  })
  await client.connect()
  await client.query(view.replace('create view', 'create or replace view'))
  await client.end()
}

/** The files that are likely to notice come first, in the order given. */
const inOrder = (order: readonly string[]) =>
  class {
    shard = async (files: TestSpecification[]) => files
    sort = async (files: TestSpecification[]) =>
      files.toSorted(
        (a, b) => order.indexOf(relative(a.moduleId)) - order.indexOf(relative(b.moduleId)),
      )
  }

/** Of this run alone: what vitest itself returns still has the modules of earlier runs. */
const noting = (failures: string[]): Reporter => ({
  onTestCaseResult(test: TestCase) {
    if (test.result().state !== 'failed') return
    failures.push(`${test.module.relativeModuleId}: ${test.fullName}`)
  },
  onTestModuleEnd(module: TestModule) {
    if (module.state() === 'failed') failures.push(`${module.relativeModuleId}: does not pass`)
  },
})

async function judge(
  vitest: Vitest,
  tests: readonly string[],
  failures: readonly string[],
): Promise<Verdict> {
  const project = vitest.getRootProject()
  const specifications = tests.map((test) => project.createSpecification(join(ROOT, test)))
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications)
  const ended = unhandledErrors[0] as { message?: string } | undefined
  const testFiles = tests.length
  if (failures[0] !== undefined) return { outcome: 'killed', by: failures[0], testFiles }
  const by = ended?.message ?? null
  return { outcome: by === null ? 'survived' : 'ended', by, testFiles }
}
