/** The running totals of automatic payments agree with their rows, to the second. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AutomaticKey, findAutomaticStanding } from '#payments/automatic.store.ts'
import type { AutomaticStanding, AutomaticSums } from '#payments/automatic-limits.ts'
import type { Tx } from '#platform/database/database.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { addVault } from '#test/support/insiders.ts'
import { rowsTouched, vacuum } from '#test/support/many-rows.ts'
import { writeReservedPayments } from '#test/support/reserved-payments.ts'
import { liftOwnersRowSecurity, times } from '#test/support/steps.ts'

const MANY = 400
const OTHER_RECIPIENT = `0x${'cd'.repeat(20)}`

let service: TestApp
let house: ExpenseHouse
let secondVaultId: string

beforeAll(async () => {
  service = await startTestApp({ plansByValues: true })
  house = await openExpenseHouse(service)
  const recipientAddresses = [house.recipientAddress]
  secondVaultId = await addVault(service, house, { automaticCap: 1n, recipientAddresses })
  await liftOwnersRowSecurity(service.database)
  await writeReservedPayments(service, house, MANY)
})
afterAll(() => service.stop())

const inTenant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  service.ctx.db.transaction({ organizationId: house.organization.id }, work)

const change = (text: string) =>
  service.database.asOwner(`update payments set ${text} and organization_id = $1`, [
    house.organization.id,
  ])

const number = `('x' || right(id::text, 12))::bit(48)::bigint`
const idOf = (n: number) => `01900000-000f-7000-8000-${n.toString(16).padStart(12, '0')}`

const keyOf = (changes: Partial<AutomaticKey> = {}): AutomaticKey => ({
  organizationId: house.organization.id,
  paymentId: idOf(0),
  vaultId: house.vaultId,
  recipientAddress: house.recipientAddress.toLowerCase(),
  accountIds: [house.employee.accountId],
  ...changes,
})

type Sums = Pick<AutomaticStanding, 'day' | 'week'>

/** Row by row, as the limits are defined. */
async function summed(tx: Tx, key: AutomaticKey): Promise<Sums> {
  const since = (age: string) => sql`
    select coalesce(sum(amount) filter (where vault_id = ${key.vaultId}), 0) as vault,
      coalesce(sum(amount), 0) as organization,
      coalesce(sum(amount) filter (where vault_id = ${key.vaultId}
        and recipient_address = ${key.recipientAddress}), 0) as "recipientFromVault",
      coalesce(sum(amount) filter (where recipient_address = ${key.recipientAddress}), 0)
        as recipient
    from payments
    where organization_id = ${key.organizationId} and id <> ${key.paymentId}
      and mode = 'automatic' and authorised_at > now() - ${age}::interval
      and (state in
          ('reserved', 'queued', 'submitting', 'broadcast', 'reconciling', 'confirmed')
        or state = 'blocked' and has_open_attempt)`
  const [day] = await tx.query<AutomaticSums>(since('1 day'))
  const [week] = await tx.query<AutomaticSums>(since('7 days'))
  if (!day || !week) throw new Error('No sums')
  return { day, week }
}

/** In one transaction, in which the day and the week begin at the same moment for both. */
const bothWays = (key: AutomaticKey): Promise<{ found: Sums; expected: Sums }> =>
  inTenant(async (tx) => {
    const { day, week } = await findAutomaticStanding(tx, key)
    return { found: { day, week }, expected: await summed(tx, key) }
  })

async function expectAgreement(): Promise<Sums[]> {
  const keys = [
    keyOf(),
    keyOf({ recipientAddress: OTHER_RECIPIENT }),
    keyOf({ vaultId: secondVaultId }),
    keyOf({ vaultId: secondVaultId, recipientAddress: OTHER_RECIPIENT }),
    ...[1, 7, 130, 250, 399].map((n) => keyOf({ paymentId: idOf(n) })),
  ]
  // Of any age: a clock that was set back must not find less than there was.
  const sums = (from: string) =>
    service.database.asOwner(`select coalesce(sum(amount), 0)::text as sum ${from}`)
  expect(await sums(`from automatic_totals where recipient_address = ''`)).toEqual(
    await sums('from counted_payments'),
  )
  const all: Sums[] = []
  for (const key of keys) {
    const { found, expected } = await bothWays(key)
    expect(found, JSON.stringify(key)).toEqual(expected)
    all.push(found)
  }
  return all
}

test('reading them touches few rows, however many payments there are', async () => {
  await vacuum(service.database.asOwner, ['payments', 'automatic_totals'])
  const rows = await inTenant((tx) =>
    rowsTouched(tx, (read) => findAutomaticStanding(read, keyOf())),
  )
  expect(rows).toBeLessThan(100)
  await expectAgreement()
})

