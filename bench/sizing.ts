/** docs/SIZING.md: what 10, 1,000 and 100,000 organizations need, computed from the figures. */
import type { Figure } from './figures.ts'
import type { PartResult } from './report.ts'

/** What an average organization does. Change these to match your own. */
const USUAL = {
  members: 20,
  /** Members who use the application at the busiest time, of all members. */
  activeShare: 0.1,
  /** An active member reads one list and one detail in this many seconds. */
  readSeconds: 15,
  expensesAMonth: 200,
  workingHoursAMonth: 176,
  /** The busiest hour beside an average working hour. */
  peakFactor: 5,
}
/** Processors are planned to be this busy at the busiest time. */
const BUSY = 0.5
const SIZES = [10, 1_000, 100_000]
/** One for each organization. */
const PARTITIONED_ROWS = 1_000_000

type Results = readonly Pick<PartResult, 'id' | 'figures' | 'machine'>[]

function figureOf(results: Results, id: string, what: string): Figure {
  const { figures = [] } = results.find((result) => result.id === id) ?? {}
  const figure = figures.find((candidate) => candidate.what.startsWith(what))
  if (figure) return figure
  throw new Error(`docs/SIZING.md needs “${what}” of ${id}. Measure it: npm run bench -- ${id}`)
}

const moreOf = (figure: Figure, name: string): string => {
  const value = figure.more?.[name]
  if (value === undefined) throw new Error(`“${figure.what}” has no “${name}”`)
  return String(value)
}

/** `1577 + 843`: of the server and of the database, for one request. */
function cpuOf(results: Results, id: string, what: string): { api: number; database: number } {
  const text = moreOf(figureOf(results, id, what), 'CPU µs, server + database')
  const [api = Number.NaN, database = Number.NaN] = text.split(' + ').map(Number)
  return { api: api / 1e6, database: database / 1e6 }
}

type Costs = {
  list: { api: number; database: number }
  detail: { api: number; database: number }
  creation: { api: number; database: number }
  /** Seconds of CPU time for a payment, in a worker. */
  payment: number
  restMib: number
  loadedMib: number
  streamKib: number
  expenseKib: number
}

const costsOf = (results: Results): Costs => ({
  list: cpuOf(results, 'reads', 'list of 50'),
  detail: cpuOf(results, 'reads', 'detail'),
  creation: cpuOf(results, 'creation', 'creation, every commit on the disk'),
  payment:
    Number(moreOf(figureOf(results, 'payments', ''), 'CPU ms a payment, with the chain’s')) / 1e3,
  restMib: figureOf(results, 'memory', 'API, at rest').value,
  loadedMib: figureOf(results, 'memory', 'API, 64 connections').value,
  streamKib: figureOf(results, 'streams', 'memory of a stream').value,
  expenseKib: figureOf(results, 'scale', 'disk space of an expense').value,
})

type Need = {
  organizations: number
  readsASecond: number
  creationsAnHour: number
  streams: number
  apiProcesses: number
  apiMib: number
  workers: number
  databaseCores: number
  diskGibAYear: number
  expensesAYear: number
}

/** An API process uses one core. There is always a second process, in case one fails. */
function needOf(organizations: number, costs: Costs): Need {
  const active = organizations * USUAL.members * USUAL.activeShare
  const pairs = active / USUAL.readSeconds
  const creations =
    (organizations * USUAL.expensesAMonth * USUAL.peakFactor) / USUAL.workingHoursAMonth / 3_600
  const cpu = (of: 'api' | 'database') =>
    pairs * (costs.list[of] + costs.detail[of]) + creations * costs.creation[of]
  const apiProcesses = Math.max(2, Math.ceil(cpu('api') / BUSY) + 1)
  const streamsMib = (active * costs.streamKib) / 1_024
  const expensesAYear = organizations * USUAL.expensesAMonth * 12
  return {
    organizations,
    readsASecond: pairs * 2,
    creationsAnHour: creations * 3_600,
    streams: active,
    apiProcesses,
    apiMib: costs.loadedMib + streamsMib / apiProcesses,
    workers: Math.max(2, Math.ceil((creations * costs.payment) / BUSY) + 1),
    databaseCores: Math.max(1, Math.ceil(cpu('database') / BUSY)),
    diskGibAYear: (expensesAYear * costs.expenseKib) / 2 ** 20,
    expensesAYear,
  }
}

