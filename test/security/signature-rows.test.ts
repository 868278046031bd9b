/** What a database login of the API role can do about the number of signatures of a payment. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { enqueueRelease } from '#payments/release-payment.ts'
import { executions } from '#test/support/past-the-service.ts'
import {
  approve,
  awaitingApproval,
  joinApprover,
  openPayingHouse,
  type PayingHouse,
  prepareAndSign,
  type ReadExpense,
  readPayment,
  renewPolicy,
} from '#test/support/payments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

let treasury: Treasury
let house: PayingHouse
let second: Awaited<ReturnType<typeof joinApprover>>

beforeAll(async () => {
  treasury = await startTreasury()
  await liftOwnersRowSecurity(treasury.service.database)
  const caps = { lifetimeCap: '900000000' }
  house = await openPayingHouse(treasury, { deposited: 400_000_000n, policy: caps })
  second = await joinApprover(house)
  await renewPolicy(house, { ...caps, tiers: [{ above: '20000000', approvals: 2 }] })
})
afterAll(() => treasury.stop())

const asApi = (text: string) =>
  treasury.service.api.db.transaction({ organizationId: house.id }, (tx) => tx.query(sql([text])))

const refused = { code: '42501' }

let counter = 0

/** A payment that lacks one of two signatures. */
async function halfSigned(): Promise<ReadExpense> {
  counter += 1
  const expense = await awaitingApproval(house, { amountBaseUnits: String(21_000_000 + counter) })
  expect((await approve(house, expense)).body.state).toBe('reserved')
  return expense
}

/** As a stolen login of the API would: it may queue jobs. */
const enqueue = ({ paymentId }: ReadExpense) =>
  treasury.service.api.db.transaction({ organizationId: house.id }, (tx) =>
    enqueueRelease(tx, { organizationId: house.id, paymentId }),
  )

async function expectBlocked({ paymentId }: ReadExpense, code: string): Promise<void> {
  const state = async () => (await readPayment(house, paymentId)).payment.state
  await expect.poll(state, { timeout: 30_000 }).toBe('blocked')
  const { payment, attempts } = await readPayment(house, paymentId)
  expect([payment.blockCode, attempts]).toEqual([code, []])
  expect(await executions(house)).not.toContain(payment.chainPaymentId)
}

const insertSignature = (
  { paymentId }: ReadExpense,
  {
    approvalId,
    epoch = '(select epoch from payments where id = s.payment_id)',
    signature = 's.signature',
  }: { approvalId: string; epoch?: string; signature?: string },
) =>
  asApi(`insert into payment_signatures
    select distinct s.organization_id, s.payment_id, ${epoch}, a.id, a.account_id,
      a.approver_address, a.digest, ${signature}
    from payment_signatures s, approvals a
    where s.payment_id = '${paymentId}' and a.id = '${approvalId}'`)

describe('signatures of a payment', () => {
  test.each(["signature = '0x00'", 'epoch = epoch + 1', 'account_id = account_id'])(
    'cannot be updated with the API role: %s',
    async (change) => {
      const update = `update payment_signatures set ${change}`
      await expect(asApi(update)).rejects.toMatchObject(refused)
    },
  )

  test('cannot be deleted with the API role', async () => {
    await expect(asApi('delete from payment_signatures')).rejects.toMatchObject(refused)
  })

  test('cannot be added for another reservation or to a payment that is queued', async () => {
    const expense = await halfSigned()
    const { approvalId } = await prepareAndSign(house, expense, second)
    const later = insertSignature(expense, { approvalId, epoch: '9' })
    await expect(later).rejects.toMatchObject(refused)
    const other = await awaitingApproval(house, { amountBaseUnits: '1000000' })
    expect((await approve(house, other)).body.state).toBe('queued')
    await expect(insertSignature(other, { approvalId })).rejects.toMatchObject(refused)
  })

  test('of the same approver or person cannot be added twice', async () => {
    const expense = await halfSigned()
    const { payment } = await readPayment(house, expense.paymentId)
    const again = insertSignature(expense, { approvalId: payment.approvalId })
    await expect(again).rejects.toMatchObject({ code: '23505' })
  })
})

describe('a payment that lacks a signature', () => {
  test('stays reserved when its release is queued', async () => {
    const expense = await halfSigned()
    await enqueue(expense)
    const isDone = () =>
      treasury.service.database.asOwner('select 1 from graphile_worker.jobs where key = $1', [
        `release_payment:${expense.paymentId}`,
      ])
    await expect.poll(isDone, { timeout: 20_000 }).toEqual([])
    expect((await readPayment(house, expense.paymentId)).payment.state).toBe('reserved')
  })

  test('cannot be made to need fewer while it is reserved', async () => {
    const { paymentId } = await halfSigned()
    const update = `update payments set required_approvals = 1 where id = '${paymentId}'`
    await expect(asApi(update)).rejects.toMatchObject(refused)
  })

  test('is blocked by the worker where it was reserved again with fewer', async () => {
    const expense = await halfSigned()
    const where = `where id = '${expense.paymentId}'`
    await asApi(`update payments set state = 'blocked', block_code = 'approval_expired' ${where}`)
    await asApi(`update payments set required_approvals = 1 ${where}`)
    await asApi(`update payments set state = 'reserved', block_code = null ${where}`)
    await enqueue(expense)
    await expectBlocked(expense, 'approval_count_mismatch')
  })

  test('is blocked as forged with a signature that the second approver did not make', async () => {
    const expense = await halfSigned()
    const { approvalId } = await prepareAndSign(house, expense, second)
    await insertSignature(expense, { approvalId })
    await enqueue(expense)
    await expectBlocked(expense, 'signature_not_authentic')
  })

  test('is blocked where the second approval was never submitted', async () => {
    const expense = await halfSigned()
    const { approvalId, signature } = await prepareAndSign(house, expense, second)
    await insertSignature(expense, { approvalId, signature: `'${signature}'` })
    await enqueue(expense)
    await expectBlocked(expense, 'approval_prepared')
  })
})
