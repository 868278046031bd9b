/** A worker releases a reserved payment only after every signature was checked. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { releaseReserved } from '#payments/review-release.ts'
import { AppError } from '#platform/errors.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { openSigningHouse, signAs } from '#test/support/signing.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let key: { organizationId: string; paymentId: string }

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
  const house = await openSigningHouse(service)
  const expense = await expenseIn(service, house, 'awaiting_approval')
  expect((await signAs(service, house, expense, house.signer)).status).toBe(202)
  key = { organizationId: house.organization.id, paymentId: expense.paymentId }
  const { asOwner } = service.database
  await asOwner(`update payments set state = 'reserved' where id = $1`, [key.paymentId])
  // Not by the approver's key, so that only the chain can tell whether it is valid.
  await asOwner(`update payment_signatures set signature = $1`, [`0x${'11'.repeat(65)}`])
})
afterAll(() => service.stop())

beforeEach(() => service.database.asOwner('delete from graphile_worker._private_jobs'))

const release = (isValidSignature: () => Promise<boolean>) =>
  releaseReserved({ ...service.ctx, chain: { ...service.ctx.chain, isValidSignature } }, key)

const stateAndJob = async () => {
  const { asOwner } = service.database
  const [payment] = await asOwner('select state from payments where id = $1', [key.paymentId])
  const jobs = await asOwner(
    'select run_at > now() as "isLater" from graphile_worker.jobs where key = $1',
    [`release_payment:${key.paymentId}`],
  )
  return { ...payment, jobs }
}

test('a chain that is unavailable leaves it reserved, to be checked again soon', async () => {
  await release(() => Promise.reject(new AppError('dependency_unavailable')))
  expect(await stateAndJob()).toEqual({ state: 'reserved', jobs: [{ isLater: true }] })
})

test('another failure ends the job, which the queue then reports and repeats', async () => {
  await expect(release(() => Promise.reject(new Error('not a signature')))).rejects.toThrow(
    'not a signature',
  )
  expect(await stateAndJob()).toEqual({ state: 'reserved', jobs: [] })
})

test('a signature that the chain refuses is never released', async () => {
  await release(() => Promise.resolve(false))
  expect(await stateAndJob()).toMatchObject({ state: 'blocked', jobs: [] })
})
