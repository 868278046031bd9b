/** Restoring an old backup, which lacks what was paid since, pays nothing twice. */
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { expireApproval } from '#approvals/end-approval.ts'
import {
  attemptsInRows,
  type FaultyTreasury,
  startFaultyTreasury,
  withhold,
} from '#test/support/faulty-nodes.ts'
import { expectPaidOnce, untilPayment } from '#test/support/paid-once.ts'
import { executions } from '#test/support/past-the-service.ts'
import { runPaymentRequests } from '#test/support/payment-requests.ts'
import {
  automaticReady,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  prepareAndSign,
  type ReadExpense,
  readExpense,
  readPayment,
  release,
  submitSignature,
  tokenBalance,
} from '#test/support/payments.ts'
import {
  actionsAfter,
  chainPaymentIdOf,
  signedExpense,
  unrecorded,
  untilPaid,
  untilUnrecorded,
} from '#test/support/restored-payments.ts'
import { auditTrail, liftOwnersRowSecurity } from '#test/support/steps.ts'

vi.setConfig({ testTimeout: 180_000 })

let treasury: FaultyTreasury
let house: PayingHouse

beforeAll(async () => {
  treasury = await startFaultyTreasury({ env: { PAYMENT_RELEASE: 'manual' } })
  house = await openPayingHouse(treasury)
})
afterAll(() => treasury.stop())

const databaseName = () => new URL(treasury.service.database.url).pathname.slice(1)

