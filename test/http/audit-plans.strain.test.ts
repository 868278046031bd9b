/** Query plans of a large audit trail: pages and exports read little more than they show. */
import sql, { raw, type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  findDatedHead,
  listExportedEvents,
  listTrailEvents,
  type TrailFilter,
} from '#journal/trail.store.ts'
import { openDatabase, type Reader } from '#platform/database/database.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

const EVENTS = 12_000
const LIMIT = 100
const own = '0198c0de-0000-7000-8000-00000000000a'
const other = '0198c0de-0000-7000-8000-00000000000b'
const owner = '0198c0de-0000-7000-8000-0000000000c1'
const visitor = '0198c0de-0000-7000-8000-0000000000c2'
const thing = 'the-thing'

let database: TestDatabase
let members: ReturnType<typeof openDatabase>
let operators: ReturnType<typeof openDatabase>

/** One event each second. A rare action, actor and thing are old. */
const trailOf = (organizationId: string | null): string => `
  insert into audit_events (id, organization_id, seq, action, actor_realm, actor_account_id,
      aggregate_type, aggregate_id, data, occurred_at, digest, hash, recorded_at)
    select gen_random_uuid(), ${organizationId === null ? 'null' : `'${organizationId}'`}, n,
      case when n % 2700 = 7 then 'vault.archived' else 'expense.created' end, 'consumer',
      case when n % 2700 = 8 then '${visitor}' else '${owner}' end::uuid, 'expense',
      case when n % 2700 = 9 then '${thing}' else n::text end, '{}',
      '2026-01-01Z'::timestamptz + n * interval '1 second', sha256(''), sha256(''), now()
    from generate_series(1, ${EVENTS}) n;`

beforeAll(async () => {
  database = await createTestDatabase()
  await liftOwnersRowSecurity(database)
  await database.asOwner(`
    insert into accounts (id, realm, issuer, subject, created_at)
      select id::uuid, 'consumer', 'plans', id, now()
      from unnest(array['${owner}', '${visitor}']) id;
    insert into organizations (id, name, created_by_account_id, created_at)
      select id::uuid, 'Large', '${owner}', now() from unnest(array['${own}', '${other}']) id;
    alter table audit_events disable trigger chain;
    ${[own, other, null].map(trailOf).join('')}
    insert into audit_heads (organization_id, seq, hash)
      select id::uuid, ${EVENTS}, sha256('') from unnest(array['${own}', '${other}']) id;
    analyze audit_events; analyze audit_heads`)
  members = openDatabase({ url: database.url, poolSize: 1 })
  operators = openDatabase({ url: database.url, poolSize: 1, as: 'observer' })
}, 120_000)
afterAll(async () => {
  await members?.close()
  await operators?.close()
  await database.drop()
})

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

/** Counts the rows that the plans of a read touch in `audit_events`, and names scans of it all. */
async function explain(
  organizationId: string | null,
  read: (reader: Reader) => Promise<{ length: number } | undefined | object>,
) {
  const nodes: Plan[] = []
  const db = organizationId === null ? operators : members
  const scope = organizationId === null ? {} : { organizationId }
  const result = await db.transaction(scope, (tx) =>
    read({
      query: async <Row extends object>(statement: Sql) => {
        const how = sql`${raw('explain (analyze, format json) ')}${statement}`
        const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(how)
        const plan = row?.['QUERY PLAN'][0]?.Plan
        if (plan) nodes.push(...nodesOf(plan))
        return tx.query<Row>(statement)
      },
    }),
  )
  const scans = nodes.filter((node) => node['Relation Name'] === 'audit_events')
  const touched = scans.reduce((sum, node) => {
    const { 'Actual Rows': rows = 0, 'Rows Removed by Filter': removed = 0 } = node
    return sum + (rows + removed) * (node['Actual Loops'] ?? 1)
  }, 0)
  return { result, touched, types: scans.map((node) => node['Node Type']) }
}

const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString()
const before = { occurredAt: at(EVENTS / 2), sequence: EVENTS / 2 }

const pages: [string, TrailFilter, typeof before | undefined, number][] = [
  ['the first page', {}, undefined, LIMIT],
  ['a page from the middle', {}, before, LIMIT],
  ['an old hour', { from: at(100), to: at(160) }, undefined, 60],
  ['a common action', { action: 'expense.created' }, before, LIMIT],
  ['a rare action', { action: 'vault.archived' }, undefined, 5],
  ['an action that never happened', { action: 'vault.verified' }, undefined, 0],
  ['a common actor', { actor: owner }, before, LIMIT],
  ['a rare actor', { actor: visitor }, undefined, 5],
  ['one thing', { aggregateId: thing }, undefined, 5],
  ['a rare action in an old hour', { action: 'vault.archived', to: at(1_800) }, undefined, 1],
  [
    'a rare actor, and a common action',
    { actor: visitor, action: 'expense.created' },
    undefined,
    5,
  ],
]

describe.each([
  ['an organization', own],
  ['the service', null],
])(`the trail of %s with ${EVENTS} events`, (_whose, organizationId) => {
  test.each(pages)('%s touches only what it shows', async (_name, filter, place, shown) => {
    const { result, touched, types } = await explain(organizationId, (reader) =>
      listTrailEvents(reader, { organizationId, filter, before: place, limit: LIMIT }),
    )
    expect(result).toHaveLength(shown)
    expect(types.filter((type) => !/Index|Bitmap Heap/.test(type))).toEqual([])
    expect(touched).toBeLessThanOrEqual(shown * 2 + 10)
  })
})

test('an export reads page by page, in order', async () => {
  const { result, touched, types } = await explain(own, (reader) =>
    listExportedEvents(reader, { organizationId: own, after: 9_000, upTo: EVENTS, limit: 200 }),
  )
  expect(result).toMatchObject({ length: 200, 0: { sequence: 9_001 } })
  expect(types).toEqual(['Index Scan'])
  expect(touched).toBe(200)
})

test('the head is one event', async () => {
  const { result, touched } = await explain(own, async (reader) => findDatedHead(reader, own))
  expect(result).toMatchObject({ sequence: EVENTS, at: at(EVENTS) })
  expect(touched).toBe(1)
})
