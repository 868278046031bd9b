/** The database role of operator reads: across tenants, without secrets and without writes. */
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type House, house } from '#test/security/house.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'

let service: TestApp
let houses: House[]
let client: pg.Client

beforeAll(async () => {
  service = await startTestApp()
  houses = [await house(service), await house(service)]
  client = new pg.Client({
    connectionString: service.database.url,
    // Not in a read-only transaction: the role itself must be unable to write.
    options: '-c role=countersign_observer -c search_path=countersign',
  })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await service.stop()
})

const denied = { code: '42501' }

/** Columns that could decrypt, sign, pay or grant access, and e-mail addresses. */
const SECRETS: Record<string, string[]> = {
  organizations: ['salt'],
  invitations: ['token_salt', 'token_hash', 'email'],
  profiles: ['name', 'email', 'chosen_name', 'updated_at'],
  executor_bindings: ['provider_reference'],
  approvals: ['signature', 'typed_data'],
  payment_signatures: ['signature'],
  payment_attempts: ['raw'],
  activation_attempts: ['raw'],
  idempotency_keys: ['account_id', 'operation', 'key', 'fingerprint', 'answer'],
  wallet_link_challenges: [
    ...['id', 'account_id', 'address', 'message', 'created_at', 'expires_at', 'used_at'],
  ],
  wallets: ['provider_reference', 'idempotency_key', 'fingerprint'],
  funding_controls: ['provider_reference'],
  funding_actions: ['idempotency_key', 'fingerprint'],
  funding_transactions: ['raw'],
  attachment_chunks: ['bytes'],
  webhooks: ['url'],
  webhook_secrets: ['sealed'],
  web_sessions: ['id_hash', 'sealed_tokens', 'sealed_step_up'],
}

type Column = { table: string; column: string; mayRead: boolean }

const columns = () =>
  service.database.asOwner<Column>(`
    select c.relname as table, a.attname as column,
      has_column_privilege('countersign_observer', c.oid, a.attnum, 'select') as "mayRead"
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'countersign'::regnamespace and c.relkind in ('r', 'p', 'v')
      and a.attnum > 0 and not a.attisdropped`)

