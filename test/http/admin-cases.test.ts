/** Operator views: the overview, the failures and the list of support cases. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAILURES_SHOWN } from '#admin/read-failures.ts'
import { type House, house } from '#test/security/house.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type Operator, signInOperator } from '#test/support/operators.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let operator: Operator
let home: House

const CASES = 60
const run = (text: string, values: unknown[] = []) => service.database.asOwner(text, values)
const read = (path: string) => service.call('GET', `/v1/admin/${path}`, { token: operator.token })

beforeAll(async () => {
  service = await startTestApp()
  operator = await signInOperator(service)
  home = await house(service)
  await liftOwnersRowSecurity(service.database)
  await run('delete from unrecorded_payments')
  await run('delete from support_messages')
  await run('delete from support_notes')
  await run('delete from support_cases')
  // Numbers and priorities cycle independently, so every pair occurs.
  await run(
    `insert into support_cases (id, organization_id, opened_by_account_id, subject, priority,
       state, created_at, updated_at)
     select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, $2, 'Case ' || n,
       1 + n % 3, (array['open', 'investigating', 'resolved', 'reopened'])[1 + n % 4],
       now(), now() from generate_series(1, $3::integer) n`,
    [home.organization.id, home.organization.owner.accountId, CASES],
  )
})
afterAll(() => service.stop())

type Listed = { subject: string; priority: number; status: string }
const words = ['low', 'medium', 'high']
const numberOf = ({ subject }: Listed) => Number(subject.slice('Case '.length))

/** Filters and sorts the cases in memory, as the expected result. */
function expected({ status, priority, sort }: Record<string, string | undefined>): number[] {
  const states = ['open', 'investigating', 'resolved', 'reopened']
  const all = Array.from({ length: CASES }, (_, n) => n + 1).map((n) => ({
    n,
    priority: 1 + (n % 3),
    status: states[n % 4],
  }))
  const kept = all
    .filter((each) => status === undefined || each.status === status)
    .filter((each) => priority === undefined || each.priority === words.indexOf(priority) + 1)
  const newest = (a: { n: number }, b: { n: number }) => b.n - a.n
  const orders: Record<string, (a: (typeof all)[0], b: (typeof all)[0]) => number> = {
    newest,
    oldest: (a, b) => a.n - b.n,
    priority_desc: (a, b) => b.priority - a.priority || newest(a, b),
    priority_asc: (a, b) => a.priority - b.priority || newest(a, b),
  }
  return kept.toSorted(orders[sort ?? 'newest']).map(({ n }) => n)
}

describe('the list of cases', () => {
  const sorts = [undefined, 'newest', 'oldest', 'priority_desc', 'priority_asc']
  const queries = [undefined, 'open', 'investigating', 'resolved', 'reopened'].flatMap((status) =>
    [undefined, 'low', 'high'].flatMap((priority) =>
      sorts.map((sort) => ({ status, priority, sort })),
    ),
  )

  test('filters and sorts by every combination of parameters', async () => {
    for (const query of queries) {
      const given = Object.entries(query).filter(([, value]) => value !== undefined)
      const { body } = await read(
        `support-cases?${new URLSearchParams(given as [string, string][])}`,
      )
      const wanted = expected(query)
      expect(body.cases.map(numberOf), JSON.stringify(query)).toEqual(wanted.slice(0, 25))
      expect(body.pagination).toEqual({
        page: 1,
        pageSize: 25,
        totalItems: wanted.length,
        totalPages: Math.ceil(wanted.length / 25),
      })
    }
  })

  test('has pages of 25 with a shorter last page, and empty pages past the end', async () => {
    const seen: number[] = []
    for (const page of [1, 2, 3]) {
      const { body } = await read(`support-cases?page=${page}`)
      expect(body.pagination).toEqual({ page, pageSize: 25, totalItems: CASES, totalPages: 3 })
      seen.push(...body.cases.map(numberOf))
    }
    expect(seen).toEqual(expected({}))
    for (const page of [4, 1_000_000, Number.MAX_SAFE_INTEGER]) {
      const { status, body } = await read(`support-cases?page=${page}`)
      expect([status, body.cases, body.pagination.page]).toEqual([200, [], page])
    }
  })

  test.each([
    ...['page=0', 'page=-1', 'page=1.5', 'page=x', 'page=9007199254740992', 'page='],
    ...['status=closed', 'status=', 'priority=2', 'priority=urgent', 'sort=subject', 'sort='],
  ])('%s is 400', async (query) => {
    const { status, body } = await read(`support-cases?${query}`)
    expect([status, body.error.code]).toEqual([400, 'validation_failed'])
  })

  test('returns the fields of a support case for each entry', async () => {
    const { body } = await read('support-cases')
    expect(Object.keys(body.cases[0]).sort()).toEqual([
      ...['createdAt', 'displayName', 'expenseId', 'id', 'openedByAccountId', 'organizationId'],
      ...['paymentIntentId', 'priority', 'status', 'subject', 'updatedAt'],
    ])
  })
})

