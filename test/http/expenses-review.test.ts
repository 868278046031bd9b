import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ExpenseState } from '#expenses/expense.machine.ts'
import { setAccountStatus } from '#identity/operators.ts'
import { joinOrganization, type TestApp } from '#test/support/app.ts'
import {
  expenseIn,
  expenseStates,
  moveBySystem,
  readExpense,
  review,
} from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse, takeStep } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  addRecipient,
  auditTrail,
  membershipOf,
  outcome,
  revokeMember,
} from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let other: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  house = await openExpenseHouse(service)
  other = await openExpenseHouse(service)
})

const actions = ['request_revision', 'reject', 'advance_to_approval'] as const
type Action = (typeof actions)[number]

/** The expected result of every review action, written by hand; every other state is a 409. */
const leads: Partial<Record<ExpenseState, Partial<Record<Action, ExpenseState>>>> = {
  needs_review: {
    request_revision: 'revision_requested',
    reject: 'rejected',
    advance_to_approval: 'awaiting_approval',
  },
  awaiting_approval: { request_revision: 'revision_requested', reject: 'rejected' },
  blocked: { request_revision: 'revision_requested', reject: 'rejected' },
}

const moves = Object.entries(leads).flatMap(([from, ways]) =>
  Object.entries(ways).map(([action, to]) => [action, from, to] as [Action, ExpenseState, string]),
)
const lastReview = async (home: ExpenseHouse) =>
  (await auditTrail(service.database, home.organization.id)).at(-1)

describe('POST {org}/expenses/{expenseId}/review', () => {
  test.each(moves)('%s moves the expense from %s to %s', async (action, from, to) => {
    const expense = await expenseIn(service, house, from)
    const { status, body } = await review(service, house, { id: expense.id, action })
    expect(status).toBe(200)
    const [newest, ...earlier] = body.reviews
    expect(newest).toMatchObject({ action, reason: 'As agreed', revision: 1 })
    const changed = { state: to, blockCode: null, updatedAt: expect.any(String) }
    expect({ ...body, reviews: earlier }).toEqual({ ...expense, ...changed })
    expect((await readExpense(service, house, expense.id)).body).toEqual(body)
  })

  test.each(expenseStates)(
    'is 409 from %s for every other action and changes nothing',
    async (from) => {
      const expense = await expenseIn(service, house, from)
      for (const action of actions.filter((name) => leads[from]?.[name] === undefined)) {
        const answer = await review(service, house, { id: expense.id, action })
        const isUnreported = from === 'blocked' && action === 'advance_to_approval'
        expect(outcome(answer)).toBe(isUnreported ? '409 report_missing' : '409 state_conflict')
      }
      expect((await readExpense(service, house, expense.id)).body).toEqual(expense)
    },
  )

  test('advances an expense that was blocked after its report was written', async () => {
    const { id } = await expenseIn(service, house, 'approved_ready_for_payment')
    await moveBySystem(service, house, { id, event: 'payment_blocked' })
    const { status, body } = await review(service, house, { id })
    expect([status, body.state, body.blockCode]).toEqual([200, 'awaiting_approval', null])
  })

  test.each(actions)('%s is 409 at another version and changes nothing', async (action) => {
    const expense = await expenseIn(service, house, 'needs_review')
    for (const expectedVersion of [2, Number.MAX_SAFE_INTEGER]) {
      const answer = await review(service, house, { id: expense.id, action, expectedVersion })
      expect(outcome(answer)).toBe('409 version_conflict')
    }
    expect((await readExpense(service, house, expense.id)).body).toEqual(expense)
  })

  test('cannot advance to a deactivated recipient, but can request a revision', async () => {
    const { organization } = house
    const { token } = organization.owner
    const { id: recipientId } = (await addRecipient(service, organization)).body
    const { id } = await expenseIn(service, house, 'needs_review', { terms: { recipientId } })
    await service.call('POST', `${organization.path}/recipients/${recipientId}/deactivate`, {
      token,
    })
    expect(outcome(await review(service, house, { id }))).toBe('409 state_conflict')
    expect((await readExpense(service, house, id)).body.state).toBe('needs_review')
    const back = await review(service, house, { id, action: 'request_revision' })
    expect(back.body.state).toBe('revision_requested')
  })

  test('cannot advance from an archived or disabled vault', async () => {
    const home = await openExpenseHouse(service)
    const { id } = await expenseIn(service, home, 'needs_review')
    await service.database.asOwner('alter table vaults no force row level security')
    const set = (what: string) =>
      service.database.asOwner(`update vaults set ${what} where id = $1`, [home.vaultId])
    await set('archived_at = now(), is_default = false')
    expect(outcome(await review(service, home, { id }))).toBe('409 vault_archived')
    await set("archived_at = null, state = 'disabled'")
    expect(outcome(await review(service, home, { id }))).toBe('409 vault_unverified')
    expect((await readExpense(service, home, id)).body.state).toBe('needs_review')
    expect((await review(service, home, { id, action: 'reject' })).body.state).toBe('rejected')
  })

  const bad: [string, Record<string, unknown>][] = [
    ['another action', { action: 'approve' }],
    ['no action', { action: undefined }],
    ['no reason', { reason: undefined }],
    ['an empty reason', { reason: '' }],
    ['a blank reason', { reason: ' \n\u3000' }],
    ['a reason of 1001 code points', { reason: '🦊'.repeat(1001) }],
    ['a control character in the reason', { reason: 'be\u0007ll' }],
    ['version 0', { expectedVersion: 0 }],
    ['a version as text', { expectedVersion: '1' }],
    ['a version past the safe integers', { expectedVersion: 2 ** 53 }],
    ['no version', { expectedVersion: undefined }],
    ['an extra property', { state: 'paid' }],
  ]
  test('rejects an invalid body with 400 and changes nothing', async () => {
    const expense = await expenseIn(service, house, 'needs_review')
    const good = { expectedVersion: 1, action: 'reject', reason: 'No' }
    for (const [name, change] of bad) {
      const answer = await takeStep(service, house, {
        id: expense.id,
        step: 'review',
        person: house.manager,
        body: { ...good, ...change },
      })
      expect([name, outcome(answer)]).toEqual([name, '400 validation_failed'])
    }
    expect((await readExpense(service, house, expense.id)).body).toEqual(expense)
  })

  test('stores the reason unchanged in the audit trail', async () => {
    const { id } = await expenseIn(service, house, 'needs_review')
    const reason = `${'🦊'.repeat(997)}\n"'`
    expect((await review(service, house, { id, action: 'reject', reason })).status).toBe(200)
    expect(await lastReview(house)).toMatchObject({
      action: 'expense.rejected',
      aggregateId: id,
      actorAccountId: house.manager.accountId,
      data: { from: 'needs_review', to: 'rejected', revision: 1, reason },
    })
  })

  test('is 403 role_required for employees and 401 without a token', async () => {
    const { id } = await expenseIn(service, house, 'needs_review')
    const answer = await review(service, house, { id, person: house.employee })
    expect(outcome(answer)).toBe('403 role_required')
    const url = `${house.organization.path}/expenses/${id}/review`
    const body = { expectedVersion: 1, action: 'reject', reason: 'No' }
    expect(outcome(await service.call('POST', url, { body }))).toBe('401 unauthenticated')
  })

  test('is 403 for unknown and foreign expenses and 400 for a malformed id', async () => {
    const foreign = await expenseIn(service, other, 'needs_review')
    for (const id of [randomUUID(), foreign.id]) {
      expect(outcome(await review(service, house, { id }))).toBe('403 forbidden')
    }
    expect((await readExpense(service, other, foreign.id)).body).toEqual(foreign)
    expect(outcome(await review(service, house, { id: 'mine' }))).toBe('400 validation_failed')
  })
})

