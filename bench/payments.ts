/**
 * The payment pipeline beside a bare loop that signs and sends the same calls with the same key to
 * the same chain, one after the other in one run: `npm run bench -- payments`. The pipeline is
 * measured from its first queued payment to its last confirmed one, the loop from its first
 * signature to its last receipt; both have paid some before. `PAYMENTS` and `BLOCK_MS` change the
 * size and the chain's pace. Chain, service and loop share one process; figures are in
 * docs/BENCHMARKS.md.
 */
import { type Address, createPublicClient, type Hex, http, keccak256 } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open } from '#adapters/local/keystore.ts'
import { lockLanePayments } from '#payments/lane-store/lane.store.ts'
import { callOf } from '#payments/lane-store/lane-rows.ts'
import { masterKeysOf } from '#platform/secrets.ts'
import type { VaultCall } from '#ports/payment-node.ts'
import {
  authorisedExpenses,
  releaseTogether,
  reserveTogether,
} from '#test/support/authorised-expenses.ts'
import { executions } from '#test/support/past-the-service.ts'
import { openPayingHouse, type PayingHouse } from '#test/support/payments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'
import { handOver } from './figures.ts'
import { profiled } from './profile.ts'
import { rounded } from './turns.ts'

const PAYMENTS = Number(process.env.PAYMENTS ?? 160)
/** As on Base, where a block comes every two seconds. */
const BLOCK_MS = Number(process.env.BLOCK_MS ?? 2_000)
/** A twentieth of the pace of the blocks: whoever runs a faster chain follows it faster. */
const FOLLOW_EVERY_MS = Math.max(10, Math.min(100, Math.round(BLOCK_MS / 20)))
/** How often the bare loop looks for a new block. */
const POLL_EVERY_MS = Math.min(20, FOLLOW_EVERY_MS)
/** Paid on both sides before anything is measured: plans are made and code is compiled once. */
const WARM_UP = 64
const AMOUNT = 10_000n
const IN_FLIGHT_MAX = 16
const RATIO_MIN = 0.7

let treasury: Treasury
let house: PayingHouse

beforeAll(async () => {
  treasury = await startTreasury({
    mineAfterMs: BLOCK_MS,
    asDeployed: true,
    env: { PAYMENT_RELEASE: 'manual', FOLLOW_EVERY_MS: String(FOLLOW_EVERY_MS) },
  })
  await liftOwnersRowSecurity(treasury.service.database)
  house = await withoutWaiting(() => openPayingHouse(treasury))
})
afterAll(() => treasury.stop())

/** What is only needed for the measurement does not wait for blocks. */
async function withoutWaiting<T>(work: () => Promise<T>): Promise<T> {
  const { client, request } = treasury.chain
  const timer = setInterval(async () => {
    const block = await client.getBlock({ blockTag: 'pending' }).catch(() => undefined)
    if (block?.transactions.length) await request('evm_mine').catch(() => {})
  }, 20)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}

type Spent = { calls: number; ms: number }
type Meter = Record<string, Spent>
type Measurable = Record<string, (...args: unknown[]) => Promise<unknown>>

/** Counts calls of an object's function, and the time that they took together. */
function measure(meter: Meter, label: string, object: Measurable = {}, name: string): void {
  const work = object[name]
  if (!work) throw new Error(`There is no ${name}`)
  const spent = { calls: 0, ms: 0 }
  meter[label] = spent
  object[name] = async (...args) => {
    const begun = performance.now()
    try {
      return await work.apply(object, args)
    } finally {
      spent.calls += 1
      spent.ms += performance.now() - begun
    }
  }
}

function meterOf({ service: { ctx } }: Treasury): Meter {
  const meter: Meter = {}
  const { paymentChain, executor, db } = ctx as unknown as Record<string, Measurable>
  measure(meter, 'database', db, 'transaction')
  measure(meter, 'signing (within database)', executor, 'sign')
  for (const name of ['observeLane', 'observePayment', 'preflight', 'send']) {
    measure(meter, `chain: ${name}`, paymentChain, name)
  }
  return meter
}

const difference = (before: Meter, after: Meter): Meter =>
  Object.fromEntries(
    Object.entries(after).map(([label, { calls, ms }]) => {
      const { calls: callsBefore, ms: msBefore } = before[label] ?? { calls: 0, ms: 0 }
      return [label, { calls: calls - callsBefore, ms: ms - msBefore }]
    }),
  )

type Timing = { broadcastMs: number; confirmedMs: number }

/** In milliseconds of the database, payment by payment. */
const timings = (expenseIds: readonly string[]) =>
  treasury.service.database.asOwner<Timing>(
    `select extract(epoch from a.sent_at)::float8 * 1000 as "broadcastMs",
      extract(epoch from r.confirmed_at)::float8 * 1000 as "confirmedMs"
    from payments p join payment_attempts a on a.payment_id = p.id
    join payment_receipts r on r.payment_id = p.id
    where p.state = 'confirmed' and p.expense_id = any($1)`,
    [expenseIds],
  )

/** Of the whole process: the chain's is in it on both sides. */
const cpuMsSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function runPipeline(ids: readonly string[], meter: Meter) {
  await releaseTogether(house, ids)
  const cpu = process.cpuUsage()
  // From the commit on, which queues them all.
  const [{ begun } = { begun: 0 }] = await treasury.service.database.asOwner<{ begun: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as begun',
  )
  const before = structuredClone(meter)
  const confirmed = async () => (await timings(ids)).length
  await expect.poll(confirmed, { timeout: 500_000, interval: 250 }).toBe(ids.length)
  const spent = difference(before, meter)
  const cpuMs = cpuMsSince(cpu)
  const all = await timings(ids)
  const seconds = (Math.max(...all.map(({ confirmedMs }) => confirmedMs)) - begun) / 1000
  const waits = all.map(({ broadcastMs }) => broadcastMs - begun).toSorted((a, b) => a - b)
  const broadcastP95Ms = Math.round(waits[Math.floor(waits.length * 0.95)] ?? 0)
  return { seconds, spent, cpuMs, broadcastP95Ms }
}

