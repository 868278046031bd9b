/** Reads figures from what Hardhat, the mutation run and the gas report print. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Figures } from './figures.ts'
import { ROOT } from './sources.ts'

/** What the invariants reached: in a vault whose changes count at once, and where they wait. */
const INVARIANTS = ['invariants.json', 'invariants-delayed.json'].map((file) =>
  join(ROOT, 'contracts', 'build', file),
)

/** Passes it to Hardhat's fuzzer; `hardhat.config.ts` reads it. */
export const FUZZ_SEED = '0x1'

/** ` ✔ test_deposit_succeeds_forAnybody(uint256) (runs: 10000)`, under the name of its file. */
export async function readSolidity(printed: string): Promise<Figures> {
  const names: string[] = []
  let file = ''
  let fuzzRuns = Number.POSITIVE_INFINITY
  let properties = 0
  for (const line of printed.split('\n')) {
    file = /^ +contracts\/test\/\S*?(\w+(?:\.\w+)?)\.t\.sol:/.exec(line)?.[1] ?? file
    const [, name, runs] = /✔ (\w+)\(.*?\)(?: \(runs: (\d+)\))?\s*$/.exec(line) ?? []
    if (name === undefined) continue
    names.push(`${file}: ${name}`)
    if (runs === undefined || name.startsWith('invariant')) continue
    properties += 1
    fuzzRuns = Math.min(fuzzRuns, Number(runs))
  }
  const reached = await sumOfInvariants()
  const { payCalls = 0, paid = 0 } = reached
  const paidPercent = Math.round((100 * paid) / payCalls)
  const counts = { passed: names.length, failed: failingIn(printed) }
  const seed = FUZZ_SEED
  return { seed, names, tests: counts, properties, fuzzRuns, ...reached, paidPercent }
}

async function sumOfInvariants(): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const file of INVARIANTS) {
    const counts = JSON.parse(await readFile(file, 'utf8')) as Record<string, number>
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  }
  return sums
}

/** Hardhat prints `196 passing`, and `2 failing` only where some fail. */
function failingIn(printed: string): number | undefined {
  const failing = /(\d+) failing/.exec(printed)?.[1]
  if (failing !== undefined) return Number(failing)
  return /\d+ passing/.test(printed) ? 0 : undefined
}

/** `killed 197 of 197 in 41.0 min`. */
export function readMutation(printed: string): Figures {
  const [, killed, counted] = /killed (\d+) of (\d+) in/.exec(printed) ?? []
  const share = Number(((100 * Number(killed)) / Number(counted)).toFixed(1))
  return { seed: FUZZ_SEED, killed: Number(killed), counted: Number(counted), share }
}

/** The tables of `npm run gas` and the line below them; the largest value counts. */
export function readGas(printed: string): Figures {
  const number = (text = '') => Number(text.replaceAll(',', ''))
  const rows = printed.split('\n').filter((line) => /^\| \w.* [\d,]{5,} \|/.test(line))
  const gas = rows.flatMap((line) =>
    [...line.matchAll(/ ([\d,]{5,})(?= \|)/g)].map(([, one]) => number(one)),
  )
  const bytes = number(/Code: ([\d,]+)/.exec(printed)?.[1])
  return { functions: rows.length, gasMax: Math.max(...gas), bytes }
}
