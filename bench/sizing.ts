/** docs/SIZING.md: what 10, 1,000 and 100,000 organizations need, computed from the figures. */
import type { Figure } from './figures.ts'
import type { Sizes } from './scale-data.ts'
import { LARGE, PARTITIONED, SMALL } from './sizes.ts'
import {
  BUSY,
  type Costs,
  type CpuCost,
  costsOf,
  figureOf,
  moreOf,
  type Need,
  needOf,
  type Results,
  SIZES,
  USUAL,
} from './sizing-needs.ts'

/** For the memory of a process with many streams. */
const STREAMS = 10_000

const round = (value: number): string => {
  const digits = value < 10 ? 1 : 0
  return Number(value.toFixed(digits)).toLocaleString('en')
}

const rows: [string, (need: Need) => number][] = [
  ['Reads per second', ({ readsASecond }) => readsASecond],
  ['Expenses created per hour', ({ creationsAnHour }) => creationsAnHour],
  ['Snapshots per second, after changes', ({ snapshotsASecond }) => snapshotsASecond],
  ['Open streams', ({ streams }) => streams],
  ['API processes, a core each', ({ apiProcesses }) => apiProcesses],
  ['Memory of an API process, MiB', ({ apiMib }) => apiMib],
  ['Workers for payments (upper bound)', ({ workers }) => workers],
  ['PostgreSQL, cores', ({ databaseCores }) => databaseCores],
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

/** Breaks a paragraph into lines of at most 100 characters, as in the other documents. */
function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? ''
    if (line && line.length + 1 + word.length > 100) lines.push(word)
    else lines[lines.length - 1] = line ? `${line} ${word}` : word
  }
  return lines.join('\n')
}

const ms = (seconds: number): string => round(seconds * 1_000)

/** How many requests use up one core of an API process. */
const requestRow = (what: string, { api, database }: CpuCost, roundTrips = ''): string => {
  const cells = [what, ms(api), ms(database), round(1 / api)]
  return `| ${cells.join(' | ')} |${roundTrips && ` ${roundTrips}`} |`
}

/** Never more precise than it was measured. */
const mib = (value: number): string => value.toFixed(0)

function costsTable(costs: Costs): string {
  const { restMib, loadedMib, streamKib } = costs
  const streamsMib = loadedMib + (STREAMS * streamKib) / 1_024
  const deliveries = costs.deliveriesASecond.toLocaleString('en')
  return `| | API, ms | PostgreSQL, ms | Per second and API core | Round trips |
|---|---|---|---|---|
${requestRow('a list of 50', costs.list, costs.list.roundTrips)}
${requestRow('a detail', costs.detail, costs.detail.roundTrips)}
${requestRow('a creation', costs.creation, costs.creation.roundTrips)}
${requestRow('a snapshot after a change', costs.snapshot)}

| | |
|---|---|
| a payment, upper bound for a worker | ${ms(costs.payment)} ms |
| deliveries to streams, from one API process | ${deliveries} per second |
| an API process, at rest and under load | ${mib(restMib)} and ${mib(loadedMib)} MiB |
| an open stream | ${streamKib} KiB |
| an API process under load, with ${STREAMS.toLocaleString('en')} streams | ${mib(streamsMib)} MiB |
| an expense with its history, on the disk | ${costs.expenseKib} KiB |`
}

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

const { organizations, rowsEach, partitions } = PARTITIONED

function partitionsOf(results: Results): string {
  const read = figureOf(results, 'scale', 'partitions that a list')
  const list = figureOf(results, 'scale', 'list of one organization, partitioned')
  const insert = figureOf(results, 'scale', 'insert into one organization, partitioned')
  const vacuum = figureOf(results, 'scale', 'vacuum of one partition')
  const row = (what: string, figure: Figure, other: string): string =>
    `| ${what} | ${moreOf(figure, 'ms plain')} | ${moreOf(figure, other)} |`
  const partitionsRead = `${read.value} partition${read.value === 1 ? '' : 's'}`
  const rows = rowsEach === 1 ? 'one row' : `${rowsEach} rows`
  const intro =
    wrapped(`Measured on a copy of \`expenses\` (its main columns, its primary key and one
    index) with ${rows} for each of ${organizations.toLocaleString('en')} organizations, in one
    plain table and in ${partitions} hash partitions. Organizations with many rows are measured
    [above](#one-large-organization).`)
  return `${intro}

| | Plain, ms | Partitioned, ms |
|---|---|---|
${row(`a list of one organization (reads ${partitionsRead})`, list, 'ms partitioned')}
${row('an insert', insert, 'ms partitioned')}
${row('a vacuum: the plain table, one partition', vacuum, 'ms of one partition')}`
}

const measuredAt = (results: Results): string =>
  results
    .filter(({ id }) => PARTS.includes(id))
    .map(({ id, machine: { commit, at, cores, loadBefore }, isFresh }) => {
      const load = `${cores} cores, load average ${loadBefore} before the run`
      return `- ${id}: commit ${commit}, ${at}, ${load}${isFresh ? '' : ' (*stale*)'}`
    })
    .join('\n')

const PARTS = ['reads', 'creation', 'payments', 'streams', 'memory', 'scale']

