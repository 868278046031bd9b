/** The view `live_payments` says which payments hold money, as `isLive` does for one payment. */
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { findHasLivePayment } from '#expenses/expenses.store.ts'
import { isLive, paymentMachine } from '#payments/payment.machine.ts'
import { statesOf } from '#platform/machine.ts'
import type { TestApp } from '#test/support/app.ts'
import { analyse, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { ask, USDC } from '#test/support/insiders.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { findHeld } from '#treasury/vaults.store.ts'

const AMOUNT = 70n * USDC

let service: TestApp
let house: ExpenseHouse
let organizationId: string
let paymentId: string

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openExpenseHouse(service)
  const { id, runId } = await ask(service, house, { amount: AMOUNT })
  await analyse(service, house, runId)
  organizationId = house.organization.id
  const [row] = await service.database.asOwner<{ id: string }>(
    'select id from payments where expense_id = $1',
    [id],
  )
  paymentId = row?.id ?? ''
})

const write = (state: string, hasOpenAttempt: boolean, code: string | null = null) =>
  service.database.asOwner(
    'update payments set state = $2, has_open_attempt = $3, block_code = $4 where id = $1',
    [paymentId, state, hasOpenAttempt, code],
  )

const heldIn = (scope: string) =>
  service.ctx.db.transaction({ organizationId: scope }, (tx) =>
    findHeld(tx, { organizationId, vaultId: house.vaultId }),
  )

const isPaymentLive = () =>
  service.ctx.db.transaction({ organizationId }, (tx) =>
    findHasLivePayment(tx, { organizationId, paymentId }),
  )

describe.each(statesOf(paymentMachine))('a payment that is %s', (state) => {
  test.each([false, true])('holds money as isLive says, open attempt: %s', async (isOpen) => {
    await write(state, isOpen)
    const live = isLive({ state, hasUnclearedAttempt: isOpen })
    const held = live ? { held: AMOUNT, heldCount: 1 } : { held: 0n, heldCount: 0 }
    expect(await heldIn(organizationId)).toMatchObject(held)
    expect(await isPaymentLive()).toBe(live)
  })
})

test('holds money when blocked with an open attempt, and none without one', async () => {
  await write('blocked', true)
  expect(await heldIn(organizationId)).toMatchObject({ held: AMOUNT, heldCount: 1 })
  await write('blocked', false)
  expect(await heldIn(organizationId)).toMatchObject({ held: 0n, heldCount: 0 })
})

test('keeps its expense when it may have been executed, though it holds no money', async () => {
  await write('blocked', false, 'payment_already_executed')
  expect(await isPaymentLive()).toBe(true)
  expect(await heldIn(organizationId)).toMatchObject({ held: 0n, heldCount: 0 })
})

test("shows no other organization's payments", async () => {
  await write('queued', false)
  const other = await openExpenseHouse(service)
  expect(await heldIn(other.organization.id)).toMatchObject({ held: 0n, heldCount: 0 })
  const { db } = service.ctx
  const seen = await db.transaction({ organizationId: other.organization.id }, (tx) =>
    tx.query(sql`select id from live_payments`),
  )
  expect(seen).toEqual([])
})
