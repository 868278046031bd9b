/** The database computes each audit event's digest itself and refuses any other. */
import { randomUUID } from 'node:crypto'
import type { AuditContent } from '@countersign/proof/audit-trail.ts'
import { canonicalJson } from '@countersign/proof/digest.ts'
import fc from 'fast-check'
import sql, { type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyAudit } from '#journal/audit.ts'
import { auditDigest } from '#journal/journal.ts'
import { sha256 } from '#platform/digest.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { addRecipient, auditTrail } from '#test/support/steps.ts'

const REFUSED = { code: '23514' }
const MINUTE_MS = 60_000

let service: TestApp
let organization: Organization

beforeAll(async () => {
  service = await startTestApp()
  organization = await createOrganization(service)
})
afterAll(() => service.stop())

const contentOf = (more: Partial<AuditContent> = {}): AuditContent => ({
  id: randomUUID(),
  organizationId: organization.id,
  action: 'recipient.added',
  actorRealm: 'consumer',
  actorAccountId: organization.owner.accountId,
  aggregateType: 'recipient',
  aggregateId: randomUUID(),
  data: { label: 'Printers', count: 3, isNew: true, note: null },
  requestId: 'request-1',
  occurredAt: new Date().toISOString(),
  ...more,
})

type Row = { data?: string; digest?: Buffer; recordedAt?: string }

/** Inserts with the application's login, which can set any column. */
function insertAsApplication(event: AuditContent, row: Row = {}): Promise<unknown> {
  const data = row.data ?? JSON.stringify(event.data)
  const statement = sql`insert into audit_events (id, organization_id, action, actor_realm,
      actor_account_id, aggregate_type, aggregate_id, data, request_id, occurred_at, digest,
      recorded_at)
    values (${event.id}, ${event.organizationId}, ${event.action}, ${event.actorRealm},
      ${event.actorAccountId}, ${event.aggregateType}, ${event.aggregateId}, ${data}::jsonb,
      ${event.requestId}, ${event.occurredAt}, ${row.digest ?? auditDigest(event)},
      ${row.recordedAt ?? null}::timestamptz)`
  const scope = event.organizationId === null ? {} : { organizationId: event.organizationId }
  return service.ctx.db.transaction(scope, (tx) => tx.query(statement))
}

const verdict = () =>
  service.ctx.observerDb.transaction({}, (tx) => verifyAudit(tx.query), { isolation: 'snapshot' })

const trailLength = async () => (await auditTrail(service.database, organization.id)).length

describe('an event whose digest does not match its row', () => {
  const fields: [string, Partial<AuditContent>][] = [
    ['id', { id: randomUUID() }],
    ['action', { action: 'recipient.deactivated' }],
    ['actorRealm', { actorRealm: 'system' }],
    ['actorAccountId', { actorAccountId: null }],
    ['aggregateType', { aggregateType: 'account' }],
    ['aggregateId', { aggregateId: randomUUID() }],
    ['data', { data: { label: 'Mallory' } }],
    ['requestId', { requestId: null }],
    ['occurredAt', { occurredAt: '2020-01-01T00:00:00.000Z' }],
  ]
  test.each(fields)(
    'is refused when the digest was computed with another %s',
    async (_name, other) => {
      const before = await trailLength()
      const event = contentOf()
      const digest = auditDigest({ ...event, ...other })
      await expect(insertAsApplication(event, { digest })).rejects.toMatchObject(REFUSED)
      expect(await trailLength()).toBe(before)
    },
  )

  test('is refused when the digest was computed from equivalent but different text', async () => {
    const event = contentOf()
    const digest = sha256(JSON.stringify(event, null, 2))
    await expect(insertAsApplication(event, { digest })).rejects.toMatchObject(REFUSED)
  })

  test('is refused when the digest is arbitrary', async () => {
    const digest = Buffer.alloc(32, 7)
    await expect(insertAsApplication(contentOf(), { digest })).rejects.toMatchObject(REFUSED)
  })

  test('is refused even if the session prints numbers with fewer digits', async () => {
    const event = contentOf({ data: { ratio: 0.1 + 0.2 } })
    const digest = auditDigest({ ...event, data: { ratio: 0.3 } })
    const forged = service.ctx.db.transaction({ organizationId: organization.id }, async (tx) => {
      await tx.query(sql`select set_config('extra_float_digits', '-10', true)`)
      await tx.query(insertion(event, digest))
    })
    await expect(forged).rejects.toMatchObject(REFUSED)
  })

  const insertion = (event: AuditContent, digest: Buffer): Sql => sql`
    insert into audit_events (id, organization_id, action, actor_realm, actor_account_id,
      aggregate_type, aggregate_id, data, request_id, occurred_at, digest)
    values (${event.id}, ${event.organizationId}, ${event.action}, ${event.actorRealm},
      ${event.actorAccountId}, ${event.aggregateType}, ${event.aggregateId},
      ${JSON.stringify(event.data)}::jsonb, ${event.requestId}, ${event.occurredAt}, ${digest})`
})

