/**
 * Workers and PostgreSQL die at random moments during payments: each is paid once.
 * `PROVE_PAYMENTS=500 PROVE_KILLS=1000` runs the full proof.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { main as audit } from '#cli/audit.ts'
import { createRandom } from '#test/fuzz/random.ts'
import { isProof, reportFigures, sizeOf } from '#test/support/figures.ts'
import { openPayingHouse, type PayingHouse } from '#test/support/payments.ts'
import { liftOwnersRowSecurity, times } from '#test/support/steps.ts'
import { commandHere } from './commands.ts'
import { letTimePass } from './dead-workers.ts'
import { expectPaidOnce, failures, transfers } from './paid-houses.ts'
import { type PayingProcesses, startPayingProcesses } from './paying-processes.ts'
import { cleanUp } from './processes.ts'
import { type Prepared, prepareApproved, prepareAutomatic, untilPaid } from './released-payments.ts'

const PAYMENTS = sizeOf('PROVE_PAYMENTS', 4)
const KILLS = sizeOf('PROVE_KILLS', 2)
const IS_PROOF = isProof('PROVE_PAYMENTS')
const SEED = sizeOf('PROVE_SEED', 20_261_115)
const HOUSES = IS_PROOF ? 2 : 1
/** Delay between releases, so that something is always in flight during the kills. */
const RELEASE_EVERY_MS = IS_PROOF ? (1_750 * KILLS) / PAYMENTS : 700
const PACE = { minMs: 500, maxMs: 3_000, strikesMin: KILLS }
/** A killed worker's lease lasts 15 s, and its jobs are freed within the same time. */
const ENDS_WITHIN_MS = 120_000

vi.setConfig({ testTimeout: IS_PROOF ? 14_400_000 : 180_000, hookTimeout: 180_000 })

let world: PayingProcesses
let houses: PayingHouse[]

beforeAll(async () => {
  world = await startPayingProcesses()
  await liftOwnersRowSecurity(world.postgres.database)
  houses = await Promise.all(
    times(HOUSES, () => openPayingHouse(world.treasury, { deposited: 400_000_000n, policy: ROOM })),
  )
})
afterAll(cleanUp)

const ROOM = { approvedCap: '50000000', automaticCap: '20000000', lifetimeCap: '390000000' }

async function prepareAll(): Promise<Prepared[]> {
  const all: Prepared[] = []
  const next = times(PAYMENTS, (index) => index)
  const one = async () => {
    for (let index = next.shift(); index !== undefined; index = next.shift()) {
      const house = houses[index % HOUSES] as PayingHouse
      const prepare = index % 4 < 2 ? prepareApproved : prepareAutomatic
      all.push(await prepare(house, index))
    }
  }
  await Promise.all(times(4, one))
  return all
}

/** Analyses whose worker died three times, which is the limit of attempts. */
let analysesGivenUp = 0

type Ended = { begun: number; healed: number; all: readonly Prepared[]; unfinished: number }

async function figures({ begun, healed, all, unfinished }: Ended) {
  const { database } = world.postgres
  const [row] = await database.asOwner(
    `select count(*)::integer as attempts,
       count(*) filter (where fee_rank > 0)::integer as replacements from payment_attempts`,
  )
  const [lost] = await database.asOwner(
    `select count(*)::integer as reconciled from audit_events where action = 'payment.lost'`,
  )
  const moved = (await Promise.all(houses.map(transfers))).flat().length
  const told = {
    transfers: moved,
    doubles: moved - all.length,
    failed: (await failures(database)).length,
  }
  const { workers, databaseKilled, databaseStoppedAtOnce } = world.kills
  const kills = workers + databaseKilled + databaseStoppedAtOnce
  const [claims] = await database.asOwner<{ confirmed: number }>(
    `select count(*)::integer as confirmed from payments where state = 'confirmed'`,
  )
  const confirmed = claims?.confirmed ?? -1
  const ends = {
    confirmed,
    // Confirmations without a transfer, transfers without one, and payments blocked or failed.
    falseStates: Math.abs(confirmed - moved) + told.failed,
    unfinished,
    analysesGivenUp,
    healedMax: Math.round(healed / 1000),
  }
  const seconds = Math.round((performance.now() - begun) / 1000)
  const counts = { payments: all.length, ...told, kills, ...world.kills }
  return { seed: SEED, ...counts, ...ends, ...row, ...lost, seconds }
}

test(`of ${PAYMENTS} payments each is paid once, whatever dies (seed ${SEED})`, async () => {
  const all = await prepareAll()
  const begun = performance.now()
  const storm = world.storm(createRandom(SEED), PACE)
  const released: Promise<void>[] = []
  for (const { release } of all) {
    released.push(release())
    await wait(RELEASE_EVERY_MS)
  }
  await Promise.all(released)
  await storm.stop()
  if (!IS_PROOF) await letTimePass(world.postgres.database)
  const calm = performance.now()
  const ends = await Promise.allSettled(all.map((one) => untilPaid(one, ENDS_WITHIN_MS)))
  for (const end of ends) if (end.status === 'fulfilled') analysesGivenUp += end.value
  const healed = performance.now() - calm
  const unfinished = ends.filter(({ status }) => status === 'rejected')
  const found = await figures({ begun, healed, all, unfinished: unfinished.length })
  process.stdout.write(`${JSON.stringify(found)}\n`)
  reportFigures(found)
  expect(unfinished).toEqual([])

  const { database } = world.postgres
  for (const house of houses) {
    const own = all.filter((one) => one.house === house)
    const ids = own.map(({ id }) => id)
    await expectPaidOnce(database, house, ids)
  }
  expect(await failures(database)).toEqual([])
  expect(await commandHere(audit, ['verify'], world.env)).toMatchObject({ code: 0, stderr: '' })
})
