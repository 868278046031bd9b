/**
 * A worker dies by kill -9 at every numbered point between the claim of a payment's lane and the
 * end of its job: each payment is made once, and the books never say what is not so.
 * `PROVE_CRASHES=20` comes to every point so often, and leaves the dead workers' leases alone.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestApp } from '#test/support/app.ts'
import { startTestChain } from '#test/support/chain.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { isProof, sizeOf, tellFigures } from '#test/support/figures.ts'
import {
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  prepareAndSign,
  type ReadExpense,
  readExpense,
  submitSignature,
} from '#test/support/payments.ts'
import { liftOwnersRowSecurity, times } from '#test/support/steps.ts'
import { type Mark, POINTS, type Point } from './crash-points.ts'
import { production } from './environment.ts'
import { expectPaidOnce, failures, transfers } from './paid-houses.ts'
import { cleanUp, onCleanUp, runScript } from './processes.ts'
import { startTrappedWorkers, type TrappedWorkers } from './trapped-workers.ts'

const TIMES = sizeOf('PROVE_CRASHES', 1)
const IS_PROOF = isProof('PROVE_CRASHES')
/** A lane is out of work until its dead worker's lease has ended; the others go on meanwhile. */
const HOUSES = IS_PROOF ? 12 : 4
const WORKERS = 3
const PATIENCE = { timeout: 120_000, interval: 100 }
const ROOM = { approvedCap: '50000000', automaticCap: '20000000', lifetimeCap: '390000000' }

vi.setConfig({ testTimeout: IS_PROOF ? 7_200_000 : 180_000, hookTimeout: 300_000 })

let database: TestDatabase
let env: Record<string, string>
let workers: TrappedWorkers
let houses: PayingHouse[]

beforeAll(async () => {
  database = await createTestDatabase()
  const chain = await startTestChain()
  onCleanUp(() => chain.stop())
  const service = await startTestApp({ database, env: chain.env })
  onCleanUp(() => service.stop())
  await liftOwnersRowSecurity(database)
  env = {
    ...production(database.url),
    NODE_ENV: 'test',
    CHAIN_ID: '31337',
    CONFIRMATIONS: '1',
    METRICS_PORT: '0',
    LOG_LEVEL: 'info',
    RPC_URLS: chain.rpcUrl,
    TOKEN_ADDRESS: chain.tokenAddress,
    FOLLOW_EVERY_MS: '100',
  }
  const ways = { databaseUrl: database.url, rpcUrl: chain.rpcUrl }
  workers = await startTrappedWorkers({ count: WORKERS, ...ways, env })
  const treasury = { service, chain, stop: async () => {} }
  houses = await Promise.all(
    times(HOUSES, () => openPayingHouse(treasury, { deposited: 400_000_000n, policy: ROOM })),
  )
})
afterAll(cleanUp)

/** Everything but the last step. */
type Prepared = { house: PayingHouse; expense: ReadExpense; mark: Mark; release(): Promise<void> }

async function prepared(house: PayingHouse): Promise<Prepared> {
  const expense = await awaitingApproval(house)
  const signed = await prepareAndSign(house, expense)
  const mark: Mark = {
    organizationId: house.id,
    executor: house.executor.toLowerCase(),
    vault: house.vault.address.toLowerCase(),
    chainPaymentId: signed.prepared.message.paymentId,
    hashes: [],
  }
  const release = async () => {
    expect((await submitSignature(house, expense, signed)).status).toBe(202)
  }
  return { house, expense, mark, release }
}

/** So many of each house, a few at a time. */
async function prepareAll(): Promise<Prepared[]> {
  const count = POINTS.length * TIMES
  const made = await Promise.all(
    houses.map(async (house, n) => {
      const own: Prepared[] = []
      for (let k = n; k < count; k += HOUSES) own.push(await prepared(house))
      return own
    }),
  )
  return times(count, (k) => made[k % HOUSES]?.[Math.floor(k / HOUSES)] as Prepared)
}

const untilPaid = ({ house, expense }: Prepared) =>
  vi.waitFor(async () => {
    expect((await readExpense(house, expense.id)).state).toBe('paid')
  }, PATIENCE)

/** The payment's state and those of its attempts. */
async function booksOf({ expense }: Prepared): Promise<string> {
  const [row] = await database.asOwner<{ books: string }>(
    `select p.state || coalesce(' ' || string_agg(a.state, ' ' order by a.number), '') as books
     from payments p left join payment_attempts a on a.payment_id = p.id
     where p.id = $1 group by p.id, p.state`,
    [expense.paymentId],
  )
  return row?.books ?? 'nothing'
}

/** As if the quarter of a minute were over that the dead one's lease and locks have left. */
async function letTimePass({ id }: PayingHouse): Promise<void> {
  await database.asOwner(
    'update executor_bindings set lease_until = now() where organization_id = $1',
    [id],
  )
  for (const [table, column] of [
    ['worker_processes', 'beat_at'],
    ['graphile_worker._private_jobs', 'locked_at'],
    ['graphile_worker._private_job_queues', 'locked_at'],
  ]) {
    await database.asOwner(`update ${table} set ${column} = ${column} - interval '6 seconds'`)
  }
}

type Strike = { number: number; point: Point; payment: Prepared }
type Struck = { number: number; books: string; isFalse: boolean }

async function strike({ number, point, payment }: Strike): Promise<Struck> {
  const trap = workers.set(point, payment.mark)
  await payment.release()
  const killed = await vi.waitFor(() => {
    if (!trap.killed) throw new Error(`Nobody has come to point ${number}: ${point.name}`)
    return trap.killed
  }, PATIENCE)
  expect(killed.signal).toBe('SIGKILL')
  const books = await booksOf(payment)
  return { number, books, isFalse: !point.books.includes(books) }
}

async function strikeAll(all: readonly Prepared[]): Promise<Struck[]> {
  const struck: Struck[] = []
  for (const [k, payment] of all.entries()) {
    const index = k % POINTS.length
    const before = all[k - HOUSES]
    if (before) await untilPaid(before)
    const point = POINTS[index] as Point
    struck.push(await strike({ number: index + 1, point, payment }))
    if (!IS_PROOF && point.books.length === 1) await letTimePass(payment.house)
  }
  return struck
}

test(`killed at ${POINTS.length} points, ${TIMES} times each, a worker pays once`, async () => {
  const all = await prepareAll()
  const begun = performance.now()
  const struck = await strikeAll(all)
  const calm = performance.now()
  await Promise.all(all.map(untilPaid))
  const ended = performance.now()

  const moved = (await Promise.all(houses.map(transfers))).flat().length
  const failed = await failures(database)
  const found = {
    points: new Set(struck.map(({ number }) => number)).size,
    kills: struck.length,
    doubles: moved - all.length,
    falseStates: struck.filter(({ isFalse }) => isFalse).length + failed.length,
    healedMax: Math.round((ended - calm) / 1000),
    seconds: Math.round((ended - begun) / 1000),
  }
  process.stdout.write(`${JSON.stringify(found)}\n`)
  tellFigures({ crashes: found })
  expect([struck.filter(({ isFalse }) => isFalse), failed]).toEqual([[], []])
  for (const [n, house] of houses.entries()) {
    const own = all.filter((_, k) => k % HOUSES === n)
    const ids = own.map(({ expense }) => expense.id)
    await expectPaidOnce(database, house, ids)
  }
  const audit = runScript('src/cli/audit.ts', env, ['verify'])
  expect([await audit.ended, audit.stderr()]).toEqual([{ code: 0, signal: null }, ''])
})
