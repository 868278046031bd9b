/** A worker carries out requests to release a payment exactly as requested, or not at all. */
import { beforeAll, expect, test, vi } from 'vitest'
import { requireSealedRows } from '#analysis/seal-existing.ts'
import { recheckPayments } from '#payments/block-payment.ts'
import { manualHouse, reservedIn } from '#test/http/manual-house.ts'
import { asOwner, writeStates } from '#test/support/lane-rows.ts'
import { runPaymentRequests } from '#test/support/payment-requests.ts'
import {
  approve,
  automaticReady,
  awaitingApproval,
  type PayingHouse,
  type ReadExpense,
  readPayment,
  release,
  renewPolicy,
} from '#test/support/payments.ts'
import type { Treasury } from '#test/support/treasury.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let treasury: Treasury
let house: PayingHouse

beforeAll(async () => {
  house = await manualHouse()
  treasury = house.treasury
})

const stateOf = async ({ paymentId }: ReadExpense) => {
  const { payment } = await readPayment(house, paymentId)
  return [payment.state, payment.blockCode]
}

/** Enqueues a member's request of that time, unknown to the test's worker. */
async function writeRequest({ paymentId }: ReadExpense, { step, age }: Record<string, string>) {
  const [row] = await asOwner<{ id: string }>(
    house,
    `insert into payment_requests (id, organization_id, payment_id, account_id, kind, step,
       payment_epoch, expected_version, created_at)
     select gen_random_uuid(), organization_id, id, $2, 'release', $3, epoch, 1,
       now() - $4::interval
     from payments where id = $1 returning id`,
    [paymentId, house.manager.accountId, step, age],
  )
  const payload = JSON.stringify({ organizationId: house.id, paymentRequestId: row?.id })
  await asOwner(house, `select graphile_worker.add_job('run_payment_request', $1::json)`, [payload])
  return vi.waitFor(async () => {
    const [request] = await asOwner<{ outcome: string | null }>(
      house,
      'select outcome from payment_requests where id = $1',
      [row?.id],
    )
    expect(request?.outcome).not.toBeNull()
    return request?.outcome
  }, 20_000)
}

test('a release is carried out, and the answer has the resulting state', async () => {
  const expense = await reservedIn(house)
  expect((await release(house, expense)).status).toBe(202)
  await runPaymentRequests(treasury.service, house.id)
  expect((await stateOf(expense))[0]).not.toBe('reserved')
})

test('a release is refused when it is older than ten minutes', async () => {
  const expense = await reservedIn(house)
  const outcome = await writeRequest(expense, { step: 'release', age: '11 minutes' })
  expect(outcome).toBe('state_conflict')
  expect(await stateOf(expense)).toEqual(['reserved', null])
})

test('a release is refused when the payment has changed since', async () => {
  const expense = await reservedIn(house)
  const outcome = await writeRequest(expense, { step: 'give_up', age: '1 second' })
  expect(outcome).toBe('state_conflict')
  expect(await stateOf(expense)).toEqual(['reserved', null])
})

test('an automatic payment that no worker sealed is blocked, not sealed again', async () => {
  const unsealed = await automaticReady(house)
  await asOwner(
    house,
    'update payments set policy_version = 0 + 1, mac = null, mac_key_id = null where id = $1',
    [unsealed.paymentId],
  )
  const logged = vi.spyOn(treasury.service.ctx.log, 'error')
  await renewPolicy(house)
  await recheckPayments(treasury.service.ctx, { organizationId: house.id, vaultId: house.vault.id })
  const about = { organizationId: house.id, paymentId: unsealed.paymentId }
  const incident = expect.objectContaining({ ...about, code: 'authorization_not_authentic' })
  expect(logged).toHaveBeenCalledWith(incident, 'a forged payment was blocked')
  logged.mockRestore()
  expect(await stateOf(unsealed)).toEqual(['blocked', 'authorization_not_authentic'])
  const again = await release(house, unsealed)
  expect([again.status, again.body.error.code]).toEqual([409, 'state_conflict'])
})

test('releasing an unsealed automatic payment again is 409 state_conflict', async () => {
  const unsealed = await automaticReady(house)
  const code = 'insufficient_balance'
  await writeStates(house, unsealed, { payment: 'blocked', expense: 'blocked', code })
  const forget = 'update payments set mac = null, mac_key_id = null where id = $1'
  await asOwner(house, forget, [unsealed.paymentId])
  const again = await release(house, unsealed)
  expect([again.status, again.body.error]).toEqual([
    409,
    expect.objectContaining({ message: expect.stringContaining('No worker has authorised') }),
  ])
  expect(await stateOf(unsealed)).toEqual(['blocked', code])
})

test('a worker refuses to start until reports without MACs are sealed', async () => {
  const expense = await awaitingApproval(house)
  await asOwner(house, 'delete from worker_keys')
  await asOwner(
    house,
    `update reports set mac = null, mac_key_id = null, created_at = now() - interval '1 year'
     where expense_id = $1`,
    [expense.id],
  )
  const { ctx } = treasury.service
  const production = { ...ctx, config: { ...ctx.config, production: true } }
  await expect(requireSealedRows(production)).rejects.toThrow('npm run keys -- seal')
  await requireSealedRows(ctx)
  expect((await approve(house, expense)).body.state).toBe('reserved')
  expect((await release(house, expense)).status).toBe(202)
  await vi.waitFor(async () => expect((await stateOf(expense))[0]).not.toBe('reserved'), 20_000)
  expect((await stateOf(expense))[1]).toBeNull()
})
