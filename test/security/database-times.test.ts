/** The application's database login cannot set the times that spending rules use. */
import pg from 'pg'
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '#test/support/app.ts'
import { analyse, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { ask, USDC } from '#test/support/insiders.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let paid: { id: string }

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openExpenseHouse(service)
  const { id, runId } = await ask(service, house, { amount: 20n * USDC })
  await analyse(service, house, runId)
  paid = { id }
})

/** Runs one statement as the application's role in the organization's scope. */
async function asApplication(text: string, values: unknown[] = []) {
  const client = new pg.Client({
    connectionString: service.database.url,
    options: '-c search_path=countersign',
  })
  await client.connect()
  try {
    await client.query('begin')
    await client.query('set local role countersign_app')
    await client.query(`select set_config('app.organization', $1, true)`, [house.organization.id])
    const { rows } = await client.query(text, values)
    await client.query('commit')
    return rows
  } finally {
    await client.end()
  }
}

const LONG_AGO = '2020-01-01T00:00:00Z'

describe('the time of a row', () => {
  test('is now for a membership, an expense and a revision, whatever is written', async () => {
    const { accountId } = await service.signIn()
    const values = [house.organization.id, accountId, LONG_AGO]
    const member = await asApplication(
      `insert into memberships (id, organization_id, account_id, role, state, created_at,
         recorded_at)
       values (gen_random_uuid(), $1, $2, 'employee', 'active', $3, $3)
       returning recorded_at > now() - interval '1 minute' as "isNow"`,
      values,
    )
    expect(member).toEqual([{ isNow: true }])
    const expense = await asApplication(
      `insert into expenses (id, organization_id, submitter_account_id, payment_id,
         current_revision, state, created_at, updated_at, recorded_at)
       values (gen_random_uuid(), $1, $2, gen_random_uuid(), 1, 'draft', $3, $3, $3)
       returning recorded_at > now() - interval '1 minute' as "isNow"`,
      values,
    )
    expect(expense).toEqual([{ isNow: true }])
    const revision = await asApplication(
      `insert into expense_revisions (organization_id, expense_id, revision, vault_id,
         recipient_id, recipient_label, recipient_address, amount, requested_mode, purpose,
         purpose_key, version_hash, author_account_id, created_at, recorded_at)
       select organization_id, expense_id, 99, vault_id, recipient_id, recipient_label,
         recipient_address, amount, requested_mode, purpose, purpose_key, version_hash,
         author_account_id, $2, $2
       from expense_revisions where expense_id = $1
       returning recorded_at > now() - interval '1 minute' as "isNow"`,
      [paid.id, LONG_AGO],
    )
    expect(revision).toEqual([{ isNow: true }])
  })

  test.each([
    ['memberships', 'recorded_at'],
    ['expenses', 'recorded_at'],
    ['expense_revisions', 'recorded_at'],
    ['payments', 'authorised_at'],
    ['wallet_links', 'linked_at'],
  ])('of %s cannot be changed: the role may not update %s', async (table, column) => {
    await expect(asApplication(`update ${table} set ${column} = $1`, [LONG_AGO])).rejects.toThrow(
      `permission denied for table ${table}`,
    )
  })

  test('of a membership is now when it becomes active again', async () => {
    const { id: organizationId } = house.organization
    const { asOwner } = service.database
    const where = 'where organization_id = $1 and account_id = $2'
    const whose = [organizationId, house.manager.accountId]
    await asOwner(`update memberships set state = 'revoked', revoked_at = now() ${where}`, whose)
    await asOwner(`update memberships set recorded_at = '${LONG_AGO}' ${where}`, whose)
    const [row] = await asApplication(
      `update memberships set state = 'active', revoked_at = null ${where}
       returning recorded_at > now() - interval '1 minute' as "isNow"`,
      whose,
    )
    expect(row).toEqual({ isNow: true })
  })

  test('of an authorisation is now when a blocked payment is reserved again', async () => {
    const { id: organizationId } = house.organization
    await service.database.asOwner(
      `update payments set state = 'blocked', authorised_at = $2 where organization_id = $1`,
      [organizationId, LONG_AGO],
    )
    const [row] = await service.ctx.db.transaction({ organizationId }, (tx) =>
      tx.query(sql`
        update payments set state = 'reserved' where organization_id = ${organizationId}
        returning authorised_at > now() - interval '1 minute' as "isNow"`),
    )
    expect(row).toEqual({ isNow: true })
  })
})

describe('the record of linked wallets', () => {
  test('is written by the database and cannot be changed or emptied', async () => {
    const address = `0x${'ab'.repeat(20)}`
    const { accountId } = await service.signIn(undefined, [{ address, kind: 'external' }])
    const linked = () =>
      service.database.asOwner('select account_id from wallet_links where address = $1', [address])
    expect(await linked()).toEqual([{ account_id: accountId }])
    await expect(asApplication('delete from wallet_links')).rejects.toThrow('permission denied')
    await expect(
      asApplication('insert into wallet_links (address, account_id) values ($1, $2)', [
        `0x${'cd'.repeat(20)}`,
        accountId,
      ]),
    ).rejects.toThrow('permission denied')
    expect(await linked()).toHaveLength(1)
  })
})
