/**
 * The primary of a cluster under Patroni is killed, frozen and cut off while people pay, write and
 * follow: nothing acknowledged is lost, nothing is paid twice, and streams show everything.
 * `npm run prove -- F20`.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom, type Random } from '#test/fuzz/random.ts'
import { type Cluster, startCluster } from '#test/processes/cluster.ts'
import { onTestChain } from '#test/processes/environment.ts'
import { databaseAt } from '#test/processes/killable-postgres.ts'
import { expectPaidOnce, failures, transfers } from '#test/processes/paid-houses.ts'
import { cleanUp, onCleanUp, runScript } from '#test/processes/processes.ts'
import {
  type Prepared,
  prepareApproved,
  prepareAutomatic,
  untilPaid,
} from '#test/processes/released-payments.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import type { TestDatabase } from '#test/support/database.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { percentile, reportFigures, sizeOf } from '#test/support/figures.ts'
import { openPayingHouse, type PayingHouse } from '#test/support/payments.ts'
import { liftOwnersRowSecurity, times } from '#test/support/steps.ts'
import { type HaCluster, startHaCluster } from './cluster.ts'
import { FAULTS, type Fault, faultsInTurn, until } from './faults.ts'
import {
  compareWrites,
  type Followed,
  followHouse,
  longestSilence,
  openWritten,
  write,
} from './load.ts'

const SEED = sizeOf('PROVE_SEED', 20_261_117)
const COUNT = sizeOf('PROVE_FAULTS', 3)
const PAYMENTS = sizeOf('PROVE_PAYMENTS', 6)
const WRITERS = 6
const HOUSES = 3
const TAKEN_OVER_WITHIN_MS = 90_000
const HEALTHY_WITHIN_MS = 180_000
const PAID_WITHIN_MS = 240_000
const SHOWN_WITHIN_MS = 60_000

const POLICY = { approvedCap: '50000000', automaticCap: '20000000', lifetimeCap: '390000000' }

let ha: HaCluster
let database: TestDatabase
let chain: TestChain
let cluster: Cluster
let payers: PayingHouse[]

beforeAll(async () => {
  ha = await startHaCluster()
  onCleanUp(() => ha.stop())
  database = databaseAt(ha.ownerUrl)
  await liftOwnersRowSecurity(database)
  chain = await startTestChain()
  onCleanUp(() => chain.stop())
  cluster = await startCluster({
    apis: 1,
    workers: 2,
    database,
    poolerUrl: ha.poolerUrl,
    env: { ...chain.env, FOLLOW_EVERY_MS: '200' },
    apiEnv: { DATABASE_URL: ha.poolerUrl, DATABASE_DIRECT_URL: ha.apiUrl },
    workerEnv: { DATABASE_URL: ha.workerUrl },
  })
  const treasury = { service: cluster.service, chain, stop: async () => {} }
  payers = await Promise.all(
    times(2, () => openPayingHouse(treasury, { deposited: 400_000_000n, policy: POLICY })),
  )
})
afterAll(cleanUp)

type Struck = {
  fault: Fault
  at: number
  healthyAt: number
  isTakenOver: boolean
  /** The former primary leads again, with a history that lacks what its successor acknowledged. */
  isTakenBack: boolean
}

/** One fault after the other, each when the cluster has recovered from the one before. */
async function strike(random: Random, onStrike: (n: number) => void): Promise<Struck[]> {
  const next = faultsInTurn(random)
  const struck: Struck[] = []
  while (struck.length < COUNT) {
    await ha.untilHealthy(HEALTHY_WITHIN_MS)
    await wait(random.integer(200, 2_000))
    const primary = await ha.primary()
    if (!primary) continue
    onStrike(struck.length)
    const fault = next()
    const at = performance.now()
    const end = await FAULTS[fault](primary)
    const isOther = async () => {
      const now = await ha.primary()
      return now !== undefined && now !== primary
    }
    // A killed PostgreSQL usually comes back where it was.
    const isTakenOver =
      fault === 'postgresKilled' ? await isOther() : await until(isOther, TAKEN_OVER_WITHIN_MS)
    if (fault !== 'postgresKilled') await wait(random.integer(0, 2_000))
    await end()
    await ha.untilHealthy(HEALTHY_WITHIN_MS)
    const healthyAt = performance.now()
    const isTakenBack = isTakenOver && !(await isOther())
    await until(() => (written.times.at(-1)?.acknowledged ?? 0) > healthyAt, HEALTHY_WITHIN_MS)
    struck.push({ fault, at, healthyAt, isTakenOver, isTakenBack })
    const gap = longestSilence(written, struck.at(-1) as Struck)
    process.stdout.write(
      `${struck.length} ${fault} ${primary.name}: silent ${Math.round(gap)} ms, ` +
        `healthy after ${Math.round(healthyAt - at)} ms\n`,
    )
  }
  return struck
}

const written = openWritten()

async function preparePayments(): Promise<Prepared[]> {
  const all: Prepared[] = []
  const left = times(PAYMENTS, (index) => index)
  const prepareSome = async () => {
    for (let index = left.shift(); index !== undefined; index = left.shift()) {
      const prepare = index % 4 < 2 ? prepareApproved : prepareAutomatic
      all.push(await prepare(payers[index % payers.length] as PayingHouse, index))
    }
  }
  await Promise.all(times(4, prepareSome))
  return all
}

