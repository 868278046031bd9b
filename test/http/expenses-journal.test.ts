import { randomUUID } from 'node:crypto'
import type { Sql } from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ExpenseEvent } from '#expenses/expense.machine.ts'
import { expenseActions } from '#expenses/expenses.actions.ts'
import { verifyAudit } from '#journal/audit.ts'
import { openOwnerPool } from '#platform/database/database.ts'
import {
  type Answer,
  type Call,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse, termsOf } from '#test/support/expenses.ts'
import {
  auditTrail,
  freshKey,
  liftOwnersRowSecurity,
  liveTrail,
  outcome,
} from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp()
  house = await openExpenseHouse(service)
  await liftOwnersRowSecurity(service.database)
  await service.database.asOwner(`
    create function sabotage() returns trigger language plpgsql
    as $$ begin raise exception 'the disk is gone'; end $$`)
})
afterAll(() => service.stop())

const tables = ['audit_events', 'live_events'] as const

/** Runs the whole command and then fails its commit. */
const failCommits = (table: string) =>
  service.database.asOwner(`
    create constraint trigger sabotage after insert on ${table}
    deferrable initially deferred for each row execute function sabotage()`)

const repair = async () => {
  for (const table of tables) {
    await service.database.asOwner(`drop trigger if exists sabotage on ${table}`)
  }
}
afterEach(repair)

