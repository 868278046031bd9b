/**
 * A worker dies by kill -9 at every numbered point between claiming a payment's lane and the end of
 * its job: each payment is made once, and the database never states anything false. Every payment
 * needs the signatures of two approvers, and the second one queues it. Policies wait a second, and
 * the activation of one is struck as well. Covers every eighth point;
 * `PROVE_CRASHES=20` covers all points that many times each and waits until the dead workers'
 * leases expire.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { main as audit } from '#cli/audit.ts'
import { openOwnerPool } from '#platform/database/database.ts'
import { freeDeadWorkersJobs } from '#platform/jobs/job-runner.ts'
import { startTestApp } from '#test/support/app.ts'
import { startTestChain } from '#test/support/chain.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { isProof, reportFigures, sizeOf } from '#test/support/figures.ts'
import {
  approve,
  awaitingApproval,
  joinApprover,
  openPayingHouse,
  type PayingHouse,
  prepareAndSign,
  type ReadExpense,
  readExpense,
  renewPolicy,
  submitSignature,
} from '#test/support/payments.ts'
import { liftOwnersRowSecurity, times } from '#test/support/steps.ts'
import { overviewOf, preparePolicy } from '#test/support/treasury.ts'
import { commandHere } from './commands.ts'
import { ACTIVATION_POINTS, type Mark, POINTS, type Point } from './crash-points.ts'
import { letTimePass } from './dead-workers.ts'
import { onTestChain } from './environment.ts'
import { expectPaidOnce, failures, transfers } from './paid-houses.ts'
import { cleanUp, onCleanUp } from './processes.ts'
import { startTrappedWorkers, type TrappedWorkers } from './trapped-workers.ts'

const TIMES = sizeOf('PROVE_CRASHES', 1)
const IS_PROOF = isProof('PROVE_CRASHES')
const NUMBERED = POINTS.map((point, index) => ({ number: index + 1, point }))
const VISITED = IS_PROOF ? NUMBERED : NUMBERED.filter(({ number }) => number % 8 === 3)
/** A lane rests until its dead worker's lease has ended; others continue meanwhile. */
const HOUSES = IS_PROOF ? 12 : 1
const AT_ONCE = Math.min(3, HOUSES)
const WORKERS = IS_PROOF ? 3 : 2
const PATIENCE = { timeout: 120_000, interval: 100 }
const ROOM = { approvedCap: '50000000', automaticCap: '500000', lifetimeCap: '390000000' }
/** Below every payment's amount. */
const TWO_SIGNATURES = { tiers: [{ above: '500000', approvals: 2 }] }

type TwoSigners = PayingHouse & { second: Awaited<ReturnType<typeof joinApprover>> }

vi.setConfig({ testTimeout: IS_PROOF ? 14_400_000 : 600_000, hookTimeout: 900_000 })

let database: TestDatabase
let pool: ReturnType<typeof openOwnerPool>
let env: Record<string, string>
let workers: TrappedWorkers
let houses: TwoSigners[]

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openOwnerPool({ url: database.url })
  onCleanUp(() => pool.end())
  const chain = await startTestChain()
  onCleanUp(() => chain.stop())
  const service = await startTestApp({ database, env: chain.env })
  onCleanUp(() => service.stop())
  await liftOwnersRowSecurity(database)
  env = { ...onTestChain(database.url, chain), FOLLOW_EVERY_MS: '250' }
  const ways = { databaseUrl: database.url, rpcUrl: chain.rpcUrl }
  workers = await startTrappedWorkers({ count: WORKERS, ...ways, env })
  const treasury = { service, chain, stop: async () => {} }
  const open = async (): Promise<TwoSigners> => {
    const terms = { deposited: 400_000_000n, policy: ROOM, changeDelaySeconds: 1 }
    const house = await openPayingHouse(treasury, terms)
    const second = await joinApprover(house)
    await renewPolicy(house, { ...ROOM, ...TWO_SIGNATURES })
    return { ...house, second }
  }
  // A few at a time, because a busy machine is slow.
  houses = []
  while (houses.length < HOUSES) houses.push(...(await Promise.all(times(AT_ONCE, open))))
})
afterAll(cleanUp)

/** Everything except the last step. */
type Prepared = { house: PayingHouse; expense: ReadExpense; mark: Mark; release(): Promise<void> }

const markOf = (house: PayingHouse, chainPaymentId: string): Mark => ({
  organizationId: house.id,
  executor: house.executor.toLowerCase(),
  vault: house.vault.address.toLowerCase(),
  chainPaymentId,
  hashes: [],
})

async function prepared(house: TwoSigners): Promise<Prepared> {
  const expense = await awaitingApproval(house)
  const first = await approve(house, expense)
  expect([first.status, first.body.state]).toEqual([202, 'reserved'])
  const signed = await prepareAndSign(house, expense, house.second)
  const mark = markOf(house, signed.prepared.message.paymentId)
  const release = async () => {
    const { person } = house.second
    expect((await submitSignature(house, expense, signed, person)).status).toBe(202)
  }
  return { house, expense, mark, release }
}

