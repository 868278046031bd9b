import { randomUUID } from 'node:crypto'
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { indexWords } from '#expenses/index-words.ts'
import { giveEmail, setPreferences } from '#test/email/steps.ts'
import { createDump } from '#test/security/dump.ts'
import { type House, house } from '#test/security/house.ts'
import { alsoTenants, tenantless } from '#test/security/tenant-tables.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { writeHoldings } from '#test/support/books.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { writeDueProposal } from '#test/support/due-proposal.ts'
import { writePaymentRequest } from '#test/support/payment-requests.ts'

type Protection = {
  name: string
  hasOrganization: boolean
  enabled: boolean
  forced: boolean
  granted: boolean
  policies: number
}

const protections = (database: TestDatabase) =>
  database.asOwner<Protection>(`
    select c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
      exists (select from pg_attribute a where a.attrelid = c.oid
              and a.attname = 'organization_id' and not a.attisdropped) as "hasOrganization",
      has_any_column_privilege('countersign_app', c.oid, 'select, insert, update, references')
        or has_table_privilege('countersign_app', c.oid, 'delete, truncate') as granted,
      (select count(*)::int from pg_policy p where p.polrelid = c.oid
         and (select oid from pg_roles where rolname = 'countersign_app') = any (p.polroles))
        as policies
    from pg_class c
    where c.relnamespace = 'countersign'::regnamespace and c.relkind in ('r', 'p')
    order by 1`)

/** Problems of a table. One that the application cannot access needs no policy. */
function problemsOf({ name, hasOrganization, enabled, forced, granted, policies }: Protection) {
  const isTenants = hasOrganization || alsoTenants.includes(name)
  if (!isTenants) return tenantless.includes(name) ? [] : [`${name}: whose is it?`]
  return [
    ...(enabled ? [] : [`${name}: row-level security is off`]),
    ...(forced ? [] : [`${name}: row-level security is not forced`]),
    ...(granted && policies === 0 ? [`${name}: no policy for countersign_app`] : []),
  ]
}

const problems = async (database: TestDatabase) => (await protections(database)).flatMap(problemsOf)
describe('every table of the schema', () => {
  let database: TestDatabase

  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())
  test('is protected or listed as having no tenant', async () => {
    expect(await problems(database)).toEqual([])
    const known = expect.arrayContaining([...alsoTenants, ...tenantless, 'recipients'])
    expect((await protections(database)).map(({ name }) => name)).toEqual(known)
  })

  test.each([
    [
      'row-level security off',
      'create table careless (organization_id uuid)',
      ['careless: row-level security is off', 'careless: row-level security is not forced'],
    ],
    [
      'row-level security not forced',
      `create table careless (organization_id uuid);
       alter table careless enable row level security`,
      ['careless: row-level security is not forced'],
    ],
    [
      'a grant and no policy for the application',
      `create table careless (organization_id uuid);
       alter table careless enable row level security, force row level security;
       grant select on careless to countersign_app`,
      ['careless: no policy for countersign_app'],
    ],
    ['no organization', 'create table careless (id uuid)', ['careless: whose is it?']],
  ])('with %s would be detected', async (_what, statements, found) => {
    await database.asOwner(statements)
    expect(await problems(database)).toEqual(found)
    await database.asOwner('drop table careless')
  })
})

