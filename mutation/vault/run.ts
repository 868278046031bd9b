/**
 * Makes small wrong versions of the vault, runs the Solidity tests against each, and writes what
 * they noticed to docs/MUTATION.md. Fails below 98 % or when a promise cannot be broken. Only what
 * `verdicts.ts` does not know is run.
 *
 * `--sample 80` takes so many mutants, chosen by `--seed`, and no sabotages unless `--promises`
 * asks for them.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writePart } from '#mutation/document.ts'
import type { Mutant } from '#mutation/mutant.ts'
import { type Compiler, startCompiler, type Wrong } from './compiler.ts'
import { EQUIVALENT } from './equivalent.ts'
import { mutantsOf } from './mutants.ts'
import { type Entry, type Proof, report, score } from './report.ts'
import { SABOTAGES } from './sabotage.ts'
import { openVerdicts, type Verdicts } from './verdicts.ts'
import { prepareTests, root, runTests, type Verdict } from './workspace.ts'

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
  const verdicts = await openVerdicts()
  const tasks: Task[] = [...mutants, ...sabotages.map((one) => sabotaged(one, sources))]
  const rest = tasks.filter(({ id }) => verdicts.find(id) === undefined)
  process.stdout.write(`${tasks.length} wrong versions, ${rest.length} to run\n`)
  if (rest.length > 0) await judgeAll(rest, sources, verdicts)
  const entries = mutants.map((mutant): Entry => judged(mutant, verdicts))
  const proofs = sabotages.map((one): Proof => {
    return { ...one, said: verdicts.find(`promise-${one.promise}`)?.promise ?? null }
  })
  await writePart({ vault: report({ entries, proofs, made: made.length, seed: options.seed }) })
  finish(entries, proofs, Date.now() - started)
}

/** All of them, or the first of a random order that the seed decides. */
function chosen(mutants: readonly Mutant[]): readonly Mutant[] {
  if (sampleSize === null) return mutants
  const place = ({ id }: Mutant) =>
    createHash('sha256').update(`${options.seed} ${id}`).digest('hex')
  return mutants.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)).slice(0, sampleSize)
}

/** Each core compiles; the tests run one at a time, because they share a folder. */
async function judgeAll(tasks: readonly Task[], sources: Sources, verdicts: Verdicts) {
  await prepareTests()
  let tests: Promise<unknown> = Promise.resolve()
  const judge = async (compiler: Compiler, { only, ...wrong }: Wrong & { only?: string }) => {
    const code = await compiler.compile(wrong)
    if (code === null) return { outcome: 'invalid', tests: [], promise: null } satisfies Verdict
    const verdict = tests.then(() => runTests(code, only))
    tests = verdict.catch(() => undefined)
    return verdict
  }
  const compilers = Array.from({ length: availableParallelism() }, startCompiler)
  const left = tasks.values()
  try {
    await requireSound((wrong) => judge(compilers[0] as Compiler, wrong), sources)
    await Promise.all(
      compilers.map(async (compiler) => {
        for (const task of left) {
          const verdict = await judge(compiler, task)
          await verdicts.add(task.id, verdict)
          const by = verdict.promise ?? verdict.tests[0] ?? ''
          process.stdout.write(`${task.id} ${verdict.outcome} ${by}\n`)
        }
      }),
    )
  } finally {
    for (const compiler of compilers) await compiler.close()
  }
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
async function requireSound(judge: (wrong: Wrong) => Promise<Verdict>, sources: Sources) {
  const [file = '', source = ''] = [...sources][0] ?? []
  const { outcome, tests } = await judge({ file, source })
  if (outcome !== 'survived') throw new Error(`The right vault fails: ${tests.join(', ')}`)
}

function judged(mutant: Mutant, verdicts: Verdicts): Entry {
  const verdict = verdicts.find(mutant.id)
  if (verdict === undefined) throw new Error(`${mutant.id} was not run.`)
  const reason = EQUIVALENT[mutant.id]
  const isEquivalent = verdict.outcome === 'survived' && reason !== undefined
  return { mutant, verdict, reason: isEquivalent ? reason : null }
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