describe('an event that could not be verified later', () => {
  test.each([
    ['a time with microseconds', { occurredAt: '2026-01-01T00:00:00.000001Z' }],
    ['an infinite time', { occurredAt: 'infinity' }],
    ['a five-digit year', { occurredAt: '10000-01-01T00:00:00.000Z' }],
    ['a non-ASCII key', { data: { größe: 1 } }],
    ['a number with an exponent', { data: { small: 1e-7 } }],
    ['an integer beyond double precision', { data: { big: 2 ** 53 } }],
  ])('is refused for %s', async (_name, more) => {
    await expect(insertAsApplication(contentOf(more))).rejects.toMatchObject(REFUSED)
  })
})

describe('the canonical form that the database computes', () => {
  const canonicalInDatabase = async (texts: string[]): Promise<string[]> => {
    const rows = await service.database.asOwner<{ text: string }>(
      `select canonical_json(t.value::jsonb) as text
       from unnest($1::text[]) with ordinality t (value, place) order by place`,
      [texts],
    )
    return rows.map(({ text }) => text)
  }

  const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((one) => !one.includes('\0'))
  const number = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((n) => n === 0 || (Math.abs(n) >= 1e-6 && Math.abs(n) <= Number.MAX_SAFE_INTEGER))
  const decimal = fc
    .tuple(fc.integer(), fc.integer({ min: 0, max: 6 }))
    .map(([digits, scale]) => digits / 10 ** scale)
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      ...[text, number, decimal, fc.maxSafeInteger(), fc.boolean(), fc.constant(null)],
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: 'grapheme-ascii', maxLength: 8 }), tie('value'), {
        maxKeys: 5,
        noNullPrototype: true,
      }),
    ),
  }))

  test('is RFC 8785 for any JSON that an event may hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 50, maxLength: 50 }), async (values) => {
        const found = await canonicalInDatabase(values.map((one) => JSON.stringify(one)))
        expect(found).toEqual(values.map(canonicalJson))
      }),
      { numRuns: 40, seed: 31 },
    )
  })

  test.each([
    ['{ "b": 1.0, "a": -0, "aa": 1E2, "B": [ ] }', '{"B":[],"a":0,"aa":100,"b":1}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['"\\u007f\\u2028\\u001f\\b\\t\\/\\ud83d\\ude00"', '"\u007f\u2028\\u001f\\b\\t/😀"'],
    ['[1e-6, -9007199254740991, 0.1e15]', '[0.000001,-9007199254740991,100000000000000]'],
    ['[0.30000000000000004, 1.10]', '[0.30000000000000004,1.1]'],
  ])('of %s is %s', async (given, canonical) => {
    expect(await canonicalInDatabase([given])).toEqual([canonical])
    expect(canonicalJson(JSON.parse(given))).toBe(canonical)
  })
})

describe('an event written by the service', () => {
  test('is accepted with any text and verifies', async () => {
    const label = 'Café "Zürich" \\ 🥗 \u007f'
    await insertAsApplication(contentOf({ data: { label, list: [{ z: 1, a: [] }], n: -12.5 } }))
    await insertAsApplication(contentOf({ organizationId: null, requestId: null }))
    expect((await verdict()).problems).toEqual([])
  })

  test('uses the stored id for the digest when the caller sent it in upper case', async () => {
    const path = `/v1/consumer/organizations/${organization.id.toUpperCase()}`
    const added = await addRecipient(service, { ...organization, path })
    expect(added.status).toBe(201)
    expect((await verdict()).problems).toEqual([])
  })
})

describe('the time of recording', () => {
  const recorded = async (id: string) => {
    const [row] = await service.database.asOwner<{ ms: number }>(
      `select (extract(epoch from now() - recorded_at) * 1000)::integer as ms
       from audit_events where id = $1`,
      [id],
    )
    return row?.ms ?? Number.NaN
  }

  test('comes from the database, whatever the application writes', async () => {
    const event = contentOf()
    await insertAsApplication(event, { recordedAt: '2020-01-01T00:00:00Z' })
    expect(Math.abs(await recorded(event.id))).toBeLessThan(10 * MINUTE_MS)
  })

  test("is compared with the application's time, and a difference is reported", async () => {
    const place = await createOrganization(service)
    const { length } = await auditTrail(service.database, place.id)
    const occurredAt = new Date(Date.now() - 60 * MINUTE_MS).toISOString()
    const actorAccountId = place.owner.accountId
    await insertAsApplication(contentOf({ organizationId: place.id, actorAccountId, occurredAt }))
    const { problems, clockNotes } = await verdict()
    expect(problems).toEqual([])
    const note = clockNotes.find(({ organizationId }) => organizationId === place.id)
    expect(note).toMatchObject({ events: 1, firstSeq: length + 1 })
    expect(note?.largestMs).toBeGreaterThan(59 * MINUTE_MS)
  })
})