describe("the application's role", () => {
  let service: TestApp
  let client: pg.Client

  beforeAll(async () => {
    service = await startTestApp()
    const options = '-c role=countersign_app -c search_path=countersign'
    client = new pg.Client({ connectionString: service.database.url, options })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await service.stop()
  })

  test("is the role of the service's own pool", async () => {
    const who = sql`select current_user as role`
    expect(await service.api.db.query(who)).toEqual([{ role: 'countersign_app' }])
    const inside = await service.api.db.transaction({}, (tx) => tx.query(who))
    expect(inside).toEqual([{ role: 'countersign_app' }])
  })

  test('is no superuser, owns nothing and is not exempt', async () => {
    const [role] = await service.database.asOwner(`
      select rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolreplication, rolcanlogin
      from pg_roles where rolname = 'countersign_app'`)
    expect(Object.values(role ?? {})).toEqual([false, false, false, false, false, false])
    const [owned] = await service.database.asOwner(`
      select (select count(*)::int from pg_class where relowner = r.oid) as tables,
        (select count(*)::int from pg_proc where proowner = r.oid) as functions,
        (select count(*)::int from pg_namespace where nspowner = r.oid) as schemas,
        (select count(*)::int from pg_database where datdba = r.oid) as databases,
        (select count(*)::int from pg_auth_members where member = r.oid) as memberships
      from pg_roles r where rolname = 'countersign_app'`)
    expect(owned).toEqual({ tables: 0, functions: 0, schemas: 0, databases: 0, memberships: 0 })
  })

  test.each([
    'alter table recipients disable row level security',
    "update operators set status = 'active'",
    "insert into operators select id, 'active', now() from accounts",
    "update accounts set status = 'active'",
    "insert into accounts values (gen_random_uuid(), 'admin', 'i', 's', 'active', now())",
    'alter table recipients no force row level security',
    'drop policy tenant on recipients',
    'create policy open on recipients using (true)',
    'create table countersign.mine (id int)',
    'create table public.mine (id int)',
    'create schema mine',
    'create function countersign.mine() returns int language sql as $$ select 1 $$',
    'truncate recipients',
    'delete from recipients',
    ...['delete from audit_events', 'update audit_events set action = action'],
    ...['update audit_heads set seq = seq', 'delete from audit_heads'],
    "select canonical_json('{}')",
    'update recipients set address = address',
    'update recipients set organization_id = organization_id',
    ...['update memberships set account_id = account_id', 'update organizations set salt = salt'],
    'delete from idempotency_keys',
    'insert into migrations (name, checksum) values ($$x$$, $$y$$)',
    'select * from graphile_worker._private_jobs',
    'select * from graphile_worker.jobs',
    "select graphile_worker.add_job('x')",
    'grant select on graphile_worker._private_jobs to public',
    'alter role countersign_app superuser',
    'set session authorization postgres',
  ])('may not %s', async (statement) => {
    await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' })
  })
})

