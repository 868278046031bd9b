/**
 * Makes small wrong versions of the vault, runs the Solidity tests against each, and writes what
 * they noticed to docs/MUTATION.md. Fails below 98 % or when a promise cannot be broken. A run that
 * was stopped goes on where it was, as long as neither sources nor tests have changed.
 *
 * `--sample 80` runs so many mutants, chosen by `--seed`, and no sabotages unless `--promises` asks
 * for them. A sample keeps its kills while the sources are unchanged, so that after a new test only
 * its survivors run again.
 */
import { createHash } from 'node:crypto'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writePart } from '#mutation/document.ts'
import type { Mutant } from '#mutation/mutant.ts'
import { openResults } from '#mutation/results.ts'
import { EQUIVALENT } from './mutation/equivalent.ts'
import { mutantsOf } from './mutation/mutants.ts'
import { type Entry, type Proof, report, score } from './mutation/report.ts'
import { SABOTAGES } from './mutation/sabotage.ts'
import {
  compile,
  prepareTests,
  root,
  runTests,
  type Verdict,
  type Wrong,
} from './mutation/workspace.ts'

const FILES = [
  'CountersignVault.sol',
  'VaultRecipients.sol',
  'VaultPolicy.sol',
  'VaultLimits.sol',
  'PolicyRules.sol',
  'PaymentApproval.sol',
]
const SCORE_MIN = 0.98

const { values: options } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    promises: { type: 'boolean', default: false },
  },
})
const sampleSize = options.sample === undefined ? null : Number(options.sample)

type Task = Wrong & { id: string; only?: string }
type Sources = ReadonlyMap<string, string>

async function main(): Promise<void> {
  const started = Date.now()
  const sources: Sources = new Map(
    await Promise.all(
      FILES.map(async (file) => {
        const source = await readFile(join(root, 'contracts/src', file), 'utf8')
        return [file, source] as const
      }),
    ),
  )
  const made = [...sources].flatMap(([file, source]) => mutantsOf(file, source))
  const mutants = chosen(made)
  const sabotages = sampleSize === null || options.promises ? SABOTAGES : []
  const known = await openVerdicts()
  const tasks: Task[] = [...mutants, ...sabotages.map((one) => sabotaged(one, sources))]
  const rest = tasks.filter(({ id }) => !known.verdicts.has(id))
  process.stdout.write(`${tasks.length} wrong versions, ${rest.length} to run\n`)
  if (rest.length > 0) await judgeAll(rest, sources, known.add)
  const entries = mutants.map((mutant): Entry => judged(mutant, known.verdicts))
  const proofs = sabotages.map((one): Proof => {
    return { ...one, said: known.verdicts.get(`promise-${one.promise}`)?.promise ?? null }
  })
  await writePart({ vault: report({ entries, proofs, made: made.length, seed: options.seed }) })
  finish(entries, proofs, Date.now() - started)
}

/** All of them, or the first of a random order that the seed decides. */
function chosen(mutants: readonly Mutant[]): readonly Mutant[] {
  if (sampleSize === null) return mutants
  const place = ({ id }: Mutant) => hashOf([`${options.seed} ${id}`])
  return mutants.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)).slice(0, sampleSize)
}

const hashOf = (parts: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

/** The tests of one run in a process of their own while the next is compiled in this one. */
async function judgeAll(
  tasks: readonly Task[],
  sources: Sources,
  add: (id: string, verdict: Verdict) => Promise<void>,
): Promise<void> {
  await prepareTests()
  await requireSound(sources)
  let tests: Promise<void> = Promise.resolve()
  for (const task of tasks) {
    const code = compile(task)
    await tests
    tests = (async () => {
      const invalid: Verdict = { outcome: 'invalid', tests: [], promise: null }
      await add(task.id, code === null ? invalid : await runTests(code, task.only))
    })()
    // Lets the tests start before the compiler takes this thread.
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await tests
}

function sabotaged(
  { promise, file, find, replace }: (typeof SABOTAGES)[number],
  sources: Sources,
): Task {
  const source = sources.get(file) ?? ''
  if (source.split(find).length !== 2) throw new Error(`The sabotage of ${promise} does not fit.`)
  const wrong = source.replace(find, () => replace)
  return { id: `promise-${promise}`, file, source: wrong, only: `${promise}:` }
}

/** With nothing wrong, nothing fails; otherwise a kill means nothing. */
async function requireSound(sources: Sources): Promise<void> {
  const [file = '', source = ''] = [...sources][0] ?? []
  const code = compile({ file, source })
  const { outcome, tests } =
    code === null ? { outcome: 'invalid', tests: [] } : await runTests(code)
  if (outcome !== 'survived') throw new Error(`The right vault fails: ${tests.join(', ')}`)
}

function judged(mutant: Mutant, results: ReadonlyMap<string, Verdict>): Entry {
  const verdict = results.get(mutant.id)
  if (verdict === undefined) throw new Error(`${mutant.id} was not run.`)
  const reason = EQUIVALENT[mutant.id]
  const isEquivalent = verdict.outcome === 'survived' && reason !== undefined
  return { mutant, verdict, reason: isEquivalent ? reason : null }
}

/** Results of this very state of sources and tests; of a sample also the kills of older tests. */
async function openVerdicts() {
  const sources = await hashOfFiles('contracts/src/**/*.sol')
  const tests = await hashOfFiles('contracts/test/**/*.sol')
  const name = sampleSize === null ? `results-${sources}-${tests}` : `sample-${sources}`
  const file = join(root, 'contracts/build/mutation', `${name}.jsonl`)
  const { verdicts, add } = await openResults<Verdict>(file)
  for (const [id, verdict] of verdicts) {
    if (verdict.outcome === 'survived' && verdict.by !== tests) verdicts.delete(id)
  }
  return {
    verdicts,
    async add(id: string, verdict: Verdict): Promise<void> {
      await add(id, { ...verdict, by: tests })
      const by = verdict.promise ?? verdict.tests[0] ?? ''
      process.stdout.write(`${id} ${verdict.outcome} ${by}\n`)
    },
  }
}

async function hashOfFiles(pattern: string): Promise<string> {
  const paths: string[] = []
  for await (const path of glob(pattern, { cwd: root })) paths.push(path)
  const parts = paths.sort().map(async (path) => [path, await readFile(join(root, path))])
  return hashOf((await Promise.all(parts)).flat()).slice(0, 16)
}

function finish(entries: readonly Entry[], proofs: readonly Proof[], milliseconds: number): void {
  const { killed, counted, share } = score(entries)
  const minutes = (milliseconds / 60_000).toFixed(1)
  process.stdout.write(`killed ${killed} of ${counted} in ${minutes} min: docs/MUTATION.md\n`)
  const mute = proofs.filter(({ said, promise }) => !said?.startsWith(`${promise}:`))
  if (share < SCORE_MIN || mute.length > 0) process.exitCode = 1
  for (const { promise } of mute) process.stdout.write(`${promise} did not notice its sabotage\n`)
}

await main()