async function comparePayments(all: readonly Prepared[], unfinished: number) {
  const moved = (await Promise.all(payers.map(transfers))).flat().length
  const [row] = await database.asOwner<{ confirmed: number }>(
    `select count(*)::integer as confirmed from payments where state = 'confirmed'`,
  )
  const confirmed = row?.confirmed ?? -1
  const failed = (await failures(database)).length
  return {
    payments: all.length,
    transfers: moved,
    doubles: moved - all.length,
    // Confirmations without a transfer, transfers without one, and payments blocked or failed.
    falseStates: Math.abs(confirmed - moved) + failed,
    unfinished,
  }
}

const compareStreams = (followed: readonly Followed[], expected: readonly Set<string>[]) => ({
  streamEvents: followed.reduce((sum, { events }) => sum + events.length, 0),
  connections: followed.reduce((sum, { connections }) => sum + connections, 0),
  resets: followed.reduce((sum, { resets }) => sum + resets, 0),
  gaps: followed.reduce(
    (sum, { expenses }, n) => sum + (expected[n]?.difference(expenses).size ?? 0),
    0,
  ),
  seenTwice: followed.reduce((sum, { events }) => sum + events.length - new Set(events).size, 0),
})

/** All expenses of each organization, by the database. */
const expensesOf = (houses: readonly ExpenseHouse[]) =>
  Promise.all(
    houses.map(async ({ organization: { id } }) => {
      const text = 'select id from expenses where organization_id = $1'
      const rows = await database.asOwner<{ id: string }>(text, [id])
      return new Set(rows.map((row) => row.id))
    }),
  )

/** Of the faults: how many of each kind, and how long nothing could be written. */
function faultFigures(struck: readonly Struck[]) {
  const silences = struck.map((one) => longestSilence(written, one))
  const kinds = Object.keys(FAULTS) as Fault[]
  const countOf = (kind: Fault) => struck.filter(({ fault }) => fault === kind).length
  return {
    faults: struck.length,
    ...Object.fromEntries(kinds.map((kind) => [kind, countOf(kind)])),
    takeovers: struck.filter(({ isTakenOver }) => isTakenOver).length,
    takenBack: struck.filter(({ isTakenBack }) => isTakenBack).length,
    silenceMaxSeconds: Number((Math.max(...silences) / 1000).toFixed(1)),
    silenceMedianSeconds: Number((percentile(silences, 0.5) / 1000).toFixed(1)),
  }
}

async function expectConsistent(all: readonly Prepared[]): Promise<void> {
  for (const house of payers) {
    const ids = all.filter((one) => one.house === house).map(({ id }) => id)
    await expectPaidOnce(database, house, ids)
  }
  const env = { ...onTestChain(ha.ownerUrl, chain), LOG_LEVEL: 'silent' }
  const audit = runScript('src/cli/audit.ts', env, ['verify'])
  expect([await audit.ended, audit.stderr()]).toEqual([{ code: 0, signal: null }, ''])
}

test(`the primary fails ${COUNT} times (seed ${SEED})`, async () => {
  const random = createRandom(SEED)
  const [url = ''] = cluster.urls
  const houses = await Promise.all(times(HOUSES, () => openExpenseHouse(cluster.service)))
  const all = await preparePayments()
  let isOver = false
  let isShown = false
  const followed = houses.map((house) => followHouse(url, house, () => isShown))
  await expect.poll(() => followed.every(({ connections }) => connections > 0)).toBe(true)
  const writing = times(WRITERS, (n) =>
    write(url, houses[n % HOUSES] as ExpenseHouse, written, () => isOver),
  )
  // Released shortly before and during the faults.
  const released: Promise<void>[] = []
  const perFault = Math.ceil(PAYMENTS / COUNT)
  const begun = performance.now()
  const struck = await strike(random, (n) => {
    for (const { release } of all.slice(n * perFault, (n + 1) * perFault)) {
      released.push(wait(random.integer(0, 20_000)).then(release))
    }
  })
  isOver = true
  await Promise.all([...writing, ...released])
  const ends = await Promise.allSettled(all.map((one) => untilPaid(one, PAID_WITHIN_MS)))
  const unfinished = ends.filter(({ status }) => status === 'rejected').length
  const expected = await expensesOf(houses)
  await until(() => compareStreams(followed, expected).gaps === 0, SHOWN_WITHIN_MS)
  isShown = true
  await Promise.all(followed.map(({ ended }) => ended))

  const counts = {
    ...(await compareWrites(database, written)),
    ...(await comparePayments(all, unfinished)),
    ...compareStreams(followed, expected),
  }
  const acknowledged = written.created.size
  const seconds = Math.round((performance.now() - begun) / 1000)
  const asked = { acknowledged, repeated: written.repeated, seconds }
  const figures = { seed: SEED, ...faultFigures(struck), ...asked, ...counts }
  process.stdout.write(`${JSON.stringify(figures)}\n`)
  reportFigures(figures)

  expect(written.surprises).toEqual([])
  expect(figures.takenBack).toBe(0)
  const none = { lost: 0, twice: 0, doubles: 0, falseStates: 0, unfinished: 0, gaps: 0 }
  expect(counts).toMatchObject({ ...none, seenTwice: 0 })
  await expectConsistent(all)
})