const round = (value: number): string => {
  const digits = value < 10 ? 1 : 0
  return Number(value.toFixed(digits)).toLocaleString('en')
}

const rows: [string, (need: Need) => number][] = [
  ['Reads per second', ({ readsASecond }) => readsASecond],
  ['Expenses created per hour', ({ creationsAnHour }) => creationsAnHour],
  ['Open streams', ({ streams }) => streams],
  ['API processes, a core each', ({ apiProcesses }) => apiProcesses],
  ['Memory of an API process, MiB', ({ apiMib }) => apiMib],
  ['Workers', ({ workers }) => workers],
  ['Cores of PostgreSQL', ({ databaseCores }) => databaseCores],
  ['New expenses per year', ({ expensesAYear }) => expensesAYear],
  ['Disk space per year, GiB', ({ diskGibAYear }) => diskGibAYear],
]

const table = (needs: readonly Need[]): string => {
  const head = needs.map(({ organizations }) => ` ${organizations.toLocaleString('en')} |`)
  const lines = rows.map(
    ([name, numberOf]) =>
      `| ${name} |${needs.map((need) => ` ${round(numberOf(need))} |`).join('')}`,
  )
  return [
    `| Organizations |${head.join('')}`,
    `|---|${needs.map(() => '---|').join('')}`,
    ...lines,
  ].join('\n')
}

const ms = (seconds: number): string => round(seconds * 1_000)

const pair = ({ api, database }: { api: number; database: number }): string =>
  `${ms(api)} + ${ms(database)} ms`

const scaleRow = ({ what, value, unit, more = {} }: Figure): string => {
  const large = more['ms in the large one'] ?? ''
  const small = more['ms in the small one'] ?? ''
  const size = more['kB of the answer'] ?? ''
  return `| ${what} | ${small} | ${large} | ${size} | ${value}${unit} |`.replace(' |  |', ' | |')
}

const isCompared = ({ more = {} }: Figure): boolean => 'ms in the large one' in more
/** What can be large in an organization, and what reserving reads. */
const SHOWN = [
  ...['getAccount', 'listMemberships', 'listOrganizations', 'getTreasuryOverview', 'getVault'],
  ...['listExpenses', 'countExpenses', 'getExpense', 'listComments', 'listActivity'],
  ...['getLiveSnapshot', 'getAdminOrganization', 'listAdminOrganizations'],
  ...['reserving a signed payment', 'reserving an automatic payment'],
]

function largeOf(results: Results): string {
  const { figures = [] } = results.find(({ id }) => id === 'scale') ?? {}
  const shown = figures.filter((figure) => isCompared(figure) && SHOWN.includes(figure.what))
  return [
    '| Operation | ms, small | ms, large | kB, large | Ratio |',
    '|---|---|---|---|---|',
    ...shown.map(scaleRow),
  ].join('\n')
}

function partitionsOf(results: Results): string {
  const read = figureOf(results, 'scale', 'partitions that a list')
  const list = figureOf(results, 'scale', 'list of one organization, partitioned')
  const insert = figureOf(results, 'scale', 'insert into one organization, partitioned')
  const vacuum = figureOf(results, 'scale', 'vacuum of one partition')
  const row = (what: string, figure: Figure, other: string): string =>
    `| ${what} | ${moreOf(figure, 'ms plain')} | ${moreOf(figure, other)} |`
  return [
    `| ${list.beside}, beside hash partitions | Plain, ms | Partitioned, ms |`,
    '|---|---|---|',
    row(`a list (reads ${read.value} partition)`, list, 'ms partitioned'),
    row('an insert', insert, 'ms partitioned'),
    row('a vacuum of the table, and of one partition', vacuum, 'ms of one partition'),
  ].join('\n')
}

const measuredAt = (results: Results): string =>
  results
    .filter(({ id }) => PARTS.includes(id))
    .map(({ id, machine: { commit, at, cores, loadBefore } }) => {
      const load = `${cores} cores, load average ${loadBefore} before the run`
      return `- ${id}: commit ${commit}, ${at}, ${load}`
    })
    .join('\n')

