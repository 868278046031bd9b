/** The snapshots of both realms: contents, order and scope. */
import sql from 'sql-template-tag'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { decodeCursor, type LiveScope, type Position } from '#live/cursor.ts'
import { findLiveEnd, listEventsAfter } from '#live/live.store.ts'
import { readAdminSnapshot, readSettled, readSnapshot, untilSettled } from '#test/live/snapshots.ts'
import type { Answer, Person, TestApp } from '#test/support/app.ts'
import { expenseIn, revise, submit } from '#test/support/expense-states.ts'
import { createExpense, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { auditTrail, liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp
let operator: string
let house: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  operator = await service.operatorToken()
})
beforeEach(async () => {
  house = await openExpenseHouse(service)
})

/** Reads once every event so far is visible. */
const read = (person: Person): Promise<Answer> => readSettled(service, house.organization, person)

const readAll = async (): Promise<Answer> => {
  await untilSettled(service)
  return readAdminSnapshot(service, operator)
}

type Listed = { aggregateType: string; aggregateId: string; group: string; updatedAt: string }

const idsOf = ({ body }: Answer): string[] =>
  body.tasks.map(({ aggregateId }: Listed) => aggregateId)

describe('a snapshot', () => {
  test('states its time, scope, transport policy and integrations', async () => {
    const { status, body, headers } = await read(house.manager)
    expect(status).toBe(200)
    expect(body.scope).toEqual({ realm: 'consumer', organizationId: house.organization.id })
    expect(body.transportPolicy).toEqual({
      keepaliveSeconds: 15,
      staleAfterSeconds: 30,
      snapshotPollSeconds: 15,
      maxConnectionSeconds: 600,
    })
    const ids = body.services.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(expect.arrayContaining(['database', 'worker']))
    expect(headers).toMatchObject({ 'x-poll-interval': '15', 'cache-control': 'private, no-cache' })
  })

  test('of operators has no organization', async () => {
    const { status, body } = await readAll()
    expect(status).toBe(200)
    expect(body.scope).toEqual({ realm: 'admin', organizationId: null })
  })

  test('lists tasks that need action, then those in progress, then finished ones', async () => {
    for (const state of [
      'paid',
      'analyzing',
      'needs_review',
      'rejected',
      'needs_review',
    ] as const) {
      await expenseIn(service, house, state)
    }
    const { tasks } = (await read(house.manager)).body
    expect(
      tasks.map(({ group, state }: Listed & { state: string }) => `${group} ${state}`),
    ).toEqual([
      'needs_action needs_review',
      'needs_action needs_review',
      'in_progress analyzing',
      'recently_completed rejected',
      'recently_completed paid',
    ])
    const times = tasks.slice(0, 2).map(({ updatedAt }: Listed) => updatedAt)
    expect(times).toEqual([...times].sort().reverse())
  })

  test('drops tasks finished more than a day ago and keeps all that still wait', async () => {
    const paid = await expenseIn(service, house, 'paid')
    const waiting = await expenseIn(service, house, 'needs_review')
    const age = (interval: string) =>
      service.database.asOwner(
        `update expenses set updated_at = now() - interval '${interval}' where id = any($1)`,
        [[paid.id, waiting.id]],
      )
    await age('23 hours 59 minutes')
    expect(idsOf(await read(house.manager))).toEqual([waiting.id, paid.id])
    await age('24 hours 1 minute')
    expect(idsOf(await read(house.manager))).toEqual([waiting.id])
  })

  test('has at most the newest 50 tasks of each group', async () => {
    const { id } = await expenseIn(service, house, 'needs_review')
    await copies(id, 60)
    const { body } = await read(house.manager)
    expect(body.tasks).toHaveLength(50)
    expect(idsOf({ body } as Answer)).toContain(id)
    const times = body.tasks.map(({ updatedAt }: Listed) => updatedAt)
    expect(times).toEqual([...times].sort().reverse())
  })
})

const REVISION_COLUMNS = `organization_id, expense_id, revision, vault_id, recipient_id,
  recipient_label, recipient_address, amount, requested_mode, purpose, purpose_key, version_hash,
  author_account_id, created_at`

/** Each is a minute older than the one before. */
async function copies(id: string, count: number): Promise<void> {
  const { asOwner } = service.database
  await asOwner(
    `with made as (
       insert into expenses select n.* from expenses e, generate_series(1, ${count}) i,
         jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'payment_id',
           gen_random_uuid(), 'updated_at', e.updated_at - i * interval '1 minute')) n
       where e.id = $1 returning id)
     insert into expense_revisions (${REVISION_COLUMNS})
     select ${REVISION_COLUMNS.replace('expense_id', 'm.id')}
     from made m, expense_revisions r where r.expense_id = $1`,
    [id],
  )
}