/** A vacuum reads the table once, so its time grows with the rows. */
function vacuumSeconds(results: Results, rows: number): number {
  const vacuum = figureOf(results, 'scale', 'vacuum of one partition')
  return (Number(moreOf(vacuum, 'ms plain')) / 1_000) * (rows / (organizations * rowsEach))
}

const whenOf = (results: Results): string => {
  const largest = needOf(SIZES.at(-1) ?? 0, costsOf(results))
  const [rows, seconds] = [
    largest.expensesAYear,
    vacuumSeconds(results, largest.expensesAYear),
  ].map((value) => round(value))
  const when = wrapped(`Reads and writes of one organization do not need partitions, because the
    indexes that they use begin with \`organization_id\`. Partitions change maintenance: a vacuum or
    reindex of one partition takes a fraction of the time that the whole table takes. At the rate
    above, and as long as the table fits in memory, a vacuum of ${rows} rows takes ${seconds} s.
    Partition a table when its vacuum or a reindex no longer fits into the quiet hours; before that,
    partitions only add planning time.`)
  const how = wrapped(`How: every tenant table has a key that begins with \`organization_id\`, and
    statements name the organization, so plans read one partition
    (\`test/security/distribution.test.ts\`, and the figure above). For one table at a time, create
    a new one with \`partition by hash (organization_id)\` and ${partitions} partitions, copy the
    rows, and swap the names in one transaction: either as a migration with the API stopped, or with
    logical replication into the new table and a short stop. First move the unique keys without the
    organization to small tables of their own:
    [OPERATIONS.md](OPERATIONS.md#beyond-one-postgresql) lists them.`)
  return `${when}

${how}
`
}

/** Of the small organization, or of the large one. */
const sizesText = ({ openExpenses, reservedPayments, comments, memberships }: Sizes): string[] =>
  [openExpenses, reservedPayments, comments, memberships].map((count) => count.toLocaleString('en'))

function largeIntro(): string {
  const [openExpenses, payments, comments, memberships] = sizesText(SMALL)
  return wrapped(`The small organization has ${openExpenses} open expenses, ${payments} reserved
    payments, an expense with ${comments} comments, and an account that is in ${memberships}
    organizations. The large one has ${sizesText(LARGE)
      .join(', ')
      .replace(/, ([^ ]+)$/, ' and $1')}
    of these. Lists, comments and memberships are paged and tasks are cut to 50 of a group; the
    response says so (\`nextCursor\`, \`commentsNextCursor\`, \`membershipsNextCursor\`,
    \`tasksTruncated\`). The two organizations are measured alternately: other load on the machine
    lengthens both times, so compare the ratio.`)
}

function paymentText({ payment, barePayment }: Costs): string {
  return wrapped(`The CPU time of a payment is that of one process with the API, the worker and the
    local chain in it, so a worker alone needs less than ${ms(payment)} ms, and the number of
    workers is an upper bound. A bare loop that signs and sends the same calls to the same chain
    uses ${ms(barePayment)} ms, also with the chain in its process. Analyses are not included: a
    worker mostly waits for the model.`)
}

export function sizingOf(results: Results): string {
  const costs = costsOf(results)
  const { members, activeShare, readSeconds, expensesAMonth, workingHoursAMonth, peakFactor } =
    USUAL
  const changes = `${USUAL.changesOfAnExpense} changes of an expense until it is paid`
  const limit = figureOf(results, 'scale', 'shared rate limit, for each')
  const [statements, requests] = ['statements', 'requests'].map((name) => moreOf(limit, name))
  const leases = `${statements} statements for ${requests} requests`
  const opening = figureOf(results, 'scale', 'shared stream limit').value
  return `# Sizing

Generated by \`npm run bench\` from \`bench/results\`; do not edit. \`bench/sizing.ts\` computes it
from the assumptions below and from these measurements, which [BENCHMARKS.md](BENCHMARKS.md)
explains. Server, database and load generator shared the machine:

${measuredAt(results)}

## What a number of organizations needs

Assumptions about an average organization:

- ${members} members, of whom ${activeShare * 100} % use the application at the busiest time
- each of these reads a list and a detail every ${readSeconds} s, and has one stream open
- ${expensesAMonth} new expenses a month, in ${workingHoursAMonth} working hours
- ${changes}; after each, active members read a snapshot
- ${peakFactor} times as many new expenses in the busiest hour as in an average one

Processors are planned to be ${BUSY * 100} % busy at the busiest time. One API process and one
worker are spare.

${table(SIZES.map((size) => needOf(size, costs)))}

These are the costs behind it, as CPU time, memory and disk space:

${costsTable(costs)}
| the shared rate limit | ${limit.value} µs for each request: ${leases} |
| the shared stream limit | ${opening} µs for each stream that is opened |

${paymentText(costs)}

[OPERATIONS.md](OPERATIONS.md#sizing) says how many connections the processes open.

## One large organization

${largeIntro()}

${largeOf(results)}

Reserving an automatic payment adds up the 15-minute sums of the last seven days, and reads single
payments only at the two ends of its time windows. So its cost hardly depends on their number.

## Partitions

${partitionsOf(results)}

${whenOf(results)}`
}