describe('overview and failures', () => {
  test('lists no failures when nothing has failed', async () => {
    const { body } = await read('failures')
    const nothing = { analysisRuns: [], payments: [], paymentAttempts: [] }
    expect(body).toEqual({ ...nothing, unrecordedPayments: [], organizations: [] })
  })

  test('counts open cases, blocked payments and failed work in the overview', async () => {
    const { body: before } = await read('overview')
    expect(before).toEqual({
      checkedAt: expect.any(String),
      organizations: 1,
      activeAnalysisRuns: 0,
      failedAnalysisRuns: 0,
      failedPayments: 0,
      reconcilingPayments: 0,
      openSupportCases: expected({}).length - expected({ status: 'resolved' }).length,
      unrecordedPayments: 0,
    })
    const runs = 'select id from agent_runs order by id'
    const [first, second, third] = (await run(runs)).map(({ id }) => id)
    const move = 'update agent_runs set state = $2 where id = $1'
    await run(move, [first, 'failed'])
    await run(move, [second, 'running'])
    await run(move, [third, 'queued'])
    await run("update payments set state = 'reconciling'")
    const { body: after } = await read('overview')
    expect(after).toMatchObject({
      activeAnalysisRuns: 2,
      failedAnalysisRuns: 1,
      failedPayments: 0,
      reconcilingPayments: 1,
    })
    for (const state of ['blocked', 'failed']) {
      await run('update payments set state = $1, block_code = $2', [state, 'nonce_used'])
      const { body } = await read('overview')
      expect(body).toMatchObject({ failedPayments: 1, reconcilingPayments: 0 })
    }
  })

  test('shows failed runs, payments and attempts in the shape of their resources', async () => {
    await run("update payment_attempts set error_code = 'underpriced'")
    await run("update agent_runs set state = 'succeeded' where state <> 'failed'")
    await run("update agent_runs set failure_code = 'analysis_failed' where state = 'failed'")
    const { body } = await read('failures')
    const organizationId = home.organization.id
    expect(body.analysisRuns).toMatchObject([
      { organizationId, state: 'failed', failureCode: 'analysis_failed', expenseRevision: 1 },
    ])
    const detail = await read(`organizations/${organizationId}`)
    expect(body.payments).toEqual(detail.body.payments)
    expect(body.payments).toMatchObject([{ state: 'failed', blockCode: 'nonce_used' }])
    expect(body.paymentAttempts).toEqual(detail.body.attempts)
    expect(body.paymentAttempts).toMatchObject([
      { organizationId, paymentId: home.paymentId, errorCode: 'underpriced' },
    ])
  })

  test(`shows the latest ${FAILURES_SHOWN} failures of each kind, newest first`, async () => {
    const [known] = await run('select id from agent_runs limit 1')
    await run(
      `insert into agent_runs (id, organization_id, expense_id, expense_revision, state,
         failure_code, created_at, updated_at)
       select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, organization_id,
         expense_id, expense_revision, 'failed', 'run ' || n, now(),
         now() + n * interval '1 minute'
       from agent_runs, generate_series(1, $2::integer) n where id = $1`,
      [known?.id, FAILURES_SHOWN + 20],
    )
    const { body } = await read('failures')
    const codes = body.analysisRuns.map(({ failureCode }: { failureCode: string }) => failureCode)
    const newest = Array.from({ length: FAILURES_SHOWN }, (_, n) => `run ${120 - n}`)
    expect(codes).toEqual(newest)
  })
})