/** Copies the database without connections: the worker is stopped and the API's are cut. */
async function onServer(...statements: string[]): Promise<void> {
  const client = new pg.Client(inject('postgresUrl'))
  await client.connect()
  try {
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`
    await client.query(cut, [databaseName()])
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

const backUp = () => {
  const name = databaseName()
  return onServer(`create database ${name}_backup template ${name} strategy file_copy`)
}

const restore = () => {
  const name = databaseName()
  return onServer(`drop database ${name}`, `alter database ${name}_backup rename to ${name}`)
}

const signed = () => signedExpense(house)
const paid = (expense: ReadExpense) => untilPaid(house, expense)

async function released(): Promise<ReadExpense> {
  const expense = await signed()
  expect((await release(house, expense)).body.state).toBe('queued')
  return expense
}

type LaneInRows = { next_nonce: number; is_held: boolean }

async function laneInRows(): Promise<LaneInRows | undefined> {
  const [lane] = await treasury.service.database.asOwner<LaneInRows>(
    'select next_nonce::integer, is_held from executor_bindings',
  )
  return lane
}

/** The payments that the backup contains, in each state. */
async function beforeTheBackup() {
  const settled = await released()
  await paid(settled)
  const withheld = withhold(treasury)
  const inFlight = await released()
  await untilPayment(house, inFlight.paymentId, 'broadcast')
  const automatic = await automaticReady(house)
  const queued = [await signed(), await signed(), automatic]
  const reserved = await signed()
  const unsigned = await awaitingApproval(house)
  const signature = await prepareAndSign(house, unsigned)
  await treasury.worker.stop()
  // No worker runs now, so requests do not wait for one and are only queued.
  const { config } = treasury.service.ctx
  const { workerWaitMs } = config
  config.workerWaitMs = 0
  for (const expense of queued) expect((await release(house, expense)).status).toBe(202)
  await runPaymentRequests(treasury.service, house.id)
  config.workerWaitMs = workerWaitMs
  return { settled, inFlight, withheld, queued, reserved, unsigned, signature }
}

type Known = Awaited<ReturnType<typeof beforeTheBackup>>

/** Pays all of them and one that the backup lacks, which is returned. */
async function afterTheBackup({
  inFlight,
  withheld,
  queued,
  reserved,
  unsigned,
  signature,
}: Known): Promise<string> {
  treasury.node.heal()
  await withheld.deliver(withheld.raws[0])
  await treasury.worker.start()
  await release(house, reserved)
  await submitSignature(house, unsigned, signature)
  await release(house, unsigned)
  const unknown = await released()
  for (const expense of [inFlight, ...queued, reserved, unsigned, unknown]) await paid(expense)
  await treasury.worker.stop()
  return chainPaymentIdOf(house, unknown)
}

test('holds the lane, finds what was paid on the chain and continues after it', async () => {
  const known = await beforeTheBackup()
  await backUp()
  const lost = await afterTheBackup(known)
  const unsigned = await chainPaymentIdOf(house, known.unsigned)
  expect(await unrecorded(house)).toEqual({})
  const logs = await executions(house)
  expect(new Set(logs).size).toBe(8)
  const balance = await tokenBalance(house, house.recipient)

  await restore()
  await liftOwnersRowSecurity(treasury.service.database)
  const [last] = (await auditTrail(treasury.service.database, house.id)).toReversed()
  const afterSeq = last?.seq ?? 0
  expect(await laneInRows()).toEqual({ next_nonce: 2, is_held: false })
  for (const expense of known.queued) {
    expect((await readPayment(house, expense.paymentId)).payment.state).toBe('queued')
  }
  await treasury.worker.start()

  // Sent or queued in the backup: found without any action.
  for (const expense of [known.inFlight, ...known.queued]) await paid(expense)
  const actions = await actionsAfter(house, afterSeq)
  expect(actions).toContain('executor.held')
  expect(actions).not.toContain('payment.submitted')
  expect(actions).not.toContain('payment.failed')
  for (const expense of known.queued) {
    expect(await attemptsInRows(house, expense.paymentId)).toEqual([])
  }

  // Authorised in the backup: found as well. Those without a payment row are shown as unrecorded
  // until they have one.
  await paid(known.reserved)
  await untilUnrecorded(house, { [lost]: 'open', [unsigned]: 'open' })
  await submitSignature(house, known.unsigned, known.signature)
  await paid(known.unsigned)
  await untilUnrecorded(house, { [lost]: 'open', [unsigned]: 'recorded' })
  expect(await executions(house)).toEqual(logs)
  expect(await tokenBalance(house, house.recipient)).toBe(balance)
  for (const { id, paymentId } of [known.settled, known.inFlight, known.reserved]) {
    expect((await readExpense(house, id)).state).toBe('paid')
    expect((await readPayment(house, paymentId)).evidence.matches).toBe(true)
  }

  const next = await released()
  const { payment } = await expectPaidOnce(house, next, balance)
  expect(logs).not.toContain(payment.chainPaymentId)
  const [attempt] = await attemptsInRows(house, next.paymentId)
  expect(attempt?.nonce).toBe(8)
  expect(await laneInRows()).toEqual({ next_nonce: 9, is_held: false })
  expect(await actionsAfter(house, afterSeq)).toContain('executor.released')
})

test('finds a payment whose approval ended before the chain was read again', async () => {
  const before = await unrecorded(house)
  const reserved = await signed()
  await treasury.worker.stop()
  await backUp()
  await treasury.worker.start()
  await release(house, reserved)
  await paid(reserved)
  await treasury.worker.stop()
  await restore()
  await liftOwnersRowSecurity(treasury.service.database)
  const { approvalId } = (await readPayment(house, reserved.paymentId)).payment
  await treasury.service.database.asOwner(
    `update approvals set deadline = now() - interval '2 seconds' where id = $1`,
    [approvalId],
  )
  await expireApproval(treasury.service.ctx, { organizationId: house.id, approvalId })
  expect((await readExpense(house, reserved.id)).state).toBe('awaiting_approval')
  await treasury.worker.start()
  await paid(reserved)
  expect((await readPayment(house, reserved.paymentId)).evidence.matches).toBe(true)
  expect(await unrecorded(house)).toEqual(before)
})

test('finds a payment that was only reserved in the backup while nothing is queued', async () => {
  const before = await unrecorded(house)
  const reserved = await signed()
  await treasury.worker.stop()
  await backUp()
  await treasury.worker.start()
  await release(house, reserved)
  await paid(reserved)
  await treasury.worker.stop()
  await restore()
  await liftOwnersRowSecurity(treasury.service.database)
  expect((await readPayment(house, reserved.paymentId)).payment.state).toBe('reserved')
  await treasury.worker.start()
  await paid(reserved)
  expect(await unrecorded(house)).toEqual(before)
})
