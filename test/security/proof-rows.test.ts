/** Ledger proof and executor notice rows stay in their tenant. */
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

const asApplication = (text: string): Promise<Record<string, unknown>[]> =>
  service.ctx.db.transaction({ organizationId: a.organization.id }, (tx) => tx.query(sql([text])))

test.each([
  ['ledger_proofs', "set state = 'claimed'"],
  ['ledger_proofs', "set evidence_json = ''"],
  ['executor_health', "set severity = 'degraded'"],
])('no row of another organization can be changed: %s %s', async (table, change) => {
  const before = await fingerprint()
  const where = `where organization_id = '${b.organization.id}' returning organization_id`
  expect(await asApplication(`update ${table} ${change} ${where}`)).toEqual([])
  expect(await fingerprint()).toEqual(before)
})

test('no row can be inserted into another organization', async () => {
  const statement = `insert into executor_health (organization_id, severity, changed_at)
    values ('${b.organization.id}', 'healthy', now())`
  await expect(asApplication(statement)).rejects.toMatchObject({ code: '42501' })
})

describe("the application's role may not", () => {
  test.each([
    'delete from ledger_proofs',
    'update ledger_proofs set intent_json = intent_json',
    'update ledger_proofs set intent_hash = intent_hash',
    'update ledger_proofs set account_id = account_id',
    'update ledger_proofs set organization_id = organization_id',
    'delete from executor_health',
    'delete from service_health',
    'delete from health_rounds',
  ])('%s', async (statement) => {
    await expect(asApplication(statement)).rejects.toMatchObject({ code: '42501' })
  })
})

describe('the observer', () => {
  test('reads the proofs of all tenants and writes nothing', async () => {
    const { observerDb } = service.ctx
    const rows = await observerDb.query<{ id: string }>(sql`select id from ledger_proofs`)
    const ids = rows.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining([a.proofId, b.proofId]))
    const change = observerDb.query(sql`update service_health set severity = 'healthy'`)
    await expect(change).rejects.toThrow()
  })
})
