/** What a proof is: a program to run, the figures it reports, and the target of each figure. */
import { SERVICE_FOLDERS, SET_UP, type Sources } from './sources.ts'

/** Files into which a run writes. */
type Outputs = {
  /** Figures that the program or its tests report, one JSON object a line. */
  figures: string
  /** Vitest's JSON report. */
  tests: string
}

/** One program. Several proofs may read its figures. */
export type Run = {
  title: string
  /** Arguments of Node, which runs in the project's folder. */
  args: (outputs: Outputs) => string[]
  env?: Record<string, string>
  /** The files that decide its result. */
  sources: Sources
  /** It runs more than the tests do: more requests, more rounds, or another program. */
  isLarger: boolean
  /** Reads figures from what the program prints. */
  read?: (printed: string) => Record<string, unknown> | Promise<Record<string, unknown>>
}

export type Figure = {
  label: string
  /** A path into the run's figures, such as `faultsByKind.crash`, or a pattern of test names. */
  of: string | RegExp
  /** The run that reports it, unless it is the proof's own. */
  run?: string
  /** `= 0`, `>= 100000`, `< 1`; a figure without a target is only reported. */
  target?: string
}

export type Proof = {
  id: string
  title: string
  /** What is done to the service. */
  done: string
  /** Its own run, or the name of a shared one. */
  run: Run | string
  figures: Figure[]
}

/** One of the ten promises to users. All of its figures come from named runs. */
export type Guarantee = { id: string; title: string; figures: (Figure & { run: string })[] }

const NODE_CHECK = ['--import', './require-node.mjs']

/**
 * The code that runs a proof and reads its figures. Titles and targets are not part of it: they
 * are applied to the figures whenever the page is written.
 */
const MACHINERY = ['prove/perform.ts', 'prove/figures.ts', 'package-lock.json']

type Program = {
  args?: string[]
  env?: Record<string, string>
  sources: Sources
  read?: Run['read']
}

/** A script with its arguments; `FIGURES` among them stands for the file of figures. */
export const program = (
  title: string,
  script: string,
  { args = [], env = {}, sources, read }: Program,
): Run => ({
  title,
  args: ({ figures }) => [
    ...[...NODE_CHECK, script],
    ...args.map((arg) => (arg === 'FIGURES' ? figures : arg)),
  ],
  env,
  sources: { ...sources, files: [...sources.files, ...MACHINERY] },
  isLarger: true,
  ...(read && { read }),
})

/** Test files at the size that `env` gives them; `only` selects tests by name. */
export const tests = (
  title: string,
  files: readonly string[],
  { env = {}, only }: { env?: Record<string, string>; only?: string } = {},
): Run => ({
  title,
  args: (outputs) => [
    ...[...NODE_CHECK, 'node_modules/vitest/vitest.mjs', 'run', ...files],
    ...(only === undefined ? [] : ['--testNamePattern', only]),
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${outputs.tests}`],
  ],
  env,
  sources: {
    folders: SERVICE_FOLDERS,
    entries: [...SET_UP, ...files],
    files: ['vitest.config.ts', ...MACHINERY],
  },
  isLarger: Object.keys(env).length > 0,
})

export const figure = (label: string, of: string | RegExp, target?: string): Figure => ({
  label,
  of,
  ...(target !== undefined && { target }),
})

/** A figure that another run reports. */
export const from = (run: string, label: string, of: string | RegExp, target?: string) => ({
  ...figure(label, of, target),
  run,
})

/**
 * Each test is a case. `least` is the number of tests when it was last looked at, so that a proof
 * whose tests are removed, renamed or skipped falls short.
 */
export const cases = (least: number, label = 'cases'): Figure[] => [
  figure(label, 'tests.passed', `>= ${least}`),
  figure('failed', 'tests.failed', '= 0'),
]

type ByTests = {
  /** How many tests there are: see `cases`. */
  least: number
  env?: Record<string, string>
  only?: string
  figures?: Figure[]
}

/** A proof made of existing tests, each of which is a case. */
export const byTests = (
  id: string,
  title: string,
  done: string,
  files: readonly string[],
  { least, figures = [], ...options }: ByTests,
): Proof => ({
  id,
  title,
  done,
  run: tests(title, files, options),
  figures: [...cases(least), ...figures],
})

/** Property tests run this many random inputs each instead of fast-check's 100. */
export const MANY_INPUTS = { PROVE_PROPERTY_RUNS: '2000' }
