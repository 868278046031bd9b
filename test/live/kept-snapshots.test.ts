/**
 * A process answers with the snapshot that it kept for a member, and reads a new one as soon as
 * anything changed that the tasks are derived from.
 */
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createKeptSnapshots } from '#live/kept-snapshots.ts'
import { readSnapshot, untilSettled } from '#test/live/snapshots.ts'
import { type Answer, type Person, startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { createExpense, openExpenseHouse } from '#test/support/expenses.ts'
import { createMovingClock } from '#test/support/moving-clock.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { openCrowd, type TaskHouse } from './task-house.ts'

const clock = createMovingClock()
let service: TestApp
let house: TaskHouse

beforeAll(async () => {
  service = await startTestApp({ replace: { clock } })
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())
beforeEach(async () => {
  house = await openCrowd(service)
  await expenseIn(service, house, 'awaiting_approval')
  await expenseIn(service, house, 'blocked')
})

/** Sees everything, and could sign: their tasks are derived from most tables. */
const reader = (): Person => house.people['signing manager'] as Person

/** The texts of all statements that were sent meanwhile. */
async function sentBy(work: () => Promise<unknown>): Promise<string[]> {
  const prototype = pg.Client.prototype as unknown as { query(...sent: unknown[]): unknown }
  const { query } = prototype
  const texts: string[] = []
  prototype.query = function (this: unknown, ...sent) {
    const { statements = [] } = sent[0] as { statements?: { text: string }[] }
    texts.push(...statements.map(({ text }) => text))
    return query.apply(this, sent)
  }
  try {
    await work()
  } finally {
    prototype.query = query
  }
  return texts
}

const readsTasks = async (person = reader()): Promise<boolean> =>
  (await sentBy(() => readSnapshot(service, house.organization, person))).some((text) =>
    text.includes('with wanted as'),
  )

/** Everything so far is visible and kept. */
async function keep(person = reader()): Promise<Answer> {
  await untilSettled(service)
  await readSnapshot(service, house.organization, person)
  const answer = await readSnapshot(service, house.organization, person)
  expect(await readsTasks(person)).toBe(false)
  return answer
}

describe('a kept snapshot', () => {
  test('is sent again while nothing has changed, with the time and the health of now', async () => {
    const first = await keep()
    const again = await readSnapshot(service, house.organization, reader())
    const { serverTime, services: _services, ...content } = again.body
    expect(content).toEqual(
      Object.fromEntries(Object.keys(content).map((name) => [name, first.body[name]])),
    )
    expect(again.headers.etag).toBe(first.headers.etag)
    expect(serverTime > first.body.serverTime).toBe(true)
  })

  test('is checked in the same message as the membership', async () => {
    await keep()
    const texts = await sentBy(() => readSnapshot(service, house.organization, reader()))
    expect(texts.filter((text) => text.includes('set_config'))).toHaveLength(1)
  })

  test('is answered with 304 if the client knows it', async () => {
    const { headers } = await keep()
    const tag = { 'if-none-match': String(headers.etag) }
    const { status } = await readSnapshot(service, house.organization, reader(), tag)
    expect(status).toBe(304)
  })

  test('is not sent to another member, nor to the same one in another role', async () => {
    await keep()
    expect(await readsTasks(house.manager)).toBe(true)
    const tasks = async () =>
      (await readSnapshot(service, house.organization, house.manager)).body.tasks.length
    const all = await tasks()
    await createExpense(service, house, { person: house.organization.owner })
    await service.database.asOwner(
      `update memberships set role = 'employee' where account_id = $1 and organization_id = $2`,
      [house.manager.accountId, house.organization.id],
    )
    expect(await tasks()).toBeLessThan(all)
  })

  test('holds while other organizations change', async () => {
    await keep()
    const other = await openExpenseHouse(service)
    await createExpense(service, other, { person: other.organization.owner })
    // Opening an organization links wallets, which concerns all organizations.
    await keep()
    await createExpense(service, other, { person: other.organization.owner })
    expect(await readsTasks()).toBe(false)
  })
})

describe('a new snapshot is read', () => {
  const touch = (table: string, column: string): string =>
    `update ${table} set ${column} = ${column} where organization_id = $1`

  test.each([
    ['an expense', touch('expenses', 'state')],
    ['a recipient', touch('recipients', 'label')],
    ['a vault', touch('vaults', 'balance')],
    ['a policy', touch('policies', 'paused')],
    ['an executor', touch('executor_bindings', 'state')],
    ['a member', touch('memberships', 'role')],
    ['a wallet role', touch('wallet_roles', 'state')],
    ['an account', `update accounts set status = status where $1::uuid is not null`],
    ['a linked wallet', `update wallet_links set address = address where $1::uuid is not null`],
    ['a wallet', `update wallets set address = address where $1::uuid is not null`],
  ])('after a change of %s', async (_name, text) => {
    await keep()
    const rows = await service.database.asOwner(`${text} returning 1`, [house.organization.id])
    expect(rows).not.toEqual([])
    expect(await readsTasks()).toBe(true)
    expect(await readsTasks()).toBe(false)
  })

  test('after an event became readable', async () => {
    await keep()
    await service.database.asOwner(
      `insert into live_events (id, organization_id, audience, kind, aggregate_type, aggregate_id,
         severity, occurred_at)
       values (gen_random_uuid(), $1::uuid, 'both', 'integration.changed', 'integration',
         $1::uuid::text, 'healthy', now())`,
      [house.organization.id],
    )
    await untilSettled(service)
    expect(await readsTasks()).toBe(true)
  })

  test('after a transaction that was open when the snapshot was kept', async () => {
    await untilSettled(service)
    const client = new pg.Client({ connectionString: service.database.url })
    await client.connect()
    try {
      await client.query('begin')
      const text = 'update countersign.vaults set balance = balance where organization_id = $1'
      await client.query(text, [house.organization.id])
      await service.database.asOwner('select pg_current_xact_id()')
      await readsTasks()
      expect(await readsTasks()).toBe(false)
      await client.query('commit')
      expect(await readsTasks()).toBe(true)
    } finally {
      await client.end()
    }
  })

  test('a minute later, and when a finished task leaves the list', async () => {
    const paid = await expenseIn(service, house, 'paid')
    await keep()
    clock.ahead(61)
    expect(await readsTasks()).toBe(true)
    await service.database.asOwner(
      `update expenses set updated_at = $2::timestamptz - interval '23 hours 59 minutes 50 seconds'
       where id = $1`,
      [paid.id, clock.now()],
    )
    const ids = (answer: Answer) =>
      answer.body.tasks.map(({ aggregateId }: { aggregateId: string }) => aggregateId)
    expect(ids(await keep())).toContain(paid.id)
    clock.ahead(11)
    expect(ids(await readSnapshot(service, house.organization, reader()))).not.toContain(paid.id)
  })
})

/** Read with every snapshot, written with another table, or of no effect on a member's tasks. */
const UNNOTED = ['live_events', 'live_state', 'profiles', 'organizations', 'expense_revisions']

test('every table that tasks are derived from notes its changes', async () => {
  const { owner } = house.organization
  const read: string[] = []
  for (const person of [owner, reader()]) {
    const texts = await sentBy(() => readSnapshot(service, house.organization, person))
    const begin = texts.findIndex((text) => text.startsWith('begin isolation level'))
    read.push(...texts.slice(begin, texts.indexOf('commit', begin)))
  }
  const names = read.flatMap((text) =>
    [...text.matchAll(/\b(?:from|join)\s+([a-z_]+)/g)].map(([, name]) => name),
  )
  // Views count as the tables that they are made of.
  const tables = await service.database.asOwner(
    `with recursive used (oid) as (
       select oid from pg_class where relnamespace = 'countersign'::regnamespace
         and relname = any($1)
       union
       select d.refobjid from used u join pg_rewrite r on r.ev_class = u.oid
         join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
           and d.refclassid = 'pg_class'::regclass)
     select c.relname as name, exists (select from pg_trigger t where t.tgrelid = c.oid
       and t.tgname = 'note_task_change') as notes
     from used u join pg_class c on c.oid = u.oid where c.relkind = 'r' order by 1`,
    [names],
  )
  const silent = tables.filter(({ notes }) => !notes).map(({ name }) => name)
  expect(silent.filter((name) => !UNNOTED.includes(String(name)))).toEqual([])
  expect(tables.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['expenses', 'payments', 'vaults', 'policies', 'vault_unsent_totals']),
  )
})

test('members who were kept longest ago make room for others', () => {
  const kept = createKeptSnapshots({ bytesMax: 250 })
  const member = (membershipId: string) => ({
    organizationId: 'organization',
    membershipId,
    accountId: membershipId,
    role: 'owner' as const,
    requestId: 'request',
  })
  const snapshot = {
    body: Buffer.alloc(100),
    digest: '',
    severity: 'healthy' as const,
    asOf: '',
    mark: '',
    until: new Date(),
  }
  for (const id of ['a', 'b', 'a', 'c']) kept.keep(member(id), snapshot)
  const found = ['a', 'b', 'c'].filter((id) => kept.find(member(id)) !== undefined)
  expect(found).toEqual(['a', 'c'])
})
