/** Expense and analysis rows stay in their tenant, and only permitted changes are possible. */
import { randomUUID } from 'node:crypto'
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

const tables = [
  ...['expenses', 'expense_revisions', 'expense_comments', 'expense_reviews', 'agent_runs'],
  'reports',
]

type Scope = { organizationId?: string; accountId?: string }

const asApplication = (scope: Scope, text: string): Promise<Record<string, unknown>[]> =>
  service.ctx.db.transaction(scope, (tx) => tx.query(sql([text])))

const scopeA = (): Scope => ({ organizationId: a.organization.id })

/** An insert of the row without columns that the database computes. */
async function insertOf(table: string, json: string): Promise<string> {
  const [row] = await service.database.asOwner<{ names: string }>(
    `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
     where table_schema = 'countersign' and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  )
  return `insert into ${table} (${row?.names}) select ${row?.names}
    from jsonb_populate_record(null::${table}, '${json.replaceAll("'", "''")}')`
}

/** Copies a row of one organization as the other's: every value is valid. */
async function copied(table: string, change: Record<string, string>): Promise<string> {
  const [row] = await service.database.asOwner<{ row: string }>(
    `select (to_jsonb(t) || $2::jsonb)::text as row from ${table} t
     where organization_id = $1 limit 1`,
    [b.organization.id, JSON.stringify(change)],
  )
  return insertOf(table, row?.row ?? '')
}

const key = (table: string): Record<string, string> =>
  table === 'expense_revisions' ? { revision: '2' } : { id: randomUUID() }

describe('in the scope of one organization', () => {
  test.each(tables)('no row of another organization is visible: %s', async (table) => {
    const of = `select distinct organization_id as id from ${table}`
    expect(await asApplication(scopeA(), of)).toEqual([{ id: a.organization.id }])
    expect(await asApplication({}, of)).toEqual([])
    expect(await asApplication({ accountId: a.employee.accountId }, of)).toEqual([])
  })

  test.each([
    ['expenses', "set state = 'paid'"],
    ['expenses', 'set current_revision = 7'],
    ['expenses', 'set current_report_id = null'],
    ['agent_runs', "set state = 'failed'"],
    ['agent_runs', 'set lease_epoch = 7'],
  ])('no row of another organization can be changed: %s %s', async (table, change) => {
    const before = await fingerprint()
    const where = `where organization_id = '${b.organization.id}' returning organization_id`
    expect(await asApplication(scopeA(), `update ${table} ${change} ${where}`)).toEqual([])
    expect(await fingerprint()).toEqual(before)
  })

  test.each(tables)('no row can be inserted into another organization: %s', async (table) => {
    const before = await fingerprint()
    const statement = await copied(table, key(table))
    await expect(asApplication(scopeA(), statement)).rejects.toMatchObject({
      code: '42501',
      message: expect.stringContaining('row-level security'),
    })
    expect(await fingerprint()).toEqual(before)
  })

  test.each(tables.filter((table) => table !== 'expenses'))(
    "no row can reference another organization's row: %s",
    async (table) => {
      const before = await fingerprint()
      const own = { ...key(table), organization_id: a.organization.id }
      const statement = await copied(table, own)
      await expect(asApplication(scopeA(), statement)).rejects.toMatchObject({ code: '23503' })
      expect(await fingerprint()).toEqual(before)
    },
  )

  test.each(['vault_id', 'recipient_id'])(
    'a revision cannot reference the %s of another organization',
    async (column) => {
      const [mine] = await service.database.asOwner<{ row: string }>(
        `select (to_jsonb(r) || jsonb_build_object('revision', 2, '${column}', o.${column}))::text
           as row
         from expense_revisions r, expense_revisions o
         where r.organization_id = $1 and o.organization_id = $2 limit 1`,
        [a.organization.id, b.organization.id],
      )
      const statement = await insertOf('expense_revisions', mine?.row ?? '')
      await expect(asApplication(scopeA(), statement)).rejects.toMatchObject({ code: '23503' })
    },
  )

  test("an expense cannot reference another organization's report", async () => {
    const before = await fingerprint()
    const statement = `update expenses set current_report_id = '${b.reportId}'
      where id = '${a.reportedExpenseId}'`
    await expect(asApplication(scopeA(), statement)).rejects.toMatchObject({ code: '23503' })
    expect(await fingerprint()).toEqual(before)
  })
})

describe("the application's role may not", () => {
  test.each([
    ...tables.map((table) => `delete from ${table}`),
    ...tables.map((table) => `truncate ${table} cascade`),
    ...tables.map((table) => `update ${table} set organization_id = organization_id`),
    ...tables.map((table) => `update ${table} set created_at = created_at`),
    'update expenses set payment_id = payment_id',
    'update expenses set submitter_account_id = submitter_account_id',
    'update expense_revisions set amount = amount',
    'update expense_revisions set recipient_address = recipient_address',
    'update expense_revisions set recipient_id = recipient_id',
    'update expense_revisions set vault_id = vault_id',
    'update expense_revisions set purpose = purpose',
    'update expense_revisions set version_hash = version_hash',
    'update expense_comments set body = body',
    'update agent_runs set expense_revision = expense_revision',
    'update reports set output = output',
    'update reports set report_hash = report_hash',
    'update reports set run_id = run_id',
  ])('%s', async (statement) => {
    await expect(asApplication(scopeA(), statement)).rejects.toMatchObject({ code: '42501' })
  })
})

describe('constraints reject', () => {
  const asOwner = (text: string) => service.database.asOwner(text)

  test.each([
    "update expenses set state = 'nearly paid'",
    "update expenses set state = 'blocked', block_code = null",
    "update expenses set state = 'draft', block_code = 'why'",
    'update expenses set current_revision = 0',
    'update expense_revisions set amount = 0',
    'update expense_revisions set recipient_address = upper(recipient_address)',
    "update reports set report_hash = '0x'",
  ])('%s', async (statement) => {
    await expect(asOwner(statement)).rejects.toMatchObject({ code: '23514' })
  })

  test('a second open run of an expense, and a second report of a run', async () => {
    const openTwice = `insert into agent_runs (id, organization_id, expense_id, expense_revision,
        state, created_at, updated_at)
      select gen_random_uuid(), organization_id, expense_id, expense_revision, s, now(), now()
      from agent_runs, unnest(array['queued', 'running']) s`
    await expect(asOwner(openTwice)).rejects.toMatchObject({
      code: '23505',
      constraint: 'agent_runs_one',
    })
    const reportTwice = `insert into reports select (jsonb_populate_record(r,
      jsonb_build_object('id', gen_random_uuid(), 'version', 2))).* from reports r`
    await expect(asOwner(reportTwice)).rejects.toMatchObject({
      code: '23505',
      constraint: 'reports_organization_id_run_id_key',
    })
  })

  test('two expenses with one payment', async () => {
    const twice = `insert into expenses select (jsonb_populate_record(e,
      jsonb_build_object('id', gen_random_uuid()))).* from expenses e`
    await expect(asOwner(twice)).rejects.toMatchObject({
      code: '23505',
      constraint: 'expenses_payment_id_key',
    })
  })
})
