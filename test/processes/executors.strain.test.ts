/** Many organizations pay at once through several workers: no nonce is used twice. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { authorisedExpenses, releaseTogether } from '#test/support/authorised-expenses.ts'
import { startTestChain } from '#test/support/chain.ts'
import { reportFigures, sizeOf } from '#test/support/figures.ts'
import { executions } from '#test/support/past-the-service.ts'
import { openPayingHouse, type PayingHouse } from '#test/support/payments.ts'
import { liftOwnersRowSecurity, times } from '#test/support/steps.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { cleanUp, onCleanUp } from './processes.ts'

const HOUSES = sizeOf('PROVE_HOUSES', 2)
const PAYMENTS = sizeOf('PROVE_PAYMENTS', 5)
const WORKERS = sizeOf('PROVE_WORKERS', 2)
const ALL = HOUSES * PAYMENTS
const AMOUNT = 10_000n

vi.setConfig({ testTimeout: 60_000 + 2_000 * ALL, hookTimeout: 120_000 + 20_000 * HOUSES })

let cluster: Cluster
let houses: PayingHouse[]

beforeAll(async () => {
  const chain = await startTestChain()
  onCleanUp(() => chain.stop())
  const env = {
    RPC_URLS: chain.rpcUrl,
    TOKEN_ADDRESS: chain.tokenAddress,
    FOLLOW_EVERY_MS: '100',
    PAYMENT_RELEASE: 'manual',
  }
  cluster = await startCluster({ apis: 0, workers: WORKERS, env })
  await liftOwnersRowSecurity(cluster.service.database)
  const treasury = { service: cluster.service, chain, stop: async () => {} }
  houses = []
  for (let n = 0; n < HOUSES; n += 1) houses.push(await openPayingHouse(treasury))
})
afterAll(cleanUp)

type Nonce = { organization: string; nonce: number; payments: number }

const nonces = () =>
  cluster.service.database.asOwner<Nonce>(
    `select organization_id as organization, nonce::integer,
       count(distinct payment_id)::integer as payments
     from payment_attempts group by organization_id, nonce order by organization_id, nonce`,
  )

const confirmed = async (): Promise<number> => {
  const [row] = await cluster.service.database.asOwner<{ count: number }>(
    `select count(*)::integer from payments where state = 'confirmed'`,
  )
  return row?.count ?? 0
}

test(`${HOUSES} times ${PAYMENTS} payments by ${WORKERS} workers are paid once each`, async () => {
  const prepared = await Promise.all(
    houses.map((house) => authorisedExpenses(house, { count: PAYMENTS, amount: AMOUNT })),
  )
  const begun = performance.now()
  await Promise.all(houses.map((house, n) => releaseTogether(house, prepared[n] ?? [])))
  await expect.poll(confirmed, { timeout: 40_000 + 1_500 * ALL, interval: 200 }).toBe(ALL)
  const seconds = (performance.now() - begun) / 1_000
  const used = await nonces()
  const collisions = used.filter(({ payments }) => payments > 1).length
  const logs = await Promise.all(houses.map(executions))
  const doubles = logs.flat().length - new Set(logs.flat()).size
  const perMinute = Math.round((60 * ALL) / seconds)
  reportFigures({ confirmed: await confirmed(), collisions, doubles, perMinute })
  expect(collisions).toBe(0)
  expect(logs.map(({ length }) => length)).toEqual(houses.map(() => PAYMENTS))
  expect(doubles).toBe(0)
  for (const { id } of houses) {
    const own = used.filter(({ organization }) => organization === id)
    expect(own.map(({ nonce }) => nonce)).toEqual(times(PAYMENTS, (n) => n))
  }
})
