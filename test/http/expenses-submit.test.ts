import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { joinOrganization, type TestApp } from '#test/support/app.ts'
import {
  cancel,
  expenseIn,
  expenseStates,
  failAnalysis,
  moveBySystem,
  readExpense,
  readReport,
  revise,
  submit,
} from '#test/support/expense-states.ts'
import { analyse, type ExpenseHouse, openExpenseHouse, takeStep } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { auditTrail, outcome } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let other: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  house = await openExpenseHouse(service)
  other = await openExpenseHouse(service)
})

const jobsFor = (runId: string) =>
  service.database.asOwner(
    `select 1 from graphile_worker._private_jobs where payload ->> 'runId' = $1`,
    [runId],
  )

const runsOf = async ({ id }: { id: string }): Promise<string[]> =>
  (await auditTrail(service.database, house.organization.id))
    .filter(({ action, data }) => action === 'agent_run.queued' && data.expenseId === id)
    .map(({ aggregateId }) => aggregateId)

const bodies: [string, unknown][] = [
  ['no version', {}],
  ['version 0', { expectedVersion: 0 }],
  ['a negative version', { expectedVersion: -1 }],
  ['a version as text', { expectedVersion: '1' }],
  ['a version and a half', { expectedVersion: 1.5 }],
  ['a version past the safe integers', { expectedVersion: 2 ** 53 }],
  ['an extra property', { expectedVersion: 1, state: 'paid' }],
  ['a list', [1]],
  ['nothing', undefined],
]

const steps = { submit, cancel }

describe.each(['submit', 'cancel'] as const)('POST {org}/expenses/{expenseId}/%s', (step) => {
  const take = steps[step]

  test('rejects an invalid body with 400 and changes nothing', async () => {
    const expense = await expenseIn(service, house, 'draft')
    const { employee: person } = house
    for (const [name, body] of bodies) {
      const answer = await takeStep(service, house, { id: expense.id, step, person, body })
      expect([name, outcome(answer)]).toEqual([name, '400 validation_failed'])
    }
    expect((await readExpense(service, house, expense.id)).body).toEqual(expense)
  })

  test('is 409 at another version and changes nothing', async () => {
    const { id } = await expenseIn(service, house, 'draft')
    const { body: expense } = await revise(service, house, { id })
    for (const expectedVersion of [1, 3, Number.MAX_SAFE_INTEGER]) {
      const answer = await take(service, house, { id, expectedVersion })
      expect(outcome(answer)).toBe('409 version_conflict')
    }
    expect((await readExpense(service, house, id)).body).toEqual(expense)
  })

  test('is 403 for anybody but the submitter and for an unknown expense', async () => {
    const expense = await expenseIn(service, house, 'draft')
    const { organization, manager } = house
    const colleague = await joinOrganization(service, organization, { role: 'employee' })
    for (const person of [organization.owner, manager, colleague, other.employee]) {
      const answer = await take(service, house, { id: expense.id, person })
      expect(outcome(answer)).toBe('403 forbidden')
    }
    const foreign = await expenseIn(service, other, 'draft')
    for (const id of [randomUUID(), foreign.id]) {
      expect(outcome(await take(service, house, { id }))).toBe('403 forbidden')
    }
    expect((await readExpense(service, house, expense.id)).body).toEqual(expense)
    expect((await readExpense(service, other, foreign.id)).body).toEqual(foreign)
    expect(outcome(await take(service, house, { id: 'mine' }))).toBe('400 validation_failed')
  })

  test('lets owners and managers do it to their own expenses', async () => {
    for (const person of [house.organization.owner, house.manager]) {
      const { id } = await expenseIn(service, house, 'draft', { person })
      expect((await take(service, house, { id, person })).status).toBeLessThan(300)
    }
  })

  test('is 401 without a token', async () => {
    const { id } = await expenseIn(service, house, 'draft')
    const url = `${house.organization.path}/expenses/${id}/${step}`
    const answer = await service.call('POST', url, { body: { expectedVersion: 1 } })
    expect(outcome(answer)).toBe('401 unauthenticated')
  })
})