/** A digest of every row in every table, including the job queue. */
async function everything(): Promise<Record<string, string>> {
  const names = await service.database.asOwner<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and (n.nspname = 'countersign' or c.relname = '_private_jobs')`,
  )
  const parts = names.map(
    ({ name }) => `select '${name}' as name, md5(string_agg(t::text, ';' order by t::text)) as md5
                   from ${name} t`,
  )
  const rows = await service.database.asOwner<{ name: string; md5: string }>(
    parts.join(' union all '),
  )
  return Object.fromEntries(rows.map(({ name, md5 }) => [name, md5]))
}

const liveOf = ({ id }: Organization) => liveTrail(service.database, id)
const trailOf = ({ id }: Organization) => auditTrail(service.database, id)

/** Expected rows of one operation: action, subject and data, and the live event of each. */
type Row = {
  action: string
  id: string
  data: Record<string, unknown>
  live: { targetState: string; severity?: string; code?: string | null }
}
type Prepared = {
  person?: 'employee' | 'manager'
  url: string
  call: Call
  rows: (answer: Answer) => Row[]
}

const reviewed =
  (action: string, event: ExpenseEvent, to: string) => async (): Promise<Prepared> => {
    const { id } = await expenseIn(service, house, 'needs_review')
    const severity = to === 'rejected' ? 'healthy' : 'action_required'
    return {
      person: 'manager',
      url: `/${id}/review`,
      call: { body: { expectedVersion: 1, action, reason: 'Because' } },
      rows: () => [
        {
          action: expenseActions[event],
          id,
          data: { from: 'needs_review', to, revision: 1, reason: 'Because' },
          live: { targetState: to, severity },
        },
      ],
    }
  }

const operations: Record<string, () => Promise<Prepared>> = {
  'POST expenses': async () => ({
    url: '',
    call: { body: termsOf(house), headers: freshKey() },
    rows: ({ body: { id, paymentId, revision } }) => [
      {
        action: 'expense.created',
        id,
        data: { to: 'draft', revision: 1, paymentId, versionHash: revision.versionHash },
        live: { targetState: 'draft' },
      },
    ],
  }),
  'POST revisions': async () => {
    const { id } = await expenseIn(service, house, 'needs_review')
    return {
      url: `/${id}/revisions`,
      call: { body: { ...termsOf(house), expectedVersion: 1, reason: 'Wrong' } },
      rows: ({ body: { revision } }) => [
        {
          action: 'expense.revised',
          id,
          data: {
            from: 'needs_review',
            to: 'draft',
            revision: 2,
            versionHash: revision.versionHash,
            reason: 'Wrong',
          },
          live: { targetState: 'draft' },
        },
      ],
    }
  },
  'POST submit': async () => {
    const { id } = await expenseIn(service, house, 'draft')
    return {
      url: `/${id}/submit`,
      call: { body: { expectedVersion: 1 } },
      rows: ({ body: { taskId } }) => [
        {
          action: 'expense.submitted',
          id,
          data: { from: 'draft', to: 'analysis_queued', revision: 1 },
          live: { targetState: 'analysis_queued' },
        },
        {
          action: 'agent_run.queued',
          id: taskId,
          data: { expenseId: id, revision: 1 },
          live: { targetState: 'queued' },
        },
      ],
    }
  },
  'POST review request_revision': reviewed(
    'request_revision',
    'request_revision',
    'revision_requested',
  ),
  'POST review reject': reviewed('reject', 'reject', 'rejected'),
  'POST review advance': reviewed('advance_to_approval', 'advance', 'awaiting_approval'),
  'POST comments': async () => {
    const { id } = await expenseIn(service, house, 'needs_review')
    return {
      person: 'manager',
      url: `/${id}/comments`,
      call: { body: { body: 'Where is the invoice?' } },
      rows: ({ body: { comments } }) => [
        {
          action: 'expense.commented',
          id,
          data: { commentId: comments[0].id },
          live: { targetState: 'needs_review', code: 'commented' },
        },
      ],
    }
  },
  'POST cancel': async () => {
    const { id } = await expenseIn(service, house, 'needs_review')
    return {
      url: `/${id}/cancel`,
      call: { body: { expectedVersion: 1 } },
      rows: () => [
        {
          action: 'expense.cancelled',
          id,
          data: { from: 'needs_review', to: 'cancelled', revision: 1 },
          live: { targetState: 'cancelled' },
        },
      ],
    }
  },
}

const run = ({ person = 'employee', url, call }: Prepared, requestId: string) =>
  service.call('POST', `${house.organization.path}/expenses${url}`, {
    ...call,
    token: house[person].token,
    headers: { ...call.headers, 'x-request-id': requestId },
  })

const expectedLive = ({ action, id, live }: Row) => {
  const [aggregateType = ''] = action.split('.')
  return {
    kind: `${aggregateType}.changed`,
    aggregateType,
    aggregateId: id,
    audience: 'both',
    severity: 'healthy',
    code: null,
    ...live,
  }
}

describe.each(Object.entries(operations))('%s', (_name, prepare) => {
  test('leaves no trace when its commit fails, and both rows when it succeeds', async () => {
    const prepared = await prepare()
    const before = await everything()
    for (const table of tables) {
      await failCommits(table)
      expect(outcome(await run(prepared, randomUUID()))).toBe('500 internal')
      await repair()
      expect(await everything()).toEqual(before)
    }
    const { organization } = house
    const [trail, live] = [await trailOf(organization), await liveOf(organization)]
    const requestId = randomUUID()
    const answer = await run(prepared, requestId)
    expect(answer.status).toBeLessThan(300)
    const rows = prepared.rows(answer)
    expect((await trailOf(organization)).slice(trail.length)).toEqual(
      rows.map(({ action, id, data }) => ({
        seq: expect.any(Number),
        action,
        aggregateId: id,
        aggregateType: action.split('.')[0],
        actorRealm: 'consumer',
        actorAccountId: house[prepared.person ?? 'employee'].accountId,
        requestId,
        data,
      })),
    )
    expect((await liveOf(organization)).slice(live.length)).toEqual(rows.map(expectedLive))
  })

  test('writes nothing when it is refused', async () => {
    const prepared = await prepare()
    const before = await everything()
    const body = { ...(prepared.call.body as object), unexpected: true }
    const refused = await run({ ...prepared, call: { ...prepared.call, body } }, randomUUID())
    expect(outcome(refused)).toBe('400 validation_failed')
    expect(await everything()).toEqual(before)
  })
})

test('the resulting audit trail verifies', async () => {
  const pool = openOwnerPool({ url: service.database.url, max: 1 })
  const query = async <R>(statement: Sql) => (await pool.query(statement)).rows as unknown as R[]
  const { events, problems } = await verifyAudit(query)
  await pool.end()
  expect(problems).toEqual([])
  expect(events).toBeGreaterThan(50)
})
