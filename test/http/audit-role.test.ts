/** The application's database role may only append to the audit trail. */
import { randomUUID } from 'node:crypto'
import sql, { type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditDigest } from '#journal/journal.ts'
import type { Scope } from '#platform/database/database.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { addRecipient, auditTrail, randomAddress } from '#test/support/steps.ts'

const PERMISSION_DENIED = { code: '42501' }

let service: TestApp
let organization: Organization
let neighbour: Organization

beforeAll(async () => {
  service = await startTestApp()
  const wallets = [{ address: randomAddress(), kind: 'external' as const }]
  organization = await createOrganization(service, await service.signIn(undefined, wallets))
  neighbour = await createOrganization(service)
  await addRecipient(service, organization)
  await addRecipient(service, neighbour)
})
afterAll(() => service.stop())

const scopeOf = ({ id, owner }: Organization): Scope => ({
  organizationId: id,
  accountId: owner.accountId,
})

/** Runs a statement as the service does, in the scope of a member. */
const asService = (statement: Sql, scope = scopeOf(organization)) =>
  service.api.db.transaction(scope, (tx) => tx.query<Record<string, unknown>>(statement))

const everyRow = async () => [
  await service.database.asOwner('select * from audit_events order by organization_id, seq'),
  await service.database.asOwner('select * from audit_heads order by organization_id'),
  await service.database.asOwner('select * from live_events order by seq'),
]

const content = (organizationId: string | null) => ({
  id: randomUUID(),
  organizationId,
  action: 'recipient.added',
  actorRealm: 'consumer',
  actorAccountId: null,
  aggregateType: 'recipient',
  aggregateId: randomUUID(),
  data: {},
  requestId: null,
  occurredAt: new Date().toISOString(),
})

const insertion = (organizationId: string | null, { seq = 999 } = {}) => {
  const event = content(organizationId)
  return sql`insert into audit_events (id, organization_id, seq, action, actor_realm,
      aggregate_type, aggregate_id, data, occurred_at, digest, hash)
    values (${event.id}, ${organizationId}, ${seq}, ${event.action}, ${event.actorRealm},
      ${event.aggregateType}, ${event.aggregateId}, '{}', ${event.occurredAt},
      ${auditDigest(event)}, ${Buffer.alloc(32, 1)})`
}

describe('the application role', () => {
  const refused: [string, Sql][] = [
    ['change an audit event', sql`update audit_events set data = '{}'`],
    ['change the sequence number of an audit event', sql`update audit_events set seq = seq + 1`],
    ['delete an audit event', sql`delete from audit_events`],
    ['empty the audit trail', sql`truncate audit_events`],
    ['lock an audit event for change', sql`select from audit_events for update`],
    ['lock the head of a chain', sql`select from audit_heads for update`],
    ['change the head of a chain', sql`update audit_heads set seq = 0`],
    ['add the head of a chain', sql`insert into audit_heads values (null, 0, ''::bytea)`],
    ['delete the end of a chain', sql`delete from audit_heads`],
    ['empty the heads of the chains', sql`truncate audit_heads`],
    ['change a live event', sql`update live_events set code = null`],
    ['delete a live event', sql`delete from live_events`],
    ['empty the live events', sql`truncate live_events`],
    ['delete an idempotency key', sql`delete from idempotency_keys`],
    [
      'change the answer stored for a key',
      sql`update idempotency_keys set fingerprint = ''::bytea`,
    ],
    ['disable the chaining trigger', sql`alter table audit_events disable trigger chain`],
    ['disable all triggers', sql`set local session_replication_role = replica`],
    ['disable row-level security', sql`alter table audit_events disable row level security`],
    ['call the chaining function', sql`select chain_audit_event()`],
    ['replace the chaining function', sql`create function countersign.f() returns int return 1`],
    ['read the job queue', sql`select from graphile_worker._private_jobs`],
  ]
  test.each(refused)('cannot %s', async (_name, statement) => {
    const before = await everyRow()
    await expect(asService(statement)).rejects.toMatchObject(PERMISSION_DENIED)
    expect(await everyRow()).toEqual(before)
  })

  test("cannot choose an event's sequence number or link: the trigger sets both", async () => {
    const before = await auditTrail(service.database, organization.id)
    await asService(insertion(organization.id))
    const rows = await service.database.asOwner<{ seq: number; fits: boolean }>(
      `select e.seq::integer, e.hash = sha256(p.hash || e.digest) as fits
       from audit_events e join audit_events p
         on p.organization_id = e.organization_id and p.seq = e.seq - 1
       where e.organization_id = $1 order by e.seq desc limit 1`,
      [organization.id],
    )
    expect(rows).toEqual([{ seq: before.length + 1, fits: true }])
  })

  test("cannot write to another organization's trail or outside any organization", async () => {
    const before = await everyRow()
    for (const organizationId of [neighbour.id, null]) {
      const attempt = asService(insertion(organizationId))
      await expect(attempt).rejects.toMatchObject(PERMISSION_DENIED)
    }
    const outside = asService(insertion(organization.id), {})
    await expect(outside).rejects.toMatchObject(PERMISSION_DENIED)
    expect(await everyRow()).toEqual(before)
  })

  test('reads only the trail of its scope', async () => {
    const visible = (scope: Scope) =>
      asService(sql`select distinct organization_id as id from audit_events`, scope)
    expect(await visible(scopeOf(organization))).toEqual([{ id: organization.id }])
    expect(await visible({})).toEqual([])
  })

  test('reads only the recorded end of the trail of its scope', async () => {
    const visible = (scope: Scope) =>
      asService(sql`select organization_id as id from audit_heads`, scope)
    expect(await visible(scopeOf(organization))).toEqual([{ id: organization.id }])
    expect(await visible({})).toEqual([])
  })
})