const PARTS = ['reads', 'creation', 'payments', 'streams', 'memory', 'scale']

/** A vacuum reads the table once, so its time grows with the rows. */
function vacuumSeconds(results: Results, rows: number): number {
  const vacuum = figureOf(results, 'scale', 'vacuum of one partition')
  return (Number(moreOf(vacuum, 'ms plain')) / 1_000) * (rows / PARTITIONED_ROWS)
}

const whenOf = (results: Results): string => {
  const largest = needOf(SIZES.at(-1) ?? 0, costsOf(results))
  const [rows, seconds] = [
    largest.expensesAYear,
    vacuumSeconds(results, largest.expensesAYear),
  ].map((value) => round(value))
  return `Reads and writes of one organization do not need partitions, because every index
begins with \`organization_id\`. What partitions change is maintenance: vacuum and reindexing of
one partition are a fraction of those of the table. At the rate above, and as long as the table
fits in memory, a vacuum of ${rows} rows takes ${seconds} s. Partition a table when its
vacuum or a reindex no longer fits into the quiet hours; before that, partitions only add planning
time.

How: every tenant table has a key that begins with \`organization_id\`, and statements name the
organization, so plans read one partition (\`test/security/distribution.test.ts\`, and the figure
above). For one table at a time: create it anew \`partition by hash (organization_id)\` with 32
partitions, copy the rows, and swap the names in one transaction, as a migration with the API
stopped, or with logical replication into the new table and a short stop. Keys that are unique
without the organization move to a small table of their own first:
[OPERATIONS.md](OPERATIONS.md#beyond-one-postgresql) lists them.
`
}

export function sizingOf(results: Results): string {
  const costs = costsOf(results)
  const { members, activeShare, readSeconds, expensesAMonth, workingHoursAMonth, peakFactor } =
    USUAL
  const limit = figureOf(results, 'scale', 'shared rate limit, for each')
  const [statements, requests] = ['statements', 'requests'].map((name) => moreOf(limit, name))
  const leases = `${statements} statements for ${requests} requests`
  return `# Sizing

Generated by \`npm run bench\` from \`bench/results\`; do not edit. \`bench/sizing.ts\` computes it
from these measurements and from the assumptions below:

${measuredAt(results)}

## What a number of organizations needs

This is what an average organization is assumed to do. Processors are planned to be ${BUSY * 100} %
busy at the busiest time, with one API process and one worker to spare.

- ${members} members, of whom ${activeShare * 100} % use the application at the busiest time
- each of these reads a list and a detail every ${readSeconds} s and keeps one stream open
- ${expensesAMonth} expenses a month, in ${workingHoursAMonth} working hours
- the busiest hour has ${peakFactor} times as many as the average

${table(SIZES.map((size) => needOf(size, costs)))}

The costs behind it, as CPU time of API and PostgreSQL:

| | |
|---|---|
| a list of 50 | ${pair(costs.list)} |
| a detail | ${pair(costs.detail)} |
| a creation | ${pair(costs.creation)} |
| a payment, in a worker | ${ms(costs.payment)} ms |
| an API process, at rest and under load | ${costs.restMib} and ${costs.loadedMib} MiB |
| an open stream | ${costs.streamKib} KiB |
| an expense with its history, on the disk | ${costs.expenseKib} KiB |
| the shared limit of requests | ${limit.value} µs a request: ${leases} |

[OPERATIONS.md](OPERATIONS.md#sizing) says how many connections the processes open.

## One large organization

The small organization has 1,000 open expenses, 500 reserved payments, 100 comments on one expense
and an account in 50 organizations; the large one 100,000, 50,000, 20,000 and 5,000. Lists, comments
and memberships are paged, tasks are cut to 50 of a group, and the answer says so (\`nextCursor\`,
\`commentsNextCursor\`, \`membershipsNextCursor\`, \`tasksTruncated\`). The two were measured
alternately: a load on the machine lengthens both, and the ratio is what counts.

${largeOf(results)}

What reserving an automatic payment reads grows with the automatic payments of the last seven days,
not with those that wait: their sums are over rolling windows.

## Partitions

${partitionsOf(results)}

${whenOf(results)}`
}
