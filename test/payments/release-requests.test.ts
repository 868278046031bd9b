/** A member's request to release a payment, carried out by a worker; no chain is used. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findActiveBinding } from '#executor/executor.store.ts'
import { runPaymentRequest } from '#payments/run-payment-request.ts'
import { type Answer, startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { openSigningHouse, type SigningHouse, signAs } from '#test/support/signing.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp
let house: SigningHouse
let laneId: string

beforeAll(async () => {
  service = await startTestApp({ env: { PAYMENT_RELEASE: 'manual' } })
  await liftOwnersRowSecurity(service.database)
  house = await openSigningHouse(service)
  const { id: organizationId } = house.organization
  laneId = await service.ctx.db.transaction(
    { organizationId },
    async (tx) => (await findActiveBinding(tx, organizationId))?.id ?? '',
  )
})
afterAll(() => service.stop())

async function reserved(): Promise<Answer['body']> {
  const expense = await expenseIn(service, house, 'awaiting_approval')
  const signed = await signAs(service, house, expense, house.signer)
  expect(signed.body.state).toBe('reserved')
  await service.database.asOwner('delete from graphile_worker._private_jobs')
  return expense
}

const release = ({ id, currentRevision }: Answer['body'], token = house.manager.token) =>
  service.call('POST', `${house.organization.path}/expenses/${id}/payments`, {
    token,
    body: { expectedVersion: currentRevision },
  })

/** What a worker does with the newest request. */
async function carryOut({ paymentId }: Answer['body']): Promise<unknown> {
  const { asOwner } = service.database
  const newest = `select id, outcome, message from payment_requests
    where payment_id = $1 order by id desc limit 1`
  const [request] = await asOwner<{ id: string }>(newest, [paymentId])
  const organizationId = house.organization.id
  await runPaymentRequest(service.ctx, { organizationId, paymentRequestId: request?.id ?? '' })
  const [ended] = await asOwner<{ outcome: string }>(newest, [paymentId])
  return ended?.outcome
}

const rowOf = async ({ paymentId }: Answer['body']) =>
  (
    await service.database.asOwner(
      `select state, lane_id as "laneId", is_given_up as "isGivenUp", block_code as code
       from payments where id = $1`,
      [paymentId],
    )
  )[0]

const isLaneWoken = async () =>
  (
    await service.database.asOwner('select 1 from graphile_worker.jobs where key = $1', [
      `work_lane:${laneId}`,
    ])
  ).length === 1

/** Blocked with an attempt that may still be mined, as the engine leaves it. */
const block = ({ paymentId }: Answer['body'], code: string, hasOpenAttempt: boolean) =>
  service.database.asOwner(
    `update payments set state = 'blocked', block_code = $2, has_open_attempt = $3, lane_id = $4
     where id = $1`,
    [paymentId, code, hasOpenAttempt, laneId],
  )

test('a reserved payment is queued, and its lane is woken', async () => {
  const expense = await reserved()
  expect(outcome(await release(expense))).toBe('202')
  expect(await carryOut(expense)).toBe('done')
  expect(await rowOf(expense)).toMatchObject({ state: 'queued', laneId })
  expect(await isLaneWoken()).toBe(true)
})

test('a request that was carried out is not carried out again', async () => {
  const expense = await reserved()
  await release(expense)
  await carryOut(expense)
  await service.database.asOwner(`update payments set state = 'reserved' where id = $1`, [
    expense.paymentId,
  ])
  expect(await carryOut(expense)).toBe('done')
  expect(await rowOf(expense)).toMatchObject({ state: 'reserved' })
})

test('an attempt that cannot be found is given up, and the engine checks it again', async () => {
  const expense = await reserved()
  await block(expense, 'execution_not_found', true)
  expect(outcome(await release(expense))).toBe('202')
  expect(await carryOut(expense)).toBe('done')
  expect(await rowOf(expense)).toMatchObject({ state: 'reconciling', isGivenUp: true })
  expect(await isLaneWoken()).toBe(true)
})

test('an attempt that may be mined is left alone', async () => {
  const expense = await reserved()
  await block(expense, 'nodes_disagree', true)
  expect(outcome(await release(expense))).toBe('202')
  expect(await rowOf(expense)).toMatchObject({ state: 'blocked', isGivenUp: false })
  expect(await isLaneWoken()).toBe(false)
})

test.each<[string, string]>([
  ['after ten minutes', `created_at = now() - interval '10 minutes 1 second'`],
  ['when the payment has been reserved again', 'payment_epoch = payment_epoch + 1'],
  ['when it asked for another step', `step = 'give_up'`],
])('a request is refused %s', async (_name, change) => {
  const expense = await reserved()
  await release(expense)
  await service.database.asOwner(`update payment_requests set ${change} where payment_id = $1`, [
    expense.paymentId,
  ])
  expect(await carryOut(expense)).toBe('state_conflict')
  expect(await rowOf(expense)).toMatchObject({ state: 'reserved' })
  expect(await isLaneWoken()).toBe(false)
})

test.each<[string, string]>([
  ['has left', `state = 'revoked'`],
  ['is an employee now', `role = 'employee'`],
])('a request is refused when its member %s', async (_name, change) => {
  const expense = await reserved()
  await release(expense)
  const update = `update memberships set ${change} where account_id = $1`
  await service.database.asOwner(update, [house.manager.accountId])
  expect(await carryOut(expense)).toBe('forbidden')
  expect(await rowOf(expense)).toMatchObject({ state: 'reserved' })
  await service.database.asOwner(
    `update memberships set state = 'active', role = 'manager' where account_id = $1`,
    [house.manager.accountId],
  )
})
