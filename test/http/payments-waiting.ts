/** Automatic payments that wait for a policy change or until their deadline. */
import { beforeAll, expect, test } from 'vitest'
import { expirePayment, recheckPayments } from '#payments/block-payment.ts'
import { lockPayment } from '#payments/payments.store.ts'
import { sealed } from '#payments/reserve-payment.ts'
import { manualHouse } from '#test/http/manual-house.ts'
import { asOwner, untilLaneRests } from '#test/support/lane-rows.ts'
import { expectPaidOnce } from '#test/support/paid-once.ts'
import {
  automaticReady,
  type PayingHouse,
  readExpense,
  readPayment,
  release,
  renewPolicy,
  tokenBalance,
} from '#test/support/payments.ts'
import { overviewOf, type Treasury } from '#test/support/treasury.ts'

let treasury: Treasury
let house: PayingHouse

beforeAll(async () => {
  house = await manualHouse()
  treasury = house.treasury
})

const allowance = async () => (await overviewOf(treasury, house)).remainingAllowanceBaseUnits

/** Seals the payment's current row as a worker would. */
async function seal(paymentId: string): Promise<void> {
  const { ctx } = treasury.service
  const key = { organizationId: house.id, paymentId }
  const payment = await ctx.db.transaction({ organizationId: house.id }, (tx) =>
    lockPayment(tx, key),
  )
  if (!payment) throw new Error('There is no payment')
  const { mac, keyId } = sealed(ctx, payment)
  const update = 'update payments set mac = $2, mac_key_id = $3 where id = $1'
  await asOwner(house, update, [paymentId, mac, keyId])
}

test('queued while the policy changes: renewed, and sent without any other event', async () => {
  const { policyVersion } = await renewPolicy(house)
  const expense = await automaticReady(house)
  const before = await tokenBalance(house, house.recipient)
  // Released before the new policy's job has processed it.
  const earlier = 'update payments set policy_version = policy_version - 1 where id = $1'
  await asOwner(house, earlier, [expense.paymentId])
  await seal(expense.paymentId)
  expect((await release(house, expense)).body.state).toBe('queued')
  await untilLaneRests(house)
  expect((await readPayment(house, expense.paymentId)).payment.state).toBe('queued')
  const vaultId = house.vault.id
  await recheckPayments(treasury.service.ctx, { organizationId: house.id, vaultId })
  const { payment } = await expectPaidOnce(house, expense, before)
  expect(payment.policyVersion).toBe(policyVersion)
})

test('a reservation ends at the deadline: the payment is blocked and its money freed', async () => {
  const { ctx } = treasury.service
  const left = await allowance()
  const expense = await automaticReady(house)
  const { paymentId } = expense
  const payload = { organizationId: house.id, paymentId }
  const amount = BigInt(expense.revision.amountBaseUnits)
  const setAside = (BigInt(left) - amount).toString()
  expect(await allowance()).toBe(setAside)

  const job = `expire_payment:${paymentId}`
  const planned = () =>
    asOwner<{ late: boolean }>(
      house,
      `select j.run_at >= p.deadline as late from graphile_worker.jobs j, payments p
       where j.key = $1 and p.id = $2`,
      [job, paymentId],
    )
  expect(await planned()).toEqual([{ late: true }])
  await asOwner(house, 'select graphile_worker.remove_job($1)', [job])
  await expirePayment(ctx, payload)
  expect(await planned()).toEqual([{ late: true }])
  expect((await readPayment(house, paymentId)).payment.state).toBe('reserved')
  expect(await allowance()).toBe(setAside)

  await asOwner(
    house,
    `update payments set deadline = date_trunc('second', now()) - interval '1 second'
     where id = $1`,
    [paymentId],
  )
  await seal(paymentId)
  await expirePayment(ctx, payload)
  const { payment } = await readPayment(house, paymentId)
  expect([payment.state, payment.blockCode]).toEqual(['blocked', 'deadline_passed'])
  expect((await readExpense(house, expense.id)).state).toBe('blocked')
  expect(await allowance()).toBe(left)
  // Reserved again with a later deadline.
  const before = await tokenBalance(house, house.recipient)
  expect((await release(house, expense)).body.state).toBe('queued')
  await expectPaidOnce(house, expense, before)
})
