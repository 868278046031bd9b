import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import sql, { raw, type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AuditVerdict, verifyAudit } from '#journal/audit.ts'
import type { AuditRow } from '#journal/journal.store.ts'
import { auditPage, findTrailHead, listTrailHashes } from '#journal/journal.store.ts'
import { auditDigest } from '#journal/journal.ts'
import { openOwnerPool } from '#platform/database/database.ts'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { addRecipient, auditTrail, invite, randomAddress, times } from '#test/support/steps.ts'

const EVENTS = 10

let service: TestApp
let pool: pg.Pool
let organization: Organization
let neighbour: Organization

beforeAll(async () => {
  service = await startTestApp()
  pool = openOwnerPool({ url: service.database.url, max: 2 })
  organization = await createOrganization(service)
  neighbour = await createOrganization(service)
  for (const place of [organization, neighbour]) {
    for (let count = 2; count < EVENTS; count += 1) await addRecipient(service, place)
  }
})
afterAll(async () => {
  await pool.end()
  await service.stop()
})

type Owner = (statement: Sql) => Promise<AuditRow[]>

/** Tampers as the database owner without row-level security, verifies, and rolls back. */
async function verdictAfter(tamper: (owner: Owner) => Promise<unknown>): Promise<AuditVerdict> {
  const client = await pool.connect()
  const query = async <Row>(statement: Sql) =>
    (await client.query(statement)).rows as unknown as Row[]
  try {
    await client.query('begin isolation level repeatable read')
    await client.query('alter table audit_events no force row level security')
    await client.query('alter table audit_events disable trigger chain')
    await tamper(query)
    return await verifyAudit(query)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

const nothing = async () => {}

describe('the audit trail', () => {
  test('verifies after many concurrent commands', async () => {
    const places = await Promise.all(times(3, () => createOrganization(service)))
    const members = await Promise.all(
      places.map((place) => joinOrganization(service, place, { role: 'manager' })),
    )
    const answers = await Promise.all(
      times(90, (index) => {
        const place = places[index % 3] ?? organization
        const token = (index % 2 ? members[index % 3] : place.owner)?.token ?? ''
        if (index % 5 === 0) return invite(service, place, { token })
        return addRecipient(service, place, { token })
      }),
    )
    await Promise.all(
      times(20, () => service.signIn(undefined, [{ address: randomAddress(), kind: 'external' }])),
    )
    expect(answers.every(({ status }) => status === 201)).toBe(true)
    for (const { id } of places) {
      const trail = await auditTrail(service.database, id)
      expect(trail.map(({ seq }) => seq)).toEqual(times(5 + 30, (index) => index + 1))
    }
    const { chains, events, problems } = await verdictAfter(nothing)
    const [counted] = await service.database.asOwner<{ events: number; chains: number }>(
      `select (select count(*) from audit_events)::integer as events,
         (select count(*) from organizations)::integer + 1 as chains`,
    )
    expect(problems).toEqual([])
    expect({ chains, events }).toEqual(counted)
  })
})

test('a page of the trail begins after the given event, and is of one organization', async () => {
  let page: AuditRow[] = []
  await verdictAfter(async (owner) => {
    page = await owner(auditPage({ organizationId: organization.id, afterSeq: 4, limit: 3 }))
  })
  expect(page.map(({ seq }) => Number(seq))).toEqual([5, 6, 7])
  expect(new Set(page.map(({ organizationId }) => organizationId))).toEqual(
    new Set([organization.id]),
  )
})

test('hashes are read of the given events alone', async () => {
  await verdictAfter(async (owner) => {
    const found = await owner(
      listTrailHashes({ organizationId: organization.id, sequences: [5, 2, 99] }),
    )
    const events = await owner(
      auditPage({ organizationId: organization.id, afterSeq: 0, limit: EVENTS }),
    )
    const expected = [2, 5].map((sequence) => ({
      sequence,
      hash: `0x${events[sequence - 1]?.hash.toString('hex')}`,
    }))
    expect(found).toHaveLength(2)
    expect(found).toEqual(expect.arrayContaining(expected))
  })
})

test('an organization without a trail has no head', async () => {
  const { db } = service.ctx
  const { id } = organization
  const head = (organizationId: string) =>
    db.transaction({ organizationId }, (tx) => findTrailHead(tx, organizationId))
  expect(await head(id)).toMatchObject({ sequence: EVENTS })
  await expect(head(randomUUID())).rejects.toThrow('has no audit trail')
})

describe('verification reports', () => {
  const of = () => sql`organization_id = ${organization.id}`

  const changes: [string, Sql][] = [
    ['its data', sql`data = jsonb_set(data, '{label}', '"Mallory"')`],
    ['a field added to its data', sql`data = data || '{"note": null}'`],
    ['its action', sql`action = 'recipient.deactivated'`],
    ['its actor', sql`actor_account_id = null`],
    ['its realm', sql`actor_realm = 'system'`],
    ['its aggregate', sql`aggregate_type = 'account'`],
    ['the id of its aggregate', sql`aggregate_id = ${randomUUID()}`],
    ['its request', sql`request_id = 'another'`],
    ['its time, by a millisecond', sql`occurred_at = occurred_at + interval '1 millisecond'`],
    ['its id', sql`id = ${randomUUID()}`],
    ['its digest', sql`digest = sha256(digest)`],
  ]
  test.each(changes)('an event with %s changed', async (_name, change) => {
    const { problems } = await verdictAfter((owner) =>
      owner(sql`update audit_events set ${change} where ${of()} and seq = 5`),
    )
    expect(problems).toEqual([
      { organizationId: organization.id, seq: 5, problem: 'the event was changed' },
    ])
  })

  const broken = (seq: number, problem: string) => [
    { organizationId: organization.id, seq, problem },
  ]

  test('an event whose digest was recomputed after a change', async () => {
    const rewrite = async (owner: Owner, withHash: boolean) => {
      const [, , , , event] = await owner(
        auditPage({ organizationId: organization.id, afterSeq: 0, limit: 5 }),
      )
      if (!event) throw new Error('There is no fifth event')
      const { seq, digest: _digest, hash: _hash, clockDifferenceMs: _ms, ...content } = event
      const forged = { ...content, data: { label: 'Mallory' } }
      const digest = auditDigest(forged)
      const hash = withHash
        ? sql`, hash = sha256((select hash from audit_events where ${of()} and seq = 4)
            || ${digest}::bytea)`
        : raw('')
      await owner(sql`update audit_events set data = ${JSON.stringify(forged.data)},
        digest = ${digest} ${hash} where ${of()} and seq = ${seq}`)
    }
    const half = await verdictAfter((owner) => rewrite(owner, false))
    expect(half.problems).toEqual(broken(5, 'the link is broken'))
    // With its own link recomputed too, the next event's link breaks.
    const whole = await verdictAfter((owner) => rewrite(owner, true))
    expect(whole.problems).toEqual(broken(6, 'the link is broken'))
  })

  const deletions: [string, Sql, number, string][] = [
    ['the first event', sql`seq = 1`, 2, 'an event is missing after 0'],
    ['one in the middle', sql`seq = 5`, 6, 'an event is missing after 4'],
    ['the last event', sql`seq = 10`, 9, 'the trail ends at 9, but its recorded end is 10'],
    ['the last five', sql`seq > 5`, 5, 'the trail ends at 5, but its recorded end is 10'],
    ['all of them', sql`true`, 0, 'the trail ends at 0, but its recorded end is 10'],
  ]
  test.each(deletions)('%s deleted', async (_name, which, seq, problem) => {
    const { problems } = await verdictAfter((owner) =>
      owner(sql`delete from audit_events where ${of()} and ${which}`),
    )
    expect(problems).toEqual(broken(seq, problem))
  })

  test('a gap closed by renumbering', async () => {
    const { problems } = await verdictAfter(async (owner) => {
      await owner(sql`delete from audit_events where ${of()} and seq = 5`)
      for (let seq = 6; seq <= EVENTS; seq += 1) {
        await owner(sql`update audit_events set seq = ${seq - 1} where ${of()} and seq = ${seq}`)
      }
    })
    expect(problems).toEqual([
      ...broken(5, 'the link is broken'),
      ...broken(9, 'the trail ends at 9, but its recorded end is 10'),
    ])
  })

  test('a second change after the first', async () => {
    const { problems } = await verdictAfter((owner) =>
      owner(sql`update audit_events set action = 'x' where ${of()} and seq in (4, 8)`),
    )
    expect(problems).toEqual([4, 8].flatMap((seq) => broken(seq, 'the event was changed')))
  })

  test('two events that were swapped', async () => {
    const move = (owner: Owner, from: number, to: number) =>
      owner(sql`update audit_events set seq = ${to} where ${of()} and seq = ${from}`)
    const { problems } = await verdictAfter(async (owner) => {
      await move(owner, 5, 100)
      await move(owner, 6, 5)
      await move(owner, 100, 6)
    })
    expect(problems).toEqual([5, 6, 7].flatMap((seq) => broken(seq, 'the link is broken')))
  })

  test('an event appended with a valid link', async () => {
    const { problems } = await verdictAfter(async (owner) => {
      const content = {
        id: randomUUID(),
        organizationId: organization.id,
        action: 'recipient.added',
        actorRealm: 'consumer',
        actorAccountId: organization.owner.accountId,
        aggregateType: 'recipient',
        aggregateId: randomUUID(),
        data: {},
        requestId: null,
        occurredAt: new Date().toISOString(),
      }
      const digest = auditDigest(content)
      await owner(sql`insert into audit_events select ${content.id}, organization_id, 11,
        ${content.action}, ${content.actorRealm}, ${content.actorAccountId}::uuid,
        ${content.aggregateType}, ${content.aggregateId}, '{}', null, ${content.occurredAt},
        ${digest}::bytea, sha256(hash || ${digest}::bytea)
        from audit_events where ${of()} and seq = 10`)
    })
    expect(problems).toEqual(broken(11, 'the trail ends at 11, but its recorded end is 10'))
  })

  test("an event moved to another organization's trail", async () => {
    const { problems } = await verdictAfter((owner) =>
      owner(sql`update audit_events set organization_id = ${neighbour.id}, seq = 11
        where ${of()} and seq = 10`),
    )
    expect(problems).toEqual(
      expect.arrayContaining([
        ...broken(9, 'the trail ends at 9, but its recorded end is 10'),
        { organizationId: neighbour.id, seq: 11, problem: 'the event was changed' },
      ]),
    )
  })

  test.each([
    ['rewound', sql`update audit_heads set seq = 9`],
    ['given another hash', sql`update audit_heads set hash = sha256(hash)`],
    ['deleted', sql`delete from audit_heads`],
  ])('a recorded end of the trail that was %s', async (_name, change) => {
    const { problems } = await verdictAfter((owner) => owner(sql`${change} where ${of()}`))
    expect(problems).toMatchObject([{ organizationId: organization.id, seq: 10 }])
  })
})
