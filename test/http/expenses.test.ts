import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, joinOrganization, type Person, type TestApp } from '#test/support/app.ts'
import {
  comment,
  expenseIn,
  hashOf,
  readExpense,
  readReport,
  revise,
} from '#test/support/expense-states.ts'
import { createExpense, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { membershipOf, outcome, revokeMember, times } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let other: ExpenseHouse
let colleague: Person
/** The employee's expense with two revisions and two comments, and the colleague's. */
let mine: Answer['body']
let theirs: Answer['body']
let foreign: Answer['body']

beforeAll(async () => {
  service = await sharedTestApp()
  house = await openExpenseHouse(service)
  other = await openExpenseHouse(service)
  colleague = await joinOrganization(service, house.organization, { role: 'employee' })
  const { id } = await expenseIn(service, house, 'needs_review')
  await comment(service, house, { id, body: 'First' })
  await revise(service, house, { id, terms: { amountBaseUnits: '7' } })
  mine = (await comment(service, house, { id, person: house.manager, body: 'Second' })).body
  theirs = await expenseIn(service, house, 'needs_review', { person: colleague })
  foreign = await expenseIn(service, other, 'needs_review')
})

const list = (
  person: Person,
  { query = '', home = house }: { query?: string; home?: ExpenseHouse } = {},
) => service.call('GET', `${home.organization.path}/expenses${query}`, { token: person.token })

const listed = ({
  revisions: _revisions,
  comments: _comments,
  commentsNextCursor: _cursor,
  reviews: _reviews,
  approvals: _approvals,
  requiredApprovals: _required,
  signedApprovals: _signed,
  ...rest
}: Answer['body']) => rest

describe('GET {org}/expenses', () => {
  test('shows owners and managers all, newest first, without revisions and comments', async () => {
    for (const person of [house.organization.owner, house.manager]) {
      const { status, body } = await list(person)
      expect(status).toBe(200)
      expect(body).toEqual({ expenses: [listed(theirs), listed(mine)], nextCursor: null })
    }
  })

  test('shows employees their own', async () => {
    expect((await list(house.employee)).body.expenses).toEqual([listed(mine)])
    expect((await list(colleague)).body.expenses).toEqual([listed(theirs)])
  })

  test('includes the current revision of each', async () => {
    const [newest] = (await list(house.employee)).body.expenses
    expect(newest.revision).toEqual(mine.revisions[0])
    expect(newest.revision).toMatchObject({ revision: 2, amountBaseUnits: '7' })
  })

  test.each(['owner', 'employee'])(
    'pages by limit and cursor for the %s, unaffected by new expenses',
    async (role) => {
      const home = await openExpenseHouse(service)
      const person = role === 'owner' ? home.organization.owner : home.employee
      const made: string[] = []
      for (const by of [person, home.manager, person, person, home.manager, person, person]) {
        const { body } = await createExpense(service, home, { person: by })
        if (role === 'owner' || by === person) made.unshift(body.id)
      }
      const page = async (query: string) => (await list(person, { query, home })).body
      const first = await page('?limit=2')
      await createExpense(service, home, { person })
      const pages = [first]
      while (pages.at(-1).nextCursor !== null) {
        pages.push(await page(`?limit=2&cursor=${pages.at(-1).nextCursor}`))
      }
      const seen = pages.flatMap(({ expenses }) => expenses.map(({ id }: { id: string }) => id))
      expect(seen).toEqual(made)
      expect(pages).toHaveLength(Math.ceil(made.length / 2))
    },
  )

  test('returns no cursor on the last page', async () => {
    const home = await openExpenseHouse(service)
    for (const _ of times(2, () => 0)) await createExpense(service, home)
    expect((await list(home.employee, { query: '?limit=2', home })).body.nextCursor).toBeNull()
    const { body } = await list(home.employee, { query: '?limit=1', home })
    const next = await list(home.employee, { query: `?limit=1&cursor=${body.nextCursor}`, home })
    expect(next.body).toMatchObject({ expenses: [expect.any(Object)], nextCursor: null })
  })

  test('gives no access through the cursor of another list', async () => {
    const { body } = await list(house.organization.owner, { query: '?limit=1' })
    const query = `?cursor=${body.nextCursor}`
    expect((await list(house.employee, { query })).body.expenses).toEqual([listed(mine)])
    expect((await list(other.organization.owner, { query, home: other })).status).toBe(200)
  })

  test.each(['limit=0', 'limit=201', 'limit=x', 'cursor=short', `cursor=${'!'.repeat(22)}`])(
    '?%s is 400',
    async (query) => {
      const answer = await list(house.manager, { query: `?${query}` })
      expect(outcome(answer)).toBe('400 validation_failed')
    },
  )

  test('is empty for a new organization', async () => {
    const { organization } = await openExpenseHouse(service)
    const url = `${organization.path}/expenses`
    const { body } = await service.call('GET', url, { token: organization.owner.token })
    expect(body).toEqual({ expenses: [], nextCursor: null })
  })

  test('is 403 for non-members and 401 without a token', async () => {
    for (const person of [await service.signIn(), other.organization.owner]) {
      expect(outcome(await list(person))).toBe('403 forbidden')
    }
    const answer = await service.call('GET', `${house.organization.path}/expenses`)
    expect(outcome(answer)).toBe('401 unauthenticated')
  })
})

describe('GET {org}/expenses/{expenseId}', () => {
  test('returns every revision and comment, newest first', async () => {
    const { owner } = house.organization
    for (const { token } of [owner, house.manager, house.employee]) {
      const { status, body } = await readExpense(service, house, mine.id, token)
      expect(status).toBe(200)
      expect(body).toEqual(mine)
    }
    expect(mine.revisions.map(({ revision }: { revision: number }) => revision)).toEqual([2, 1])
    expect(mine.comments).toEqual([
      {
        id: expect.any(String),
        authorAccountId: house.manager.accountId,
        displayName: null,
        body: 'Second',
        createdAt: expect.any(String),
      },
      {
        id: expect.any(String),
        authorAccountId: house.employee.accountId,
        displayName: null,
        body: 'First',
        createdAt: expect.any(String),
      },
    ])
  })

  test("is 404 for an employee on a colleague's expense, as for an unknown one", async () => {
    const { token } = house.employee
    const hidden = await readExpense(service, house, theirs.id, token)
    const unknown = await readExpense(service, house, randomUUID(), token)
    expect(outcome(hidden)).toBe('404 not_found')
    expect(outcome(unknown)).toBe('404 not_found')
    expect(hidden.body.error.message).toBe(unknown.body.error.message)
  })

  test("is 404 for another organization's expense and 400 for a malformed id", async () => {
    expect(outcome(await readExpense(service, house, foreign.id))).toBe('404 not_found')
    expect(outcome(await readExpense(service, house, 'mine'))).toBe('400 validation_failed')
  })

  test('is 403 for somebody who left', async () => {
    const person = await joinOrganization(service, house.organization, { role: 'employee' })
    const { id } = (await createExpense(service, house, { person })).body
    const { membershipId } = await membershipOf(service, house.organization, person)
    await revokeMember(service, house.organization, membershipId)
    expect(outcome(await readExpense(service, house, id, person.token))).toBe('403 forbidden')
    expect(outcome(await list(person))).toBe('403 forbidden')
    expect((await readExpense(service, house, id)).status).toBe(200)
  })

  test('is 403 for non-members and 401 without a token', async () => {
    const { token } = other.organization.owner
    expect(outcome(await readExpense(service, house, mine.id, token))).toBe('403 forbidden')
    const answer = await service.call('GET', `${house.organization.path}/expenses/${mine.id}`)
    expect(outcome(answer)).toBe('401 unauthenticated')
  })
})

describe('GET {org}/reports/{reportId}', () => {
  test('returns the findings and the hash of the output', async () => {
    const { owner } = house.organization
    const { id, currentReportId: reportId } = theirs
    for (const { token } of [owner, house.manager, colleague]) {
      const { status, body } = await readReport(service, house, reportId, token)
      expect(status).toBe(200)
      expect(body).toEqual({
        id: reportId,
        organizationId: house.organization.id,
        expenseId: id,
        expenseRevision: 1,
        runId: expect.any(String),
        version: 1,
        reportHash: hashOf(body.output),
        output: {
          summary: expect.any(String),
          recommendation: expect.stringMatching(/^(approve|review|reject)$/),
          riskScore: expect.any(Number),
          checks: expect.any(Array),
          policy: { version: 1, fits: expect.any(Boolean), reasons: expect.any(Array) },
          analyst: { kind: 'rules', name: expect.any(String), version: expect.any(String) },
          auditHead: {
            sequence: expect.any(Number),
            hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          },
        },
        createdAt: expect.any(String),
      })
      expect(body.output.checks.length).toBeGreaterThan(10)
      for (const check of body.output.checks) {
        expect(Object.keys(check).sort()).toEqual(['detail', 'id', 'outcome'])
        expect(check.outcome).toMatch(/^(pass|warn|fail)$/)
      }
    }
  })

  test('still returns the report of an older revision', async () => {
    const { id, currentReportId } = await expenseIn(service, house, 'needs_review')
    const { body: revised } = await revise(service, house, { id })
    expect(revised.currentReportId).toBeNull()
    const { status, body } = await readReport(service, house, currentReportId)
    expect([status, body.expenseRevision]).toEqual([200, 1])
  })

  test("is 404 for an employee on a colleague's report, as for an unknown one", async () => {
    const { token } = house.employee
    const hidden = await readReport(service, house, theirs.currentReportId, token)
    expect(outcome(hidden)).toBe('404 not_found')
    expect(outcome(await readReport(service, house, randomUUID(), token))).toBe('404 not_found')
  })

  test("is 404 for another organization's report and 400 for a malformed id", async () => {
    const { currentReportId } = foreign
    expect(outcome(await readReport(service, house, currentReportId))).toBe('404 not_found')
    expect(outcome(await readReport(service, house, theirs.id))).toBe('404 not_found')
    expect(outcome(await readReport(service, house, 'newest'))).toBe('400 validation_failed')
  })

  test('is 403 for non-members and 401 without a token', async () => {
    const { currentReportId: id } = theirs
    const { token } = other.employee
    expect(outcome(await readReport(service, house, id, token))).toBe('403 forbidden')
    const answer = await service.call('GET', `${house.organization.path}/reports/${id}`)
    expect(outcome(answer)).toBe('401 unauthenticated')
  })
})
