/** What a proof is: something to run, the figures that it must tell, and what they must be. */

type Files = {
  /** Figures of the proof's own, a line of JSON each. */
  told: string
  /** What the test runner says of its tests. */
  tests: string
}

/** One program, whose figures may serve several proofs. */
export type Run = {
  title: string
  /** Of Node, in the folder of the project. */
  args: (files: Files) => string[]
  env?: Record<string, string>
  /** Figures that stand in what it prints. */
  read?: (printed: string) => Record<string, unknown> | Promise<Record<string, unknown>>
}

export type Figure = {
  label: string
  /** Where it is in what the run has told: `faultsByKind.crash`; or counts the tests so named. */
  of: string | RegExp
  /** Of which run, if it is not the proof's own. */
  run?: string
  /** `= 0`, `>= 100000`, `< 1`; a figure without one is only reported. */
  target?: string
}

export type Proof = {
  id: string
  title: string
  /** What is done to the service. */
  done: string
  /** Its own, or the name of one that it shares. */
  run: Run | string
  figures: Figure[]
}

/** One of the ten that are made to whoever uses the service. */
export type Vow = { id: string; title: string; figures: (Figure & { run: string })[] }

const GUARD = ['--import', './require-node.mjs']

export const program = (
  title: string,
  script: string,
  { args = [], env = {}, read }: { args?: string[] } & Partial<Pick<Run, 'env' | 'read'>> = {},
): Run => ({
  title,
  args: ({ told }) => [...GUARD, script, ...args.map((arg) => (arg === 'TOLD' ? told : arg))],
  env,
  ...(read && { read }),
})

/** Files of tests, at the size that the environment gives them; `only` is part of their names. */
export const tests = (
  title: string,
  files: readonly string[],
  { env = {}, only }: { env?: Record<string, string>; only?: string } = {},
): Run => ({
  title,
  args: (out) => [
    ...[...GUARD, 'node_modules/vitest/vitest.mjs', 'run', ...files],
    ...(only === undefined ? [] : ['--testNamePattern', only]),
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${out.tests}`],
  ],
  env,
})

export const figure = (label: string, of: string | RegExp, target?: string): Figure => ({
  label,
  of,
  ...(target !== undefined && { target }),
})

/** One that another run tells. */
export const from = (run: string, label: string, of: string | RegExp, target?: string) => ({
  ...figure(label, of, target),
  run,
})

/** Every test is a case of the proof, and one that fails is a case that went wrong. */
export const cases = (label = 'cases'): Figure[] => [
  figure(label, 'tests.passed', '> 0'),
  figure('wrong', 'tests.failed', '= 0'),
]

/** A proof that existing tests carry, each of them a case. */
export const byTests = (
  id: string,
  title: string,
  done: string,
  files: readonly string[],
  options: { env?: Record<string, string>; only?: string; figures?: Figure[] } = {},
): Proof => ({
  id,
  title,
  done,
  run: tests(title, files, options),
  figures: [...cases(), ...(options.figures ?? [])],
})
