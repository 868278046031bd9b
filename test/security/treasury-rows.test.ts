/** Treasury rows stay in their tenant, and only permitted changes are possible. */
import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFingerprint, type Fingerprint } from '#test/security/dump.ts'
import { type House, house } from '#test/security/house.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'

let service: TestApp
let a: House
let b: House
let fingerprint: () => Promise<Fingerprint>

beforeAll(async () => {
  service = await startTestApp()
  a = await house(service)
  b = await house(service)
  fingerprint = await createFingerprint(service.database)
})
afterAll(() => service.stop())

type Scope = { organizationId?: string; vaultAddress?: string }

const asApplication = (scope: Scope, text: string): Promise<Record<string, unknown>[]> =>
  service.ctx.db.transaction(scope, (tx) => tx.query(sql([text])))

const scopeA = (): Scope => ({ organizationId: a.organization.id })

describe('in the scope of one organization', () => {
  test.each([
    ['vaults', "set state = 'disabled'"],
    ['vaults', 'set balance = 0'],
    ['vault_deployments', "set state = 'failed'"],
    ['policy_intents', "set state = 'failed'"],
    ['policies', "set revoked_approvers = '[]'"],
    ['executor_bindings', "set state = 'disabled'"],
    ['executor_provisionings', "set state = 'failed'"],
  ])('no row of another organization can be changed: %s %s', async (table, change) => {
    const before = await fingerprint()
    const where = `where organization_id = '${b.organization.id}' returning organization_id`
    expect(await asApplication(scopeA(), `update ${table} ${change} ${where}`)).toEqual([])
    expect(await fingerprint()).toEqual(before)
  })

  test.each([
    ...['policies', 'vault_payments', 'vault_recipients', 'vault_recipient_logs', 'vault_pauses'],
  ])('no row of another organization can be removed: %s', async (table) => {
    const before = await fingerprint()
    const where = `where organization_id = '${b.organization.id}' returning organization_id`
    expect(await asApplication(scopeA(), `delete from ${table} ${where}`)).toEqual([])
    expect(await fingerprint()).toEqual(before)
  })

  test.each([
    ['vaults', 'id, organization_id'],
    ['executor_provisionings', 'id, organization_id'],
    ['vault_payments', 'vault_id, organization_id'],
  ])('no row can be inserted into another organization: %s', async (table, columns) => {
    const values = `'${b.vaultId}', '${b.organization.id}'`
    const statement = `insert into ${table} (${columns}) values (${values})`
    await expect(asApplication(scopeA(), statement)).rejects.toMatchObject({
      code: expect.stringMatching(/^42501$|^23502$/),
    })
  })

  test("a policy cannot reference another organization's vault", async () => {
    const statement = `
      insert into policies (id, organization_id, vault_id, version, executor_address,
        approver_addresses, approved_cap, automatic_cap, lifetime_cap, reserve_floor, expires_at,
        automatic_enabled, paused, chain_transaction_hash, block_number, block_time, created_at)
      values ('${service.ctx.ids.next()}', '${a.organization.id}', '${b.vaultId}', 1, '', '{}', 1,
        1, 1, 0, now(), true, false, '', 1, now(), now())`
    await expect(asApplication(scopeA(), statement)).rejects.toMatchObject({ code: '23503' })
  })
})

describe("the application's role may not", () => {
  test.each([
    'delete from vaults',
    'delete from vault_deployments',
    'delete from policy_intents',
    'delete from executor_bindings',
    'update vaults set address = address',
    'update vaults set organization_id = organization_id',
    'update vaults set token_address = token_address',
    'update policies set lifetime_cap = lifetime_cap',
    'update policies set tiers = tiers',
    'update vault_payments set amount = amount',
    'update vault_deployments set transaction = transaction',
    'update policy_intents set transaction = transaction',
    'update policy_intents set changes = changes',
    'update policy_intents set recipients_added = recipients_added',
    'update vault_recipients set blocked = blocked',
    'update vault_recipient_logs set kind = kind',
    'update vault_pauses set paused = paused',
    'update executor_bindings set address = address',
    'update executor_bindings set provider_reference = provider_reference',
    'update organizations set salt = salt',
  ])('%s', async (statement) => {
    await expect(asApplication(scopeA(), statement)).rejects.toMatchObject({ code: '42501' })
  })
})

describe('in the scope of a vault address', () => {
  const addressOf = async ({ organization }: House): Promise<string> => {
    const [row] = await service.database.asOwner<{ address: string }>(
      'select address from vaults where organization_id = $1 and is_default',
      [organization.id],
    )
    return row?.address ?? ''
  }

  test('only that vault is visible', async () => {
    const vaultAddress = await addressOf(a)
    const seen = await asApplication({ vaultAddress }, 'select address from vaults')
    expect(seen).toEqual([{ address: vaultAddress }])
    for (const table of ['policies', 'vault_payments', 'policy_intents', 'executor_bindings']) {
      const rows = await asApplication({ vaultAddress }, `select organization_id from ${table}`)
      expect(rows, table).toEqual([])
    }
  })

  test('it cannot be changed', async () => {
    const vaultAddress = await addressOf(a)
    const before = await fingerprint()
    const change = asApplication({ vaultAddress }, 'update vaults set balance = 1')
    await expect(change).rejects.toMatchObject({ code: '42501' })
    expect(await fingerprint()).toEqual(before)
  })

  test('an unverified claim is not visible', async () => {
    const vaultAddress = `0x${randomBytes(20).toString('hex')}`
    await service.database.asOwner(
      `insert into vaults select (jsonb_populate_record(v, jsonb_build_object('id', $1::text,
         'address', $2::text, 'state', 'pending', 'is_default', false))).*
       from vaults v where organization_id = $3 and is_default`,
      [service.ctx.ids.next(), vaultAddress, a.organization.id],
    )
    expect(await asApplication({ vaultAddress }, 'select address from vaults')).toEqual([])
  })
})
