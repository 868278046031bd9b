/**
 * `npm run prove` runs every proof that has no fresh result, one after the other, keeps each
 * result in `prove/results` and writes docs/PROOF.md. `npm run prove -- L4 simulator` considers
 * only the named ones; `--again` runs them even if they hold. A run that was interrupted continues
 * with the next call, since finished results stay fresh. `--list` shows the state of every proof,
 * `--write` only writes the page.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { accountOf, isProven, proofDocument, summary, VERDICTS } from './document.ts'
import type { Proof } from './kinds.ts'
import { perform } from './perform.ts'
import { chooseRuns, proofs, runNameOf, runs } from './registry.ts'
import { type KeptResult, keepResult, readResults } from './results.ts'
import { ROOT } from './sources.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

type Results = Map<string, KeptResult>

/** Reads the results again: a source that changed meanwhile makes earlier ones stale. */
async function writeDocument(): Promise<Results> {
  const results = await readResults()
  await writeFile(join(ROOT, 'docs', 'PROOF.md'), proofDocument(results))
  return results
}

async function proveAll(names: readonly string[]): Promise<void> {
  for (const [index, name] of names.entries()) {
    const run = runs[name]
    if (!run) continue
    say(`\n${index + 1} of ${names.length}, ${name}: ${run.title}`)
    await keepResult(await perform(name, run))
    await writeDocument()
  }
}

function list(results: Results): void {
  for (const proof of proofs) {
    const { verdict } = accountOf(proof, results)
    const shown = VERDICTS[verdict].replaceAll('*', '')
    say(`${proof.id.padEnd(5)}${shown.padEnd(13)}${runNameOf(proof).padEnd(11)}${proof.title}`)
  }
  const due = Object.keys(runs).filter((name) => !isProven(name, results))
  say(`\n${summary(results)} \`npm run prove\` runs ${due.length} of ${Object.keys(runs).length}.`)
}

async function main(): Promise<void> {
  const flag = { type: 'boolean', default: false } as const
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { again: flag, list: flag, write: flag },
  })
  const chosen = chooseRuns(positionals)
  const before = await readResults()
  if (values.list) return list(before)
  const due = values.write ? [] : chosen.filter((name) => values.again || !isProven(name, before))
  await proveAll(due)
  const results = await writeDocument()
  say(`\n${summary(results)} docs/PROOF.md`)
  const isAsked = ({ id }: Proof) => positionals.length === 0 || positionals.includes(id)
  const short = proofs.filter((proof) => accountOf(proof, results).verdict !== 'holds')
  const unproven = new Set([
    ...chosen.filter((name) => !isProven(name, results)),
    ...short.filter(isAsked).map(({ id }) => id),
  ])
  if (unproven.size > 0 && !values.write) {
    say(`Not proven: ${[...unproven].join(', ')}`)
    process.exitCode = 1
  }
}

await main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