/** What the service would sign for these, from the same rows. */
async function callsOf(ids: readonly string[]): Promise<VaultCall[]> {
  const { ctx, database } = treasury.service
  const organizationId = house.id
  const rows = await database.asOwner<{ id: string }>(
    'select id from payments where expense_id = any($1)',
    [ids],
  )
  const paymentIds = rows.map(({ id }) => id)
  return ctx.db.transaction({ organizationId }, async (tx) =>
    (await lockLanePayments(tx, { organizationId, paymentIds })).map((row) =>
      callOf(ctx.chain, row),
    ),
  )
}

async function executorAccount(): Promise<PrivateKeyAccount> {
  const [lane] = await treasury.service.database.asOwner<{ box: Buffer }>(
    'select provider_reference as box from executor_bindings',
  )
  const name = `executor:${house.id}:${house.executor.toLowerCase()}`
  const box = lane?.box ?? Buffer.alloc(0)
  const secret = open(masterKeysOf(treasury.service.ctx.secrets), { name, box })
  return privateKeyToAccount(`0x${secret.toString('hex')}`)
}

/** Nothing is stored, checked or looked at twice. Over HTTP, like the service. */
async function runBareLoop(calls: readonly VaultCall[]) {
  const { rpcUrl } = treasury.chain
  const client = createPublicClient({ transport: http(rpcUrl), pollingInterval: POLL_EVERY_MS })
  const account = await executorAccount()
  const first = await client.getTransactionCount({ address: account.address })
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas()
  const fees = { maxFeePerGas: 2n * maxFeePerGas, maxPriorityFeePerGas }
  const left = calls.map((call, index) => ({ call, nonce: first + index }))
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { vaultAddress, data, gasLimit } = next.call
      const to = vaultAddress as Address
      const about = { type: 'eip1559', chainId: 31_337, nonce: next.nonce, ...fees } as const
      const transaction = { ...about, gas: gasLimit, to, data: data as Hex, value: 0n }
      const raw = await account.signTransaction(transaction)
      await client.sendRawTransaction({ serializedTransaction: raw })
      const { status } = await client.waitForTransactionReceipt({ hash: keccak256(raw) })
      expect(status).toBe('success')
    }
  }
  const [begun, cpu] = [performance.now(), process.cpuUsage()]
  await Promise.all(Array.from({ length: IN_FLIGHT_MAX }, worker))
  return { seconds: (performance.now() - begun) / 1000, cpuMs: cpuMsSince(cpu) }
}

const maybeProfiled = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  process.env.PAYMENTS_PROFILE ? profiled(name, work) : work()

test(`${PAYMENTS} payments of one executor, blocks every ${BLOCK_MS} ms`, async () => {
  const all = await authorisedExpenses(house, { count: 2 * (WARM_UP + PAYMENTS), amount: AMOUNT })
  const take = (count: number) => all.splice(0, count)
  const meter = meterOf(treasury)
  await runPipeline(take(WARM_UP), meter)
  const { seconds, spent, cpuMs, broadcastP95Ms } = await maybeProfiled('pipeline', () =>
    runPipeline(take(PAYMENTS), meter),
  )
  const [warm, bare] = [take(WARM_UP), take(PAYMENTS)]
  await reserveTogether(house, [...warm, ...bare])
  await runBareLoop(await callsOf(warm))
  const bareCalls = await callsOf(bare)
  const loop = await maybeProfiled('bare-loop', () => runBareLoop(bareCalls))
  expect(new Set(await executions(house)).size).toBe(2 * (WARM_UP + PAYMENTS))

  const perSecond = (s: number) => Math.round((PAYMENTS / s) * 10) / 10
  const ratio = Math.round((loop.seconds / seconds) * 100) / 100
  const figures = {
    payments: PAYMENTS,
    blockMs: BLOCK_MS,
    pipeline: { perSecond: perSecond(seconds), perMinute: perSecond(seconds) * 60, broadcastP95Ms },
    bareLoop: { perSecond: perSecond(loop.seconds) },
    ratio,
    where: Object.fromEntries(Object.entries(spent).map(([name, one]) => [name, shown(one)])),
  }
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
  await handOver([
    {
      what: `${PAYMENTS} payments, a block every ${BLOCK_MS} ms`,
      value: ratio,
      unit: '',
      beside: 'a bare loop that signs and sends the same calls',
      target: { atLeast: BLOCK_MS <= 250 ? 0.9 : 0.8 },
      more: {
        'payments a second': figures.pipeline.perSecond,
        'bare, a second': figures.bareLoop.perSecond,
        'broadcast p95 ms': broadcastP95Ms,
        'CPU ms a payment, with the chain’s': rounded(cpuMs / PAYMENTS, 1),
        'bare, CPU ms': rounded(loop.cpuMs / PAYMENTS, 1),
        'in flight at most': IN_FLIGHT_MAX,
      },
    },
  ])
  expect(ratio).toBeGreaterThanOrEqual(RATIO_MIN)
})

const shown = ({ calls, ms }: Spent) => ({
  calls,
  ms: Math.round(ms),
  msEach: calls === 0 ? 0 : Math.round((ms / calls) * 10) / 10,
})