/** One payment for each point, distributed over the houses; sequential within a house. */
async function prepareRound(): Promise<Prepared[]> {
  await workers.untilUp()
  const made = await Promise.all(
    houses.map(async (house, n) => {
      const own: Prepared[] = []
      for (let k = n; k < VISITED.length; k += HOUSES) own.push(await prepared(house))
      return own
    }),
  )
  return VISITED.map((_, k) => made[k % HOUSES]?.[Math.floor(k / HOUSES)] as Prepared)
}

const untilPaid = ({ house, expense }: Prepared) =>
  vi.waitFor(async () => {
    expect((await readExpense(house, expense.id)).state).toBe('paid')
  }, PATIENCE)

/** The state of the payment and of its attempts. */
async function booksOf({ expense }: Prepared): Promise<string> {
  const [row] = await database.asOwner<{ books: string }>(
    `select p.state || coalesce(' ' || string_agg(a.state, ' ' order by a.number), '') as books
     from payments p left join payment_attempts a on a.payment_id = p.id
     where p.id = $1 group by p.id, p.state`,
    [expense.paymentId],
  )
  return row?.books ?? 'nothing'
}

/** As if a longer-lived worker had found the dead one's jobs. */
async function freeJobs(): Promise<void> {
  await letTimePass(database)
  await freeDeadWorkersJobs(pool)
}

type Visit = { number: number; point: Point }
type Struck = { number: number; books: string; isFalse: boolean }

async function strike({ number, point, payment }: Visit & { payment: Prepared }): Promise<Struck> {
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

/** Visits every point once; a house's next payment waits until the one before is made. */
async function strikeRound(round: readonly Prepared[]): Promise<Struck[]> {
  const struck: Struck[] = []
  for (const [k, payment] of round.entries()) {
    const before = round[k - HOUSES]
    if (before) await untilPaid(before)
    const { number, point } = VISITED[k] as Visit
    struck.push(await strike({ number, point, payment }))
    if (!IS_PROOF && point.books.length === 1) await freeJobs()
  }
  await Promise.all(round.map(untilPaid))
  return struck
}

test(`killed at ${VISITED.length} points, ${TIMES} times each, a worker pays once`, async () => {
  const begun = performance.now()
  const all: Prepared[] = []
  const struck: Struck[] = []
  for (let round = 0; round < TIMES; round += 1) {
    const payments = await prepareRound()
    all.push(...payments)
    struck.push(...(await strikeRound(payments)))
    if (IS_PROOF) process.stdout.write(`${round + 1} of ${TIMES} rounds\n`)
  }

  const moved = (await Promise.all(houses.map(transfers))).flat().length
  const failed = await failures(database)
  const found = {
    points: new Set(struck.map(({ number }) => number)).size,
    kills: struck.length,
    doubles: moved - all.length,
    falseStates: struck.filter(({ isFalse }) => isFalse).length + failed.length,
    seconds: Math.round((performance.now() - begun) / 1000),
  }
  process.stdout.write(`${JSON.stringify(found)}\n`)
  reportFigures({ crashes: found })
  expect([struck.filter(({ isFalse }) => isFalse), failed]).toEqual([[], []])
  for (const house of houses) {
    const own = all.filter((one) => one.house === house)
    const ids = own.map(({ expense }) => expense.id)
    await expectPaidOnce(database, house, ids)
  }
  expect(await commandHere(audit, ['verify'], env)).toMatchObject({ code: 0, stderr: '' })
})

const activationOf = async ({ id }: PayingHouse) => {
  const [row] = await database.asOwner<{ state: string; nonces: number }>(
    `select state, (select count(distinct nonce)::int from activation_attempts t
       where t.activation_id = a.id) as nonces
     from policy_activations a where organization_id = $1 order by created_at desc limit 1`,
    [id],
  )
  return row
}

test.each(IS_PROOF ? ACTIVATION_POINTS : ACTIVATION_POINTS.slice(2, 3))(
  'killed with the activation of a policy $name, it is sent once, and payments go on',
  async (point) => {
    await workers.untilUp()
    const [house] = houses
    if (!house) throw new Error('There is no house')
    const { treasury, vault, ownerWallet } = house
    const versionOf = async () => (await overviewOf(treasury, house)).policy.version
    const before = await versionOf()
    const trap = workers.set(point, markOf(house, ''))
    const terms = { ...ROOM, ...TWO_SIGNATURES, reserveFloor: String(before) }
    const { body } = await preparePolicy(treasury, house, { vaultId: vault.id, terms })
    await ownerWallet.send(body.transaction)
    await vi.waitFor(() => expect(trap.killed?.signal).toBe('SIGKILL'), PATIENCE)
    expect(point.books).toContain((await activationOf(house))?.state)
    await freeJobs()
    await vi.waitFor(async () => {
      expect(await activationOf(house)).toEqual({ state: 'confirmed', nonces: 1 })
      expect(await versionOf()).toBe(before + 1)
    }, PATIENCE)
    const payment = await prepared(house)
    await payment.release()
    await untilPaid(payment)
    const { client } = treasury.chain
    const used = await client.getTransactionCount({ address: house.executor })
    const [lane] = await database.asOwner<{ next: number }>(
      'select next_nonce::int as next from executor_bindings where organization_id = $1',
      [house.id],
    )
    expect(lane?.next).toBe(used)
  },
)