describe('separation of duties', () => {
  test.each(actions)(
    "refuses %s on one's own expense while somebody else could review it",
    async (action) => {
      const { organization, manager } = house
      for (const person of [organization.owner, manager]) {
        const expense = await expenseIn(service, house, 'needs_review', { person })
        const answer = await review(service, house, { id: expense.id, person, action })
        expect(outcome(answer)).toBe('403 self_review')
        expect((await readExpense(service, house, expense.id)).body).toEqual(expense)
      }
    },
  )

  test("lets an owner review a manager's expense and a manager an owner's", async () => {
    const { organization, manager } = house
    const pairs = [
      [organization.owner, manager],
      [manager, organization.owner],
    ] as const
    for (const [submitter, person] of pairs) {
      const { id } = await expenseIn(service, house, 'needs_review', { person: submitter })
      expect((await review(service, house, { id, person })).status).toBe(200)
      expect((await lastReview(house))?.data).not.toHaveProperty('sole_reviewer')
    }
  })

  const leave: [string, (home: ExpenseHouse) => Promise<unknown>][] = [
    [
      'is no longer a member',
      async ({ organization, manager }) => {
        const { membershipId } = await membershipOf(service, organization, manager)
        return revokeMember(service, organization, membershipId)
      },
    ],
    [
      'has a disabled account',
      ({ manager: { accountId } }) =>
        setAccountStatus(service.ctx, { accountId, event: 'disable' }),
    ],
  ]
  test.each(leave)('records a sole reviewer when the other one %s', async (_why, go) => {
    const home = await openExpenseHouse(service)
    const { owner: person } = home.organization
    const { id } = await expenseIn(service, home, 'needs_review', { person })
    expect(outcome(await review(service, home, { id, person }))).toBe('403 self_review')
    await go(home)
    const answer = await review(service, home, { id, person })
    expect([outcome(answer), answer.body.state]).toEqual(['200', 'awaiting_approval'])
    expect(await lastReview(home)).toMatchObject({
      action: 'expense.advanced',
      actorAccountId: person.accountId,
      data: { sole_reviewer: true },
    })
  })

  test("records no sole reviewer for somebody else's expense", async () => {
    const home = await openExpenseHouse(service)
    const { owner: person } = home.organization
    await setAccountStatus(service.ctx, { accountId: home.manager.accountId, event: 'disable' })
    const { id } = await expenseIn(service, home, 'analysis_queued')
    await moveBySystem(service, home, { id, event: 'start_analysis' })
    await moveBySystem(service, home, { id, event: 'flag' })
    expect((await review(service, home, { id, person, action: 'reject' })).status).toBe(200)
    expect((await lastReview(home))?.data).not.toHaveProperty('sole_reviewer')
  })

  test('counts a new manager as a reviewer, but not a new employee', async () => {
    const home = await openExpenseHouse(service)
    const { organization, manager } = home
    const { owner: person } = organization
    const { membershipId } = await membershipOf(service, organization, manager)
    const expense = await expenseIn(service, home, 'needs_review', { person })
    await revokeMember(service, organization, membershipId)
    const { id } = expense
    await joinOrganization(service, organization, { role: 'employee' })
    await joinOrganization(service, organization, { role: 'manager' })
    expect(outcome(await review(service, home, { id, person }))).toBe('403 self_review')
    expect((await readExpense(service, home, id)).body).toEqual(expense)
  })
})