describe('the observer', () => {
  test("is the role of operators' reads, in read-only transactions", async () => {
    const who = sql`select current_user as role,
      current_setting('transaction_read_only') as "readOnly"`
    const expected = [{ role: 'countersign_observer', readOnly: 'on' }]
    expect(await service.ctx.observerDb.query(who)).toEqual(expected)
    expect(await service.ctx.observerDb.transaction({}, (tx) => tx.query(who))).toEqual(expected)
  })

  test('is no superuser, owns nothing, is a member of nothing and cannot log in', async () => {
    const [role] = await service.database.asOwner(`
      select rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolreplication, rolcanlogin,
        exists (select from pg_class where relowner = r.oid) as owns,
        exists (select from pg_proc where proowner = r.oid) as "ownsFunctions",
        exists (select from pg_auth_members where member = r.oid) as "isMember"
      from pg_roles r where rolname = 'countersign_observer'`)
    expect(Object.values(role ?? {})).toEqual(Array(9).fill(false))
  })

  test('sees the rows of every tenant', async () => {
    for (const table of ['expenses', 'payments', 'support_cases', 'vaults', 'audit_events']) {
      const { rows } = await client.query(
        `select distinct organization_id as id from ${table} where organization_id is not null`,
      )
      const ids = houses.map(({ organization }) => organization.id)
      expect(rows.map(({ id }) => id).sort(), table).toEqual(ids.sort())
    }
  })

  test('can read every column except the listed secret ones', async () => {
    const hidden = (await columns()).filter(({ mayRead }) => !mayRead)
    const named = Object.entries(SECRETS).flatMap(([table, names]) =>
      names.map((column) => `${table}.${column}`),
    )
    const found = hidden.map(({ table, column }) => `${table}.${column}`)
    expect(found).toEqual(expect.arrayContaining(named))
    // Every other hidden column is listed here on purpose.
    const harmless = [
      /^invitations\.(invited|accepted)_by_membership_id$/,
      /^(idempotency_keys|health_rounds)\./,
      /^payments\.mac(_key_id)?$/,
      /^attachment_chunks\.(organization_id|attachment_id|position)$/,
      /^webhooks\.(disabled_code|created_by_account_id|failing_since|paused_until|updated_at)$/,
      /^webhook_(secrets|deliveries|sealing_keys)\./,
      /^(email_(position|deliveries)|expense_words_position|notification_preferences)\./,
      /^(web_sessions|rate_leases|task_changes|shared_task_changes)\./,
      /^wallets\.(attempts|lease_until|export_failures|export_locked_until)$/,
    ]
    const ours = (name: string) => !/^(push_|ledger_|service_|wallet_exports)/.test(name)
    expect(
      found
        .filter((name) => !named.includes(name) && !harmless.some((those) => those.test(name)))
        .filter(ours),
    ).toEqual([])
  })

  const secretColumns = Object.entries(SECRETS).flatMap(([table, names]) =>
    names.map((column) => [table, column] as const),
  )

  test.each(secretColumns)('cannot read %s.%s by any kind of query', async (table, column) => {
    const ways = [
      `select ${column} from ${table}`,
      `select * from ${table}`,
      `select count(${column}) from ${table}`,
      `select 1 from ${table} where ${column} is not null`,
      `select to_jsonb(t) from ${table} t`,
      `select 1 from ${table} order by ${column}::text limit 1`,
      `copy ${table} (${column}) to stdout`,
    ]
    for (const statement of ways) {
      await expect(client.query(statement), statement).rejects.toMatchObject(denied)
    }
  })

  test('cannot write to any table of the schema', async () => {
    const tables = new Set((await columns()).map(({ table }) => table))
    expect(tables.size).toBeGreaterThan(30)
    for (const table of tables) {
      const statements = [
        `insert into ${table} default values`,
        `delete from ${table}`,
        `truncate ${table}`,
      ]
      for (const statement of statements) {
        await expect(client.query(statement), statement).rejects.toMatchObject({
          // Nobody can truncate a view.
          code: expect.stringMatching(/^(42501|42809)$/),
        })
      }
    }
    for (const { table, column } of await columns()) {
      const statement = `update ${table} set ${column} = ${column}`
      await expect(client.query(statement), statement).rejects.toMatchObject({
        code: expect.stringMatching(/^(42501|428C9)$/),
      })
    }
  })

  test.each([
    'create table countersign.mine (id int)',
    'create table public.mine (id int)',
    'create schema mine',
    'create function countersign.mine() returns int language sql as $$ select 1 $$',
    'alter role countersign_observer superuser',
    'grant countersign_app to countersign_observer',
    'alter table payments disable row level security',
    'drop policy observation on payments',
    "select enqueue_job('x', '{}', null, now(), null, 1)",
    "select enqueue_job_unless_due('x', '{}', null, now(), null, 1)",
    'select prune_expired(1)',
    'select * from graphile_worker._private_jobs',
    "select graphile_worker.add_job('x')",
    'select 1 from payments for update',
    'select 1 from support_cases for share',
    "copy support_cases to program 'cat'",
    "select pg_read_file('/etc/hostname')",
    'select rolpassword from pg_authid',
  ])('may not %s', async (statement) => {
    await expect(client.query(statement)).rejects.toMatchObject(denied)
  })

  test('cannot become the owner of the schema', async () => {
    const [row] = await service.database.asOwner(`
      select pg_has_role('countersign_observer', nspowner, 'member') as "isOwner",
        pg_has_role('countersign_observer', 'countersign_app', 'member') as "isApplication"
      from pg_namespace where nspname = 'countersign'`)
    expect(row).toEqual({ isOwner: false, isApplication: false })
  })

  test("cannot write through the service's own pool either", async () => {
    const attempt = service.ctx.observerDb.query(sql`update support_cases set subject = 'x'`)
    await expect(attempt).rejects.toThrow()
    const insert = service.ctx.observerDb.transaction({}, (tx) =>
      tx.query(sql`insert into operators select id, 'active', now() from accounts`),
    )
    await expect(insert).rejects.toThrow()
  })
})