describe('POST {org}/expenses/{expenseId}/submit', () => {
  test('queues a run with its job and returns it as the task', async () => {
    const { id } = await expenseIn(service, house, 'draft')
    const { status, body } = await submit(service, house, { id })
    expect(status).toBe(202)
    expect(body).toEqual({ taskId: expect.any(String), expenseId: id })
    expect(await runsOf({ id })).toEqual([body.taskId])
    expect(await jobsFor(body.taskId)).toHaveLength(1)
    expect((await readExpense(service, house, id)).body.state).toBe('analysis_queued')
  })

  test('leads to one report for the revision', async () => {
    const { id } = await expenseIn(service, house, 'draft')
    const { taskId } = (await submit(service, house, { id })).body
    await analyse(service, house, taskId)
    await analyse(service, house, taskId)
    const { state, currentReportId } = (await readExpense(service, house, id)).body
    expect(state).toBe('needs_review')
    const { body } = await readReport(service, house, currentReportId)
    expect(body).toMatchObject({ expenseId: id, expenseRevision: 1, runId: taskId, version: 1 })
  })

  test.each(['analysis_queued', 'analyzing'] as const)(
    'returns the same task while the expense is %s and changes nothing',
    async (state) => {
      const expense = await expenseIn(service, house, state)
      const [taskId = ''] = await runsOf(expense)
      const answer = await submit(service, house, { id: expense.id })
      expect([answer.status, answer.body]).toEqual([202, { taskId, expenseId: expense.id }])
      expect(await runsOf(expense)).toEqual([taskId])
      expect(await jobsFor(taskId)).toHaveLength(1)
      expect((await readExpense(service, house, expense.id)).body).toEqual(expense)
    },
  )

  const possible = ['draft', 'analysis_queued', 'analyzing', 'blocked']
  test.each(expenseStates.filter((state) => !possible.includes(state)))(
    'is 409 from %s and queues no run',
    async (state) => {
      const expense = await expenseIn(service, house, state)
      const before = await runsOf(expense)
      const answer = await submit(service, house, { id: expense.id })
      expect(outcome(answer)).toBe('409 state_conflict')
      expect(await runsOf(expense)).toEqual(before)
      expect((await readExpense(service, house, expense.id)).body).toEqual(expense)
    },
  )

  test('starts another run after a failed analysis, which can succeed', async () => {
    const { id, blockCode, currentReportId } = await expenseIn(service, house, 'blocked')
    expect([blockCode, currentReportId]).toEqual(['analysis_failed', null])
    const { status, body } = await submit(service, house, { id })
    expect(status).toBe(202)
    expect(await runsOf({ id })).toEqual([expect.any(String), body.taskId])
    await analyse(service, house, body.taskId)
    const expense = (await readExpense(service, house, id)).body
    expect(expense).toMatchObject({ state: 'needs_review', blockCode: null })
    expect((await readReport(service, house, expense.currentReportId)).body.version).toBe(1)
  })

  test('blocks the expense again after a second failure', async () => {
    const { id } = await expenseIn(service, house, 'blocked')
    await submit(service, house, { id })
    await failAnalysis(service, house, id)
    const { body } = await readExpense(service, house, id)
    expect(body).toMatchObject({ state: 'blocked', blockCode: 'analysis_failed' })
  })

  test('is 409 for an expense blocked for another reason', async () => {
    const { id } = await expenseIn(service, house, 'approved_ready_for_payment')
    await moveBySystem(service, house, { id, event: 'payment_blocked' })
    const before = (await readExpense(service, house, id)).body
    expect(before.blockCode).toBe('token_refused')
    expect(outcome(await submit(service, house, { id }))).toBe('409 state_conflict')
    expect((await readExpense(service, house, id)).body).toEqual(before)
  })
})
