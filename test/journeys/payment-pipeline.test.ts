/** Many payments of one executor at once are all paid, in nonce order. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { authorisedExpenses, releaseTogether } from '#test/support/authorised-expenses.ts'
import { percentile, reportFigures, sizeOf } from '#test/support/figures.ts'
import { executions } from '#test/support/past-the-service.ts'
import { openPayingHouse, type PayingHouse, tokenBalance } from '#test/support/payments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

const IN_FLIGHT_MAX = 16
/** More than may be in flight at once. */
const COUNT = sizeOf('PROVE_PAYMENTS', 24)
const PATIENCE_MS = Math.max(60_000, 800 * COUNT)
const AMOUNT = 10_000n

vi.setConfig({ testTimeout: 2 * PATIENCE_MS })

let treasury: Treasury
let house: PayingHouse

beforeAll(async () => {
  treasury = await startTreasury({ env: { PAYMENT_RELEASE: 'manual' } })
  await liftOwnersRowSecurity(treasury.service.database)
  house = await openPayingHouse(treasury)
})
afterAll(() => treasury.stop())

type Row = { state: string; nonce: number; attempts: number; expense: string }

const rows = () =>
  treasury.service.database.asOwner<Row>(`
    select p.state, e.state as expense, min(a.nonce)::integer as nonce,
      count(a)::integer as attempts
    from payments p join expenses e on e.id = p.expense_id
    left join payment_attempts a on a.payment_id = p.id
    where p.state <> 'reserved' group by p.id, p.state, e.state order by min(a.nonce)`)

/** Milliseconds from queueing to broadcast, by the database's clock. */
async function broadcastDelays(queuedAt: string): Promise<number[]> {
  const found = await treasury.service.database.asOwner<{ ms: number }>(
    `select extract(epoch from sent_at - $1::timestamptz)::float8 * 1000 as ms
     from payment_attempts`,
    [queuedAt],
  )
  return found.map(({ ms }) => ms)
}

const databaseTime = async (): Promise<string> =>
  String((await treasury.service.database.asOwner('select now()::text as now'))[0]?.now)

/** The largest number that was signed but not yet mined in any sample. */
async function mostUnmined(): Promise<number> {
  const { client } = treasury.chain
  const [mined, [lane]] = await Promise.all([
    client.getTransactionCount({ address: house.executor, blockTag: 'latest' }),
    treasury.service.database.asOwner<{ next: number }>(
      'select next_nonce::integer as next from executor_bindings',
    ),
  ])
  return (lane?.next ?? 0) - mined
}

test(`${COUNT} payments queued at once are all confirmed, without a nonce gap`, async () => {
  const ids = await authorisedExpenses(house, { count: COUNT, amount: AMOUNT })
  const before = await tokenBalance(house, house.recipient)
  await releaseTogether(house, ids)
  const [queuedAt, begun] = [await databaseTime(), performance.now()]
  let unmined = 0
  await expect
    .poll(
      async () => {
        unmined = Math.max(unmined, await mostUnmined())
        return (await rows()).filter(({ state }) => state === 'confirmed').length
      },
      { timeout: PATIENCE_MS, interval: 100 },
    )
    .toBe(COUNT)

  const seconds = (performance.now() - begun) / 1_000
  const paid = await rows()
  const logs = await executions(house)
  const nonces = new Set(paid.map(({ nonce }) => nonce))
  const numbers = Array.from({ length: COUNT }, (_, index) => index)
  reportFigures({
    confirmed: paid.filter(({ state }) => state === 'confirmed').length,
    gaps: numbers.filter((nonce) => !nonces.has(nonce)).length,
    doubles: logs.length - new Set(logs).size,
    perMinute: Math.round((60 * COUNT) / seconds),
    broadcastP95: percentile(await broadcastDelays(queuedAt), 0.95),
  })
  expect(paid.map(({ nonce }) => nonce)).toEqual(numbers)
  expect(new Set(paid.map(({ attempts }) => attempts))).toEqual(new Set([1]))
  expect(new Set(paid.map(({ expense }) => expense))).toEqual(new Set(['paid']))
  expect(new Set(logs).size).toBe(COUNT)
  expect(logs).toHaveLength(COUNT)
  const now = await tokenBalance(house, house.recipient)
  expect(now - before).toBe(BigInt(COUNT) * AMOUNT)
  expect(unmined).toBeLessThanOrEqual(IN_FLIGHT_MAX)
  const { client } = treasury.chain
  expect(await client.getTransactionCount({ address: house.executor })).toBe(COUNT)
})
