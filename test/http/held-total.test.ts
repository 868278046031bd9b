/** The running total of waiting payments agrees with their rows, whoever changes them at once. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tx } from '#platform/database/database.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { rowsTouched, vacuum } from '#test/support/many-rows.ts'
import { writeReservedPayments } from '#test/support/reserved-payments.ts'
import { liftOwnersRowSecurity, times } from '#test/support/steps.ts'
import { findHeld, type Held } from '#treasury/vaults.store.ts'

const MANY = 400

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp({ plansByValues: true })
  house = await openExpenseHouse(service)
  await liftOwnersRowSecurity(service.database)
  await writeReservedPayments(service, house, MANY)
})
afterAll(() => service.stop())

const inTenant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  service.ctx.db.transaction({ organizationId: house.organization.id }, work)

const keyOf = ({ organization, vaultId }: ExpenseHouse) => ({
  organizationId: organization.id,
  vaultId,
})

const held = () => inTenant((tx) => findHeld(tx, keyOf(house)))

const summed = () =>
  inTenant(async (tx) => {
    const [row] = await tx.query<Held>(sql`
      select coalesce(sum(amount), 0) as held, count(*) as "heldCount",
        coalesce(sum(amount) filter (where mode = 'automatic'), 0) as "heldAutomatic"
      from live_payments
      where organization_id = ${house.organization.id} and vault_id = ${house.vaultId}`)
    return row
  })

const STATES = ['reserved', 'queued', 'submitting', 'broadcast', 'blocked', 'failed', 'confirmed']

/** Moves some payments to another state, a few in each transaction. */
const shuffle = (seed: number) =>
  inTenant(async (tx) => {
    // In one order, so that none waits for another in a circle.
    const numbers = [seed * 7, seed * 3, seed * 11].map((n) => n % MANY)
    for (const n of numbers.sort((a, b) => a - b)) {
      const state = STATES[(seed + n) % STATES.length]
      await tx.query(sql`
        update payments set state = ${state}, amount = amount + 1,
          block_code = ${state === 'blocked' ? 'policy_violation' : null}
        where id = ('01900000-000f-7000-8000-' ||
          lpad(to_hex(${n}::integer), 12, '0'))::uuid`)
    }
    if (seed % 9 === 0) throw new Error('rolled back')
  }).catch((error: Error) => {
    if (error.message !== 'rolled back') throw error
  })

test('many reserved payments are one row to read', async () => {
  const sum = BigInt((MANY * (MANY + 1)) / 2)
  expect(await held()).toEqual({ held: sum, heldAutomatic: sum, heldCount: MANY })
})

test('transactions at the same time, some rolled back, leave the total right', async () => {
  for (const round of times(5, (n) => n)) {
    await Promise.all(times(30, (n) => shuffle(1 + round * 30 + n)))
    expect(await held()).toEqual(await summed())
  }
})

test('a change waits for nobody who holds the total', async () => {
  const counted = await held()
  const amountOf = sql`update payments set amount = amount + 1000
    where id = ${'01900000-000f-7000-8000-000000000190'}`
  await inTenant(async (tx) => {
    await tx.query(sql`update payments set state = 'reserved', block_code = null
      where id = ${'01900000-000f-7000-8000-00000000018f'}`)
    await tx.query(amountOf)
    // The transaction above still holds the row of the total.
    await inTenant((second) =>
      second.query(sql`update payments set state = 'failed'
        where id = ${'01900000-000f-7000-8000-00000000018e'}`),
    )
  })
  expect(await held()).toEqual(await summed())
  expect(await held()).not.toEqual(counted)
})

test('reading it touches few rows, however many payments wait', async () => {
  await service.database.asOwner(
    `update payments set state = 'reserved', block_code = null
     where id > '01900000-000f-7000-8000-000000000008' and organization_id = $1`,
    [house.organization.id],
  )
  await vacuum(service.database.asOwner, ['payments'])
  const rows = await inTenant((tx) =>
    rowsTouched(tx, (counting) => findHeld(counting, keyOf(house))),
  )
  expect(await held()).toEqual(await summed())
  expect(rows).toBeLessThan(100)
})