describe('the totals agree with the rows', () => {
  test('for payments of several vaults and recipients over twenty days', async () => {
    await change(`authorised_at = now() - ${number} * interval '20 days' / ${MANY} where true`)
    await change(`vault_id = '${secondVaultId}' where ${number} % 5 = 0`)
    await change(`recipient_address = '${OTHER_RECIPIENT}' where ${number} % 3 = 0`)
    const [first, ...others] = await expectAgreement()
    expect(first?.day.vault).toBeGreaterThan(0n)
    expect(first?.week.vault).toBeGreaterThan(first?.day.vault ?? 0n)
    expect(new Set(others.map(({ week }) => week.recipientFromVault)).size).toBeGreaterThan(4)
  })

  test('around the moment at which the day and the week begin', async () => {
    const ago = `case ${number} % 2 when 0 then interval '1 day' else interval '7 days' end`
    await change(`authorised_at = now() - ${ago} + (${number} - 200) * interval '10 s' where true`)
    const sums = await expectAgreement()
    expect(sums[0]?.day.organization).toBeGreaterThan(0n)
    expect(sums[0]?.week.organization).toBeLessThan(BigInt((MANY * (MANY + 1)) / 2))
  })

  test('after transactions at the same time, some of them rolled back', async () => {
    for (const round of times(4, (n) => n)) {
      await Promise.all(times(30, (n) => shuffle(1 + round * 30 + n)))
      await expectAgreement()
    }
  })

  test('after payments were deleted or became signed ones', async () => {
    // Without approvals, which the sums do not look at.
    await service.database.asOwner('alter table payments drop constraint payments_check')
    await change(`mode = 'approved' where ${number} % 7 = 0`)
    await service.database.asOwner(
      `delete from payments where organization_id = $1 and ${number} % 11 = 0`,
      [house.organization.id],
    )
    await expectAgreement()
    await change(`mode = 'automatic' where true`)
    await expectAgreement()
  })
})

const STATES = ['reserved', 'submitting', 'blocked', 'failed', 'confirmed', 'queued']

/** Moves some payments to another state, a few in each transaction. */
const shuffle = (seed: number) =>
  inTenant(async (tx) => {
    // In one order, so that none waits for another in a circle.
    const numbers = [seed * 7, seed * 3, seed * 11].map((n) => n % MANY)
    for (const n of numbers.sort((a, b) => a - b)) {
      const state = STATES[(seed + n) % STATES.length]
      await tx.query(sql`
        update payments set state = ${state}, amount = amount + 1,
          has_open_attempt = ${n % 2 === 0},
          block_code = ${state === 'blocked' ? 'policy_violation' : null}
        where id = ${idOf(n)}`)
    }
    if (seed % 9 === 0) throw new Error('rolled back')
  }).catch((error: Error) => {
    if (error.message !== 'rolled back') throw error
  })

test('a change waits for nobody who holds a total', async () => {
  await change(`authorised_at = now(), state = 'reserved', block_code = null where true`)
  const blocking = (n: number) => sql`
    update payments set state = 'blocked', block_code = 'policy_violation',
      has_open_attempt = false where id = ${idOf(n)}`
  await inTenant(async (tx) => {
    await tx.query(blocking(1))
    await inTenant((second) => second.query(blocking(2)))
  })
  await expectAgreement()
})

test('the observer reads what counts, and the totals', async () => {
  for (const name of ['counted_payments', 'automatic_totals']) {
    const [row] = await service.ctx.observerDb.query<{ sum: bigint }>(
      sql([`select sum(amount) as sum from ${name}`]),
    )
    expect(row?.sum).toBeGreaterThan(0n)
  }
})

test('totals that no limit looks at any more are deleted as new ones are written', async () => {
  const { asOwner } = service.database
  await asOwner('delete from automatic_totals')
  await asOwner(
    `insert into automatic_totals (organization_id, vault_id, recipient_address, bucket, amount)
     select $1, $2, '', bucket_of(now() - n * interval '31 days'), 1 from generate_series(1, 7) n`,
    [house.organization.id, house.vaultId],
  )
  await change(`authorised_at = now() - interval '2 hours' where id = '${idOf(3)}'`)
  const old = `select from automatic_totals where bucket < now() - interval '30 days'`
  expect(await asOwner(old)).toEqual([])
})

test.each([
  'update automatic_totals set amount = 0',
  'delete from automatic_totals',
  `insert into automatic_totals (organization_id, vault_id, recipient_address, bucket, amount)
   select organization_id, id, '', now(), -1 from vaults`,
])("the service's login cannot change them: %s", async (text) => {
  await expect(inTenant((tx) => tx.query(sql([text])))).rejects.toThrow('permission denied')
})