describe('the text of a task', () => {
  test('fits its length limit for any purpose', async () => {
    const purposes = [
      '😀'.repeat(2000),
      `${'漢'.repeat(999)}\n${'字'.repeat(1000)}`,
      'a\u0301'.repeat(1000),
    ]
    for (const purpose of purposes) {
      const { body } = await createExpense(service, house, { terms: { purpose } })
      expect(outcome(await submit(service, house, { id: body.id }))).toBe('202')
    }
    const { tasks } = (await read(house.manager)).body
    expect(tasks).toHaveLength(3)
    for (const { title, detail } of tasks) {
      expect([...title]).toHaveLength(240)
      expect(title.isWellFormed()).toBe(true)
      expect(detail).toBe('Waiting for its analysis. 25.00 USDC to Acme Supplies.')
    }
  })
})

const scopeOf = (): LiveScope => ({ realm: 'consumer', organizationId: house.organization.id })

const place = async (cursor: string, scope: LiveScope): Promise<Position | undefined> => {
  const { ctx } = service
  const { epoch } = await ctx.observerDb.transaction({}, (tx) =>
    findLiveEnd(tx, { realm: 'admin', organizationId: null }),
  )
  return decodeCursor(ctx.secrets.cursorKey, cursor, { epoch, scope })
}

describe('the events of a snapshot', () => {
  test('are the newest 50, newest first, and a stream continues from the first', async () => {
    for (let n = 0; n < 14; n += 1) await expenseIn(service, house, 'needs_review')
    const { events, cursor } = (await read(house.manager)).body
    expect(events).toHaveLength(50)
    const times = events.map(({ occurredAt }: { occurredAt: string }) => occurredAt)
    expect(times).toEqual([...times].sort().reverse())
    expect(new Set(events.map(({ id }: { id: string }) => id)).size).toBe(50)
    expect(cursor).toBe(events[0].cursor)
  })

  test('leave no gap: the cursor is followed by exactly what happened since', async () => {
    const { id } = await expenseIn(service, house, 'needs_review')
    const { cursor } = (await read(house.manager)).body
    const after = await place(cursor, scopeOf())
    await revise(service, house, { id })
    const { events } = (await read(house.manager)).body
    const viewer = { scope: scopeOf(), accountId: house.manager.accountId, seesAll: true }
    const { id: organizationId } = house.organization
    const rows = await service.ctx.db.transaction({ organizationId }, (tx) =>
      listEventsAfter(tx, viewer, { after: after as Position, limit: 10 }),
    )
    expect(rows.map((row) => row.id)).toEqual([events[0].id])
    expect(events[0]).toMatchObject({
      kind: 'expense.changed',
      aggregateId: id,
      targetState: 'draft',
    })
  })

  test('carry exactly the fields of the contract', async () => {
    await expenseIn(service, house, 'analysis_queued')
    const { events } = (await read(house.manager)).body
    expect(Object.keys(events[0]).sort()).toEqual(
      [
        ...['aggregateId', 'aggregateType', 'audience', 'code', 'cursor', 'id', 'kind'],
        ...['occurredAt', 'organizationId', 'severity', 'targetState'],
      ].sort(),
    )
  })

  test("have a cursor bound to the reader's scope", async () => {
    await expenseIn(service, house, 'analysis_queued')
    const own = (await read(house.manager)).body
    const all = (await readAll()).body
    expect(all.events[0].id).toBe(own.events[0].id)
    expect(all.cursor).not.toBe(own.cursor)
    expect(await place(all.cursor, scopeOf())).toBeUndefined()
    expect(await place(all.cursor, { realm: 'admin', organizationId: null })).toBeDefined()
  })

  test('do not pass a transaction that is still open', async () => {
    const { events: before, cursor } = (await read(house.manager)).body
    const opened = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const holding = service.ctx.ownerDb.transaction({}, async (tx) => {
      await tx.query(sql`select pg_current_xact_id()`)
      opened.resolve()
      await commit.promise
    })
    await opened.promise
    await expenseIn(service, house, 'draft')
    const held = (await readSnapshot(service, house.organization, house.manager)).body
    expect([held.cursor, held.events]).toEqual([cursor, before])
    commit.resolve()
    await holding
    expect((await read(house.manager)).body.events).toHaveLength(before.length + 1)
  })
})

describe("an operator's snapshot", () => {
  test("is recorded in the service's audit trail once in ten minutes of polling", async () => {
    const reads = async () =>
      (await auditTrail(service.database, null)).filter(({ action }) => action === 'operator.read')
    const before = await reads()
    const token = await service.operatorToken()
    await readAdminSnapshot(service, token)
    await readAdminSnapshot(service, token)
    const after = (await reads()).slice(before.length)
    expect(after).toHaveLength(1)
    expect(after[0]).toMatchObject({
      aggregateType: 'service',
      actorRealm: 'admin',
      data: { operation: 'getAdminLiveSnapshot' },
    })
    expect(after[0]?.actorAccountId).toBeTruthy()
    expect(after[0]?.requestId).toBeTruthy()
  })
})
