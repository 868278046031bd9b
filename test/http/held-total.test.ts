/** The running total of waiting payments agrees with their rows, whoever changes them at once. */
import sql, { raw } from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Tx } from '#platform/database/database.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { vacuum } from '#test/support/many-rows.ts'
import { liftOwnersRowSecurity, times } from '#test/support/steps.ts'
import { findHeld, type Held } from '#treasury/vaults.store.ts'

const MANY = 400

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp({ plansByValues: true })
  house = await openExpenseHouse(service)
  await liftOwnersRowSecurity(service.database)
  await writeReserved()
})
afterAll(() => service.stop())

const idAt = (kind: string) => `('01900000-${kind}-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`

async function writeReserved(): Promise<void> {
  const { organization, employee, vaultId, recipientId, recipientAddress } = house
  const hash = `'0x' || repeat('a', 64)`
  const rows = `from generate_series(1, ${MANY}) n`
  const { asOwner } = service.database
  await asOwner(
    `insert into expenses (id, organization_id, submitter_account_id, payment_id,
       current_revision, state, created_at, updated_at)
     select ${idAt('000e')}, $1, $2, ${idAt('000f')}, 1, 'automatic_ready_for_payment', now(), now()
     ${rows}`,
    [organization.id, employee.accountId],
  )
  await asOwner(
    `insert into expense_revisions (organization_id, expense_id, revision, vault_id, recipient_id,
       recipient_label, recipient_address, amount, requested_mode, purpose, purpose_key,
       version_hash, author_account_id, created_at)
     select $1, ${idAt('000e')}, 1, $2, $3, 'Acme', $4, n, 'automatic', 'Purpose ' || n,
       sha256(n::text::bytea), ${hash}, $5, now() ${rows}`,
    [organization.id, vaultId, recipientId, recipientAddress.toLowerCase(), employee.accountId],
  )
  await asOwner(
    `insert into agent_runs (id, organization_id, expense_id, expense_revision, state, created_at,
       updated_at)
     select ${idAt('000a')}, $1, ${idAt('000e')}, 1, 'succeeded', now(), now() ${rows}`,
    [organization.id],
  )
  await asOwner(
    `insert into reports (id, organization_id, expense_id, expense_revision, run_id, version,
       report_hash, output, created_at)
     select ${idAt('000b')}, $1, ${idAt('000e')}, 1, ${idAt('000a')}, 1, ${hash}, '{}', now()
     ${rows}`,
    [organization.id],
  )
  await asOwner(
    `insert into payments (id, organization_id, expense_id, expense_revision,
       expense_version_hash, vault_id, chain_payment_id, mode, recipient_address, token_address,
       amount, policy_version, report_id, report_hash, deadline, state, created_at, updated_at)
     select ${idAt('000f')}, $1, ${idAt('000e')}, 1, ${hash}, $2,
       '0x' || lpad(to_hex(n), 64, '0'), 'automatic', $3, $3, n, 1, ${idAt('000b')}, ${hash}, now(),
       'reserved', now(), now() ${rows}`,
    [organization.id, vaultId, recipientAddress.toLowerCase()],
  )
}

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

/** Moves some payments to another state, a few in each transaction, in any order. */
const shuffle = (seed: number) =>
  inTenant(async (tx) => {
    for (const n of [seed * 7, seed * 3, seed * 11]) {
      const state = STATES[(seed + n) % STATES.length]
      await tx.query(sql`
        update payments set state = ${state}, amount = amount + 1,
          block_code = ${state === 'blocked' ? 'policy_violation' : null}
        where id = ('01900000-000f-7000-8000-' ||
          lpad(to_hex(${n % MANY}::integer), 12, '0'))::uuid`)
    }
    if (seed % 9 === 0) throw new Error('rolled back')
  }).catch(() => {})

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
  type Node = { 'Actual Rows'?: number; 'Actual Loops'?: number; Plans?: Node[] }
  const touched = (node: Node): number =>
    (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 1) +
    (node.Plans ?? []).reduce((sum, part) => sum + touched(part), 0)
  const rows = await inTenant(async (tx) => {
    const plans: Node[] = []
    const explaining: Tx = {
      ...tx,
      query: async (statement) => {
        const explained = sql`${raw('explain (analyze, format json) ')}${statement}`
        const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Node }[] }>(explained)
        if (row?.['QUERY PLAN'][0]) plans.push(row['QUERY PLAN'][0].Plan)
        return tx.query(statement)
      },
    }
    await findHeld(explaining, keyOf(house))
    return plans.reduce((sum, plan) => sum + touched(plan), 0)
  })
  expect(await held()).toEqual(await summed())
  expect(rows).toBeLessThan(100)
})