describe('two tenants in one database', () => {
  let service: TestApp
  let a: House
  let b: House
  let tables: string[]

  beforeAll(async () => {
    service = await startTestApp()
    a = await house(service)
    b = await house(service)
    for (const { organization, manager, vaultId } of [a, b]) {
      await writeDueProposal(service, { organizationId: organization.id, vaultId })
      await writeHoldings(service, manager)
      const categories = [{ code: 'office', name: 'Office' }]
      const { token } = manager
      await service.call('PUT', `${organization.path}/categories`, { token, body: { categories } })
      await writePaymentRequest(service, { organizationId: organization.id, ...manager })
      await giveEmail(service, manager, { email: `${manager.accountId}@acme.example` })
      await setPreferences(service, manager, [{ category: 'review_needed', email: false }])
    }
    await vi.waitFor(async () => expect(await indexWords(service.ctx)).toBe('idle'), 20_000)
    // What two processes leave that count at the same moment, and what automatic payments would.
    await service.database.asOwner(`
      insert into vault_unsent_changes (organization_id, vault_id, amount, payments)
      select organization_id, id, 1, 1 from vaults;
      insert into automatic_totals (organization_id, vault_id, recipient_address, bucket, amount)
      select organization_id, id, '', now(), 1 from vaults`)
    await createDump(service.database)
    const all = await protections(service.database)
    tables = all.filter((one) => one.hasOrganization && one.granted).map(({ name }) => name)
  })
  afterAll(() => service.stop())

  const scopeA = () => ({ organizationId: a.organization.id })

  /** Runs as the application in one transaction of the given scope. */
  const asApplication = (
    scope: { organizationId?: string; accountId?: string },
    text: string,
  ): Promise<Record<string, unknown>[]> =>
    service.api.db.transaction(scope, (tx) => tx.query(sql([text])))

  const countOf = async (text: string) =>
    Number((await service.database.asOwner<{ n: number }>(text))[0]?.n)

  test("no tenant's row is visible without a scope, although both have some", async () => {
    for (const name of tables) {
      const count = `select count(*) as n from ${name} where organization_id is not null`
      expect(await countOf(count), name).toBeGreaterThan(1)
      expect(await asApplication({}, count), name).toEqual([{ n: 0 }])
      expect(await service.api.db.query(sql([count])), name).toEqual([{ n: 0 }])
    }
    for (const name of alsoTenants) {
      const count = `select count(*) as n from ${name}`
      expect(await countOf(count), name).toBeGreaterThan(1)
      expect(await asApplication({}, count), name).toEqual([{ n: 0 }])
    }
  })

  test('in the scope of one, no row of the other is visible', async () => {
    for (const name of tables) {
      const rows = await asApplication(
        scopeA(),
        `select distinct organization_id as id from ${name}`,
      )
      expect(rows, name).toEqual([{ id: a.organization.id }])
    }
    const organizations = await asApplication(scopeA(), 'select id from organizations')
    expect(organizations).toEqual([{ id: a.organization.id }])
    const wallets = await asApplication(scopeA(), 'select id from wallets')
    expect(wallets).toHaveLength(3)
    expect(wallets).not.toContainEqual({ id: b.walletId })
  })

  test("in the scope of an account, no other account's rows are visible", async () => {
    const scope = { accountId: a.organization.owner.accountId }
    const owner = a.organization.owner.accountId
    const seen = 'select distinct account_id as id from'
    for (const name of ['wallets', 'idempotency_keys', 'memberships']) {
      expect(await asApplication(scope, `${seen} ${name}`), name).toEqual([{ id: owner }])
    }
    expect(await asApplication(scope, 'select id from recipients')).toEqual([])
  })

  test.each([
    ...['memberships', 'wallet_roles', 'invitations'].map((name) => [
      name,
      "set state = 'revoked'",
    ]),
    ['recipients', "set state = 'deactivated'"],
  ])('in the scope of one, no row of the other can be changed in %s', async (name, change) => {
    const ofOther = `organization_id = '${b.organization.id}'`
    const changed = await asApplication(
      scopeA(),
      `update ${name} ${change} where ${ofOther} returning id`,
    )
    expect(changed).toEqual([])
    const kept = `select count(*)::int as n from ${name} where ${ofOther} and state <> 'revoked'`
    expect(await countOf(`${kept} and state <> 'deactivated'`)).toBeGreaterThan(0)
  })

  test('in the scope of one, no row can be inserted into the other', async () => {
    const other = b.organization
    const id = randomUUID()
    const { accountId } = other.owner
    const statements = [
      `insert into memberships (id, organization_id, account_id, role, state, created_at)
       values ('${id}', '${other.id}', '${a.employee.accountId}', 'owner', 'active', now())`,
      `insert into recipients (id, organization_id, label, address, chain_id, state,
         created_by_account_id, created_at)
       values ('${id}', '${other.id}', 'x', '0x${'1'.repeat(40)}', 1, 'active', '${accountId}',
         now())`,
      `insert into invitations (id, organization_id, role, state, token_salt, token_hash,
         invited_by_membership_id, created_at, expires_at)
       values ('${id}', '${other.id}', 'manager', 'open', '', '', '${other.ownerMembershipId}',
         now(), now())`,
      `insert into wallet_roles (id, organization_id, membership_id, account_id, wallet_id, role,
         state, created_at)
       values ('${id}', '${other.id}', '${b.membershipId}', '${b.manager.accountId}',
         '${b.walletId}', 'treasury_owner', 'active', now())`,
      `insert into organizations (id, name, created_by_account_id, created_at)
       values ('${id}', 'Another', '${accountId}', now())`,
      `insert into live_events (id, organization_id, audience, kind, aggregate_type, aggregate_id,
         severity, occurred_at)
       values ('${id}', '${other.id}', 'both', 'x', 'x', 'x', 'healthy', now())`,
      `insert into wallets (id, account_id, kind, chain_type, address, created_at)
       values ('${id}', '${accountId}', 'external', 'ethereum', '0x${'2'.repeat(40)}', now())`,
      `insert into idempotency_keys (account_id, operation, key, fingerprint, created_at,
         expires_at)
       values ('${accountId}', 'x', 'x', '', now(), now())`,
    ]
    for (const statement of statements) {
      await expect(asApplication(scopeA(), statement), statement).rejects.toMatchObject({
        code: '42501',
        message: expect.stringContaining('row-level security'),
      })
    }
  })
})
