/** Runs whose figures serve several proofs. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { program, type Run, tests } from './kinds.ts'

const INVARIANTS = join(import.meta.dirname, '..', 'contracts', 'build', 'invariants.json')

/** ` ✔ test_deposit_succeeds_forAnybody(uint256) (runs: 10000)`, under the name of its file. */
async function readSolidity(printed: string): Promise<Record<string, unknown>> {
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
  const failed = Number(/(\d+) failing/.exec(printed)?.[1] ?? 0)
  const reached = JSON.parse(await readFile(INVARIANTS, 'utf8')) as Record<string, number>
  const { payCalls = 0, paid = 0 } = reached
  const paidPercent = Math.round((100 * paid) / payCalls)
  const counts = { passed: names.length, failed }
  return { names, tests: counts, properties, fuzzRuns, ...reached, paidPercent }
}

/** `killed 197 of 197 in 41.0 min`. */
function readMutation(printed: string): Record<string, unknown> {
  const [, killed, counted] = /killed (\d+) of (\d+) in/.exec(printed) ?? []
  const share = Number(((100 * Number(killed)) / Number(counted)).toFixed(1))
  return { killed: Number(killed), counted: Number(counted), share }
}

/** The table of `npm run gas` and the line below it: what is largest counts. */
function readGas(printed: string): Record<string, unknown> {
  const number = (text = '') => Number(text.replaceAll(',', ''))
  const rows = printed.split('\n').filter((line) => /^\| \w.*\d \|$/.test(line))
  const gas = rows.flatMap((line) =>
    [...line.matchAll(/ ([\d,]+) \|/g)].map(([, one]) => number(one)),
  )
  const bytes = number(/Code: ([\d,]+)/.exec(printed)?.[1])
  return { functions: rows.length, gasMax: Math.max(...gas), bytes }
}

export const sharedRuns: Record<string, Run> = {
  contracts: program(
    'The contracts: invariants and properties, a million calls',
    'node_modules/hardhat/dist/src/cli.js',
    { args: ['test', 'solidity'], env: { COUNTERSIGN_PROVE: '1' }, read: readSolidity },
  ),
  mutants: program('Small wrong versions of the vault', 'contracts/mutate.ts', {
    read: readMutation,
  }),
  gas: program('Gas and size, with the smallest and the largest policy', 'contracts/gas.ts', {
    read: readGas,
  }),
  simulator: program(
    'The payment engine: 20,000 seeds of faults, the guard of the contract off',
    'test/simulator/prove.ts',
    { args: ['--seeds', '20000', '--out', 'TOLD'] },
  ),
  expenses: tests(
    'Expenses: a thousand random sequences beside a reference model',
    ['test/model/expenses.model.test.ts'],
    { env: { PROVE_SEQUENCES: '1000' } },
  ),
  live: tests(
    'Live streams: 100,000 events, late commits, readers that come and go',
    ['test/live/gap-free.test.ts', 'test/live/order.test.ts'],
    { env: { PROVE_EVENTS: '100000' } },
  ),
  payments: tests(
    'Real processes: 500 payments while workers and PostgreSQL are killed a thousand times',
    ['test/processes/payments-kill.test.ts'],
    { env: { PROVE_PAYMENTS: '500', PROVE_KILLS: '1000' } },
  ),
  together: tests(
    'Two API and two worker processes on one PostgreSQL, killed and begun again',
    ['test/processes/together.test.ts'],
    {
      env: { PROVE_OPERATIONS: '10000', PROVE_EVERY_MS: '5000', PROVE_PAUSE_MS: '1000' },
      only: 'killed',
    },
  ),
  chaos: tests(
    'PostgreSQL stopped at once, again and again, and API processes killed beside it',
    ['test/processes/together.test.ts'],
    {
      env: { PROVE_OPERATIONS: '12000', PROVE_EVERY_MS: '5000', PROVE_PAUSE_MS: '1000' },
      only: 'PostgreSQL',
    },
  ),
}
