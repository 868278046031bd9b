/**
 * `npm run prove`: the proofs at full size, one after the other, each with its figures in
 * `prove/results`, and docs/PROOF.md from all of them. `npm run prove -- L4 simulator` runs some;
 * what holds already is not run again, so that a run that was broken off goes on where it was,
 * unless `--again` is given. `--list` says what there is, `--write` only writes the page.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { accountOf, isProven, proofDocument, summary } from './document.ts'
import type { Proof } from './kinds.ts'
import { ROOT } from './machine.ts'
import { perform } from './perform.ts'
import { chooseRuns, proofs, runNameOf, runs } from './registry.ts'
import { keepResult, type Result, readResults } from './results.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

type Results = Map<string, Result>

const writeDocument = (results: Results): Promise<void> =>
  writeFile(join(ROOT, 'docs', 'PROOF.md'), proofDocument(results))

async function proveAll(names: readonly string[], results: Results): Promise<void> {
  for (const [index, name] of names.entries()) {
    const run = runs[name]
    if (!run) continue
    say(`\n${index + 1} of ${names.length}, ${name}: ${run.title}`)
    const result = await perform(name, run)
    await keepResult(result)
    results.set(name, result)
    await writeDocument(results)
  }
}

function list(results: Results): void {
  for (const proof of proofs) {
    const { verdict } = accountOf(proof, results)
    const { id, title } = proof
    say(`${id.padEnd(5)}${verdict.padEnd(8)}${runNameOf(proof).padEnd(11)}${title}`)
  }
}

async function main(): Promise<void> {
  const flag = { type: 'boolean', default: false } as const
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { again: flag, list: flag, write: flag },
  })
  const chosen = chooseRuns(positionals)
  const results = await readResults()
  if (values.list) return list(results)
  const due = values.write ? [] : chosen.filter((name) => values.again || !isProven(name, results))
  await proveAll(due, results)
  await writeDocument(results)
  say(`\n${summary(results)} docs/PROOF.md`)
  const isAsked = ({ id }: Proof) => positionals.length === 0 || positionals.includes(id)
  const short = proofs.filter((proof) => accountOf(proof, results).verdict !== 'holds')
  const unproven = new Set([
    ...chosen.filter((name) => !isProven(name, results)),
    ...short.filter(isAsked).map(({ id }) => id),
  ])
  if (unproven.size > 0 && !values.write) {
    say(`Not, of what was asked for: ${[...unproven].join(', ')}`)
    process.exitCode = 1
  }
}

await main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
