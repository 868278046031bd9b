/** Reading a payment returns one snapshot, even when it is confirmed in between. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPayment } from '#payments/read-payments.ts'
import { beforeQuestion } from '#test/support/between-questions.ts'
import { type FaultyTreasury, startFaultyTreasury, withhold } from '#test/support/faulty-nodes.ts'
import { untilPayment } from '#test/support/paid-once.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
} from '#test/support/payments.ts'

let treasury: FaultyTreasury
let house: PayingHouse

beforeAll(async () => {
  treasury = await startFaultyTreasury()
  house = await openPayingHouse(treasury)
})
afterAll(() => treasury.stop())

test.each([1, 2, 3, 4])(
  'returns state and receipt from one snapshot when it is confirmed before query %i',
  async (place) => {
    const withheld = withhold(treasury)
    const expense = await awaitingApproval(house)
    const { paymentId } = expense
    expect((await approve(house, expense)).status).toBe(202)
    await untilPayment(house, paymentId, 'broadcast')
    const { ctx } = treasury.service
    const { db, hasHappened } = beforeQuestion(ctx.db, place, async () => {
      await withheld.deliver(withheld.raws[0])
      await untilPayment(house, paymentId, 'confirmed')
    })
    const member = {
      organizationId: house.id,
      membershipId: house.ownerMembershipId,
      accountId: house.owner.accountId,
      role: 'owner' as const,
      requestId: 'a-test',
    }
    const { payment, receipt, attempts, evidence } = await readPayment(
      { db },
      { member, paymentId },
    )
    expect(hasHappened()).toBe(true)
    const isConfirmed = payment.state === 'confirmed'
    expect([receipt !== null, evidence?.matches]).toEqual([isConfirmed, isConfirmed])
    expect(attempts.map(({ state }) => state)).toEqual([isConfirmed ? 'mined' : 'sent'])
    await untilPayment(house, paymentId, 'confirmed')
  },
)
