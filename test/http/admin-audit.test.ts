/** Every operator call records one audit event and changes nothing else. */
import { randomUUID } from 'node:crypto'
import type { Sql } from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { verifyAudit } from '#journal/audit.ts'
import { openOwnerPool } from '#platform/database/database.ts'
import { createDump, type Dump } from '#test/security/dump.ts'
import { type House, house } from '#test/security/house.ts'
import { routes } from '#test/security/routes.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type Operator, operatorTrail, signInOperator } from '#test/support/operators.ts'

let service: TestApp
let home: House
let operator: Operator
let dump: () => Promise<Dump>
const unknownId = randomUUID()

beforeAll(async () => {
  service = await startTestApp()
  home = await house(service)
  operator = await signInOperator(service)
  dump = await createDump(service.database)
})
afterAll(() => service.stop())

type Left = { trail: 'its own' | 'the service'; action: string; data: object; tables?: string[] }
type Asked = { url: string; body?: object; status: number; left: Left | undefined }

const admin = '/v1/admin'
const proofs = `${admin}/organizations/:organizationId/integration-proofs/ledger/signatures`
const AUDIT = ['countersign.audit_events', 'countersign.audit_heads']

const looked = (operation: string, asked: object = {}): Left => ({
  trail: 'the service',
  action: 'operator.read',
  data: { operation, ...asked },
})
const lookedAt = (operation: string, asked: object = {}): Left => ({
  ...looked(operation, asked),
  trail: 'its own',
})

/**
 * One valid call for each operator route, and one for a missing resource where that is possible.
 */
const calls: Record<string, (home: House) => Asked[]> = {
  [`GET ${admin}/overview`]: () => [
    { url: `${admin}/overview`, status: 200, left: looked('getAdminOverview') },
  ],
  [`GET ${admin}/failures`]: () => [
    { url: `${admin}/failures`, status: 200, left: looked('listFailures') },
  ],
  [`GET ${admin}/audit-events`]: () => [
    {
      url: `${admin}/audit-events?action=operator.read&from=2026-01-01T00:00:00Z&limit=3`,
      status: 200,
      left: looked('listAdminAuditEvents', {
        action: 'operator.read',
        from: '2026-01-01T00:00:00Z',
      }),
    },
  ],
  [`GET ${admin}/support-cases`]: () => [
    {
      url: `${admin}/support-cases?status=open&priority=low`,
      status: 200,
      left: looked('listAdminSupportCases', {
        page: 1,
        sort: 'newest',
        status: 'open',
        priority: 'low',
      }),
    },
  ],
  [`GET ${admin}/support-cases/:caseId`]: ({ caseId }) => [
    {
      url: `${admin}/support-cases/${caseId}`,
      status: 200,
      left: lookedAt('getAdminSupportCase', { caseId }),
    },
    {
      url: `${admin}/support-cases/${unknownId}`,
      status: 404,
      left: looked('getAdminSupportCase', { caseId: unknownId }),
    },
  ],
  [`GET ${admin}/organizations`]: () => [
    { url: `${admin}/organizations`, status: 200, left: looked('listAdminOrganizations') },
    {
      url: `${admin}/organizations?q=Acme%20%E6%9D%B1`,
      status: 200,
      left: looked('listAdminOrganizations', { q: 'Acme 東' }),
    },
  ],
  [`GET ${admin}/organizations/:organizationId`]: ({ organization }) => [
    {
      url: `${admin}/organizations/${organization.id}`,
      status: 200,
      left: lookedAt('getAdminOrganization'),
    },
    {
      url: `${admin}/organizations/${unknownId}`,
      status: 404,
      left: looked('getAdminOrganization', { organizationId: unknownId }),
    },
  ],
  [`GET ${admin}/organizations/:organizationId/executor`]: ({ organization }) => [
    {
      url: `${admin}/organizations/${organization.id}/executor`,
      status: 200,
      left: lookedAt('getAdminExecutor'),
    },
    {
      url: `${admin}/organizations/${unknownId}/executor`,
      status: 403,
      left: looked('getAdminExecutor', { organizationId: unknownId }),
    },
  ],
  // Clients repeat these by themselves, so the second call records nothing.
  [`GET ${admin}/live/snapshot`]: () => [
    { url: `${admin}/live/snapshot`, status: 200, left: looked('getAdminLiveSnapshot') },
    { url: `${admin}/live/snapshot`, status: 200, left: undefined },
  ],
  [`GET ${admin}/live/stream`]: () => [
    {
      url: `${admin}/live/stream`,
      status: 200,
      // The first stream of a process sets the epoch of live events.
      left: { ...looked('streamAdminLive'), tables: ['countersign.live_state'] },
    },
    { url: `${admin}/live/stream`, status: 200, left: undefined },
  ],
  [`GET ${admin}/integrations/status`]: () => [
    { url: `${admin}/integrations/status`, status: 200, left: looked('getIntegrationsStatus') },
  ],
  [`GET ${admin}/wallets/`]: () => [
    { url: `${admin}/wallets/`, status: 200, left: looked('listAdminWallets') },
  ],
  [`GET ${proofs}`]: ({ organization }) => [
    {
      url: proofs.replace(':organizationId', organization.id),
      status: 200,
      left: lookedAt('listLedgerProofs'),
    },
    {
      url: proofs.replace(':organizationId', unknownId),
      status: 404,
      left: looked('listLedgerProofs', { organizationId: unknownId }),
    },
  ],
  [`GET ${proofs}/:id`]: ({ organization, proofId }) => [
    {
      url: `${proofs.replace(':organizationId', organization.id)}/${proofId}`,
      status: 200,
      left: lookedAt('getLedgerProof', { proofId }),
    },
    {
      url: `${proofs.replace(':organizationId', organization.id)}/${unknownId}`,
      status: 404,
      left: looked('getLedgerProof', { proofId: unknownId }),
    },
  ],
  [`POST ${admin}/organizations/:organizationId/executor/reconcile`]: ({ organization }) => [
    {
      url: `${admin}/organizations/${organization.id}/executor/reconcile`,
      status: 202,
      left: {
        trail: 'its own',
        action: 'executor.reconciled',
        data: { state: 'requested' },
        // Enqueues the provisioning job without changing the provisioning.
        tables: ['graphile_worker._private_jobs', 'graphile_worker._private_tasks'],
      },
    },
  ],
  [`POST ${admin}/support-cases/:caseId/notes`]: ({ caseId }) => [
    {
      url: `${admin}/support-cases/${caseId}/notes`,
      body: { body: 'We are looking.', status: 'investigating' },
      status: 201,
      left: {
        trail: 'its own',
        action: 'support_case.moved',
        data: { noteId: expect.any(String), from: 'open', to: 'investigating' },
        tables: [
          ...['countersign.support_cases', 'countersign.support_notes', 'countersign.live_events'],
        ],
      },
    },
  ],
}

/** Calls that concern only the operator's own account. */
const ofOneself = [`PUT ${admin}/session`, `GET ${admin}/me`]

const here = Object.entries(calls)

function changedTables(before: Dump, after: Dump): string[] {
  return Object.keys(after)
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .sort()
}

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
