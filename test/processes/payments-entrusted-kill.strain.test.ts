/**
 * Workers and PostgreSQL die while payments are delegated to a provider that loses requests and
 * answers: it makes each payment once, and each is paid once.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { main as audit } from '#cli/audit.ts'
import { createRandom } from '#test/fuzz/random.ts'
import { type CircleEmulator, startCircleEmulator } from '#test/support/circle-emulator.ts'
import { isProof, sizeOf } from '#test/support/figures.ts'
import { executions } from '#test/support/past-the-service.ts'
import {
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  prepareAndSign,
  type ReadExpense,
  readPayment,
  submitSignature,
  tokenBalance,
} from '#test/support/payments.ts'
import { liftOwnersRowSecurity, times } from '#test/support/steps.ts'
import { commandHere } from './commands.ts'
import { letTimePass } from './dead-workers.ts'
import { type PayingProcesses, startPayingProcesses } from './paying-processes.ts'
import { cleanUp, onCleanUp } from './processes.ts'

const TOGETHER = 4
const IN_THE_STORM = sizeOf('PROVE_PAYMENTS', 1)
const IS_PROOF = isProof('PROVE_KILLS')
const SEED = 20_261_116
const PACE = { minMs: 300, maxMs: 2_000, strikesMin: sizeOf('PROVE_KILLS', 2) }
/** A killed worker's lease lasts 15 s, and its jobs are freed within the same time. */
const PATIENCE = { timeout: 120_000, interval: 200 }

vi.setConfig({ testTimeout: 400_000 + 20_000 * PACE.strikesMin, hookTimeout: 180_000 })

let world: PayingProcesses
let circle: CircleEmulator
let house: PayingHouse

beforeAll(async () => {
  world = await startPayingProcesses({
    workers: IS_PROOF ? 2 : 1,
    settle: async (chain) => {
      circle = await startCircleEmulator({ chain })
      onCleanUp(() => circle.stop())
      return circle.env
    },
  })
  await liftOwnersRowSecurity(world.postgres.database)
  house = await openPayingHouse(world.treasury)
})
afterAll(cleanUp)

type Prepared = { expense: ReadExpense; release(): Promise<void> }

async function prepared(): Promise<Prepared> {
  const expense = await awaitingApproval(house)
  const signed = await prepareAndSign(house, expense)
  const release = async () => {
    await vi.waitFor(async () => {
      expect((await submitSignature(house, expense, signed)).status).toBe(202)
    }, PATIENCE)
  }
  return { expense, release }
}

test('each payment is made once by the provider and paid once, whatever dies', async () => {
  const before = await tokenBalance(house, house.recipient)
  const all = await Promise.all(times(TOGETHER + IN_THE_STORM, prepared))

  // All workers die while two requests are unanswered; of the others, one request and one answer
  // were lost. The provider continues unaffected.
  circle.fail('execute', 'silent', 'lost after', 'silent', 'lost before')
  await Promise.all(all.slice(0, TOGETHER).map(({ release }) => release()))
  await vi.waitFor(() => expect(circle.waiting()).toBe(2), PATIENCE)
  world.killWorkers()
  circle.letGo()
  if (!IS_PROOF) await letTimePass(world.postgres.database)

  const storm = world.storm(createRandom(SEED), PACE)
  for (const { release } of all.slice(TOGETHER)) {
    circle.fail('execute', 'lost after', { status: 503 })
    circle.fail('look', 'lost before', { status: 429 })
    await release()
    await wait(500)
  }
  await storm.stop()
  if (!IS_PROOF) await letTimePass(world.postgres.database)

  let paid = 0n
  const ids: string[] = []
  for (const { expense } of all) {
    const { payment, attempts } = await vi.waitFor(async () => {
      const detail = await readPayment(house, expense.paymentId)
      expect(detail.payment.state).toBe('confirmed')
      return detail
    }, PATIENCE)
    expect(attempts).toMatchObject([{ state: 'mined', transactionHash: payment.transactionHash }])
    paid += BigInt(payment.amountBaseUnits)
    ids.push(payment.chainPaymentId)
  }
  const rows = await world.postgres.database.asOwner<{ key: string }>(
    'select idempotency_key as key from payment_attempts',
  )
  const keys = circle.transactions.map(({ idempotencyKey }) => idempotencyKey)
  expect(keys.toSorted()).toEqual(rows.map(({ key }) => key).toSorted())
  expect((await executions(house)).toSorted()).toEqual(ids.toSorted())
  expect(await tokenBalance(house, house.recipient)).toBe(before + paid)
  expect(await commandHere(audit, ['verify'], world.env)).toMatchObject({ code: 0, stderr: '' })
  process.stdout.write(`${JSON.stringify({ payments: all.length, ...world.kills })}\n`)
})
