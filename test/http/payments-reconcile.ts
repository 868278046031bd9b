/** POST payments/{paymentId}/reconcile, and what an open payment forbids. */
import { beforeAll, describe, expect, test } from 'vitest'
import { manualHouse, reservedIn } from '#test/http/manual-house.ts'
import type { Person } from '#test/support/app.ts'
import {
  type PayingHouse,
  type ReadExpense,
  readExpense,
  release,
  step,
  untilState,
} from '#test/support/payments.ts'
import { outcome } from '#test/support/steps.ts'
import type { Treasury } from '#test/support/treasury.ts'

let treasury: Treasury
let house: PayingHouse

beforeAll(async () => {
  house = await manualHouse()
  treasury = house.treasury
})

const NOBODYS = '00000000-0000-7000-8000-000000000000'

async function paid(): Promise<ReadExpense> {
  const expense = await reservedIn(house)
  expect((await release(house, expense)).status).toBe(202)
  return untilState(house, expense.id, 'paid')
}

describe('POST payments/{paymentId}/reconcile', () => {
  const reconcile = (paymentId: string, person: Person = house.manager, expectedVersion = 1) =>
    step(house, `payments/${paymentId}/reconcile`, { expectedVersion }, person)
  const write = (expense: ReadExpense, set: string) =>
    treasury.service.database.asOwner(`update payments set ${set} where id = $1`, [
      expense.paymentId,
    ])

  test('is 409 in states without a transaction to search for', async () => {
    const waiting = await reservedIn(house)
    expect(outcome(await reconcile(waiting.paymentId))).toBe('409 state_conflict')
    const done = await paid()
    expect(outcome(await reconcile(done.paymentId))).toBe('409 state_conflict')
    await write(waiting, `state = 'blocked', block_code = 'policy_paused'`)
    expect(outcome(await reconcile(waiting.paymentId))).toBe('409 state_conflict')
    await write(waiting, `state = 'failed', block_code = 'transaction_reverted'`)
    expect(outcome(await reconcile(waiting.paymentId))).toBe('409 state_conflict')
  })

  test('requires an owner or manager, the current version and an existing payment', async () => {
    const { paymentId } = await reservedIn(house)
    expect(outcome(await reconcile(paymentId, house.employee))).toBe('403 role_required')
    expect(outcome(await reconcile(paymentId, house.owner, 2))).toBe('409 version_conflict')
    expect(outcome(await reconcile(NOBODYS))).toBe('404 not_found')
    expect(outcome(await reconcile(paymentId, house.owner, 0))).toBe('400 validation_failed')
  })

  test.each(['submitting', 'broadcast', 'reconciling'])(
    'polls a payment that is %s',
    async (state) => {
      const expense = await reservedIn(house)
      const lane = '(select id from executor_bindings limit 1)'
      await write(expense, `state = '${state}', lane_id = ${lane}`)
      const { status, body } = await reconcile(expense.paymentId)
      expect([status, body.state]).toEqual([202, state])
      await write(expense, `state = 'blocked', lane_id = null`)
    },
  )

  test('resumes a blocked payment whose transaction may still be mined', async () => {
    const expense = await reservedIn(house)
    const lane = '(select id from executor_bindings limit 1)'
    await write(
      expense,
      `state = 'blocked', block_code = 'nodes_disagree', has_open_attempt = true,
         lane_id = ${lane}`,
    )
    await treasury.service.database.asOwner(
      `update expenses set state = 'blocked', block_code = 'nodes_disagree' where id = $1`,
      [expense.id],
    )
    // It can be neither released nor changed meanwhile.
    expect((await release(house, expense)).body.state).toBe('blocked')
    const { id } = expense
    const rejected = { expectedVersion: 1, action: 'reject', reason: 'Too late' }
    const refused = await step(house, `expenses/${id}/review`, rejected, house.manager)
    expect(outcome(refused)).toBe('409 state_conflict')
    const cancelled = await step(
      house,
      `expenses/${id}/cancel`,
      { expectedVersion: 1 },
      house.employee,
    )
    expect(outcome(cancelled)).toBe('409 state_conflict')
    const { status, body } = await reconcile(expense.paymentId)
    expect([status, body.state]).toEqual([202, 'reconciling'])
    expect((await readExpense(house, id)).state).toBe('reconciling')
    await write(expense, `state = 'blocked', has_open_attempt = false, lane_id = null`)
  })
})
