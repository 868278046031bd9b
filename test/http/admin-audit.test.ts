/** Every operator call records one audit event and changes nothing else. */
import type { Sql } from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { verifyAudit } from '#journal/audit.ts'
import { openOwnerPool } from '#platform/database/database.ts'
import { admin, calls } from '#test/http/admin-calls.ts'
import { COUNTERS, createDump, type Dump } from '#test/security/dump.ts'
import { type House, house } from '#test/security/house.ts'
import { routes } from '#test/security/routes.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type Operator, operatorTrail, signInOperator } from '#test/support/operators.ts'

let service: TestApp
let home: House
let operator: Operator
let dump: () => Promise<Dump>

beforeAll(async () => {
  service = await startTestApp()
  home = await house(service)
  operator = await signInOperator(service)
  dump = await createDump(service.database)
})
afterAll(() => service.stop())

/** Calls that concern only the operator's own account. */
const ofOneself = [`PUT ${admin}/session`, `GET ${admin}/me`]

const here = Object.entries(calls)

function changedTables(before: Dump, after: Dump): string[] {
  return Object.keys(after)
    .filter((name) => !COUNTERS.includes(name))
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .sort()
}

const AUDIT = ['countersign.audit_events', 'countersign.audit_heads']

describe('every call of an operator', () => {
  let before: Dump
  let seen: number

  beforeEach(async () => {
    before = await dump()
    seen = (await operatorTrail(service, operator)).length
  })

  test('is listed here, so that a new route cannot go untested', () => {
    const offered = routes.filter(({ access }) => access.realm === 'admin').map(({ name }) => name)
    expect(offered).toEqual(expect.arrayContaining(Object.keys(calls)))
    // Operator actions on wallets and proofs have tests of their own.
    const elsewhere = /^POST .*\/(wallets|integration-proofs)\b/
    const left = offered.filter((name) => !(name in calls) && !elsewhere.test(name))
    expect(left.sort()).toEqual(ofOneself.sort())
  })

  test.each(here)('%s records one event and changes nothing else', async (name, make) => {
    const [method = ''] = name.split(' ')
    const asked = make(home)
    for (const { url, body, status } of asked) {
      const answer = await service.call(method, url, {
        token: operator.token,
        headers: { 'x-request-id': 'asked-by-an-operator' },
        ...(body && { body }),
      })
      expect([url, answer.status]).toEqual([url, status])
    }
    const trail = (await operatorTrail(service, operator)).slice(seen)
    const expected = asked.flatMap(({ left }) => left ?? [])
    expect(trail).toHaveLength(expected.length)
    for (const [n, left] of expected.entries()) {
      expect(trail[n]).toMatchObject({
        organizationId: left.trail === 'its own' ? home.organization.id : null,
        action: left.action,
        actorRealm: 'admin',
        actorAccountId: operator.accountId,
        requestId: 'asked-by-an-operator',
      })
      expect(trail[n]?.data).toEqual(left.data)
    }
    const allowed = [...AUDIT, ...expected.flatMap(({ tables }) => tables ?? [])]
    const changed = changedTables(before, await dump())
    expect(changed.filter((table) => !allowed.includes(table))).toEqual([])
    expect(changed).toEqual(expect.arrayContaining(AUDIT))
  })

  test('records nothing when it is refused', async () => {
    const { owner } = home.organization
    const { accessToken } = await service.identity.issue({ realm: 'admin', subject: 'nobody' })
    for (const token of [owner.token, accessToken]) {
      for (const [name, make] of here) {
        const [method = ''] = name.split(' ')
        const [{ url, body } = { url: '' }] = make(home)
        const answer = await service.call(method, url, { token, ...(body && { body }) })
        // The stream operation declares no 403.
        expect([name, answer.status]).toEqual([name, name.endsWith('/stream') ? 401 : 403])
      }
    }
    expect(changedTables(before, await dump())).toEqual([])
  })

  test('returns no data when its event cannot be recorded', async () => {
    const { asOwner } = service.database
    // An operator none of whose polled reads has been recorded yet.
    const { token } = await signInOperator(service)
    await asOwner('revoke insert on audit_events from countersign_app')
    try {
      for (const [name, make] of here.filter(([each]) => each.startsWith('GET'))) {
        const [{ url } = { url: '' }] = make(home)
        const answer = await service.call('GET', url, { token })
        expect([name, answer.status]).toEqual([name, 500])
        expect(answer.text).not.toContain('Acme')
      }
    } finally {
      await asOwner('grant insert on audit_events to countersign_app')
    }
  })
})

test('every audit chain verifies, including the one without an organization', async () => {
  const pool = openOwnerPool({ url: service.database.url, max: 1 })
  const query = async <Row>(statement: Sql) =>
    (await pool.query(statement)).rows as unknown as Row[]
  const { problems, events } = await verifyAudit(query)
  await pool.end()
  expect(problems).toEqual([])
  expect(events).toBeGreaterThan(30)
})
