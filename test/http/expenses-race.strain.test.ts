import { beforeAll, describe, expect, test } from 'vitest'
import { type ExpenseEvent, type ExpenseState, expenseMachine } from '#expenses/expense.machine.ts'
import { expenseActions } from '#expenses/expenses.actions.ts'
import { next } from '#platform/machine.ts'
import { type Answer, joinOrganization, type TestApp } from '#test/support/app.ts'
import {
  cancel,
  comment,
  expenseIn,
  readExpense,
  review,
  revise,
  submit,
} from '#test/support/expense-states.ts'
import { analyse, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  auditTrail,
  membershipOf,
  outcome,
  revokeMember,
  tally,
  times,
} from '#test/support/steps.ts'

const ROUNDS = 3

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  house = await openExpenseHouse(service)
})

type Try = (id: string) => Promise<Answer>

/** Alternates between the manager and the owner as reviewers of one expense. */
const doReview =
  (action: string, isOwner: boolean): Try =>
  (id) =>
    review(service, house, {
      id,
      action,
      person: isOwner ? house.organization.owner : house.manager,
    })
const advance = (isOwner = false) => doReview('advance_to_approval', isOwner)
const reject = (isOwner = false) => doReview('reject', isOwner)
const askAgain = (isOwner = false) => doReview('request_revision', isOwner)
const doRevise: Try = (id) => revise(service, house, { id })
const doSubmit: Try = (id) => submit(service, house, { id })
const doCancel: Try = (id) => cancel(service, house, { id })

const eventsOf = (id: string) =>
  service.database.asOwner<{ action: string; data: Record<string, unknown> }>(
    'select action, data from audit_events where aggregate_id = $1 order by seq',
    [id],
  )

const eventOf = (action: string): ExpenseEvent => {
  const found = Object.entries(expenseActions).find(([, name]) => name === action)
  return found?.[0] as ExpenseEvent
}

/** The expense's moves in the order of the audit trail, without its creation. */
async function movesOf(id: string): Promise<{ event: ExpenseEvent; to: ExpenseState }[]> {
  const events = (await eventsOf(id)).filter(({ action }) => action !== 'expense.created')
  return events.map(({ action, data }) => ({
    event: eventOf(action),
    to: data.to as ExpenseState,
  }))
}

/** Expects that the trail is a path through the state machine that ends in the current state. */
async function expectOneStory(id: string, from: ExpenseState, known: number): Promise<number> {
  const moves = (await movesOf(id)).slice(known)
  let state = from
  for (const { event, to } of moves) {
    state = next(expenseMachine, { from: state, event })
    expect(to).toBe(state)
  }
  const { body } = await readExpense(service, house, id)
  expect(body.state).toBe(state)
  expect(body.revisions).toHaveLength(body.currentRevision)
  return moves.length
}

async function race(from: ExpenseState, tries: Try[]) {
  const { id } = await expenseIn(service, house, from)
  const known = (await movesOf(id)).length
  const answers = await Promise.all(tries.map((attempt) => attempt(id)))
  const moves = await expectOneStory(id, from, known)
  const { body: expense } = await readExpense(service, house, id)
  return { id, answers, moves, expense }
}

const won = (answers: readonly Answer[]) => answers.filter(({ status }) => status < 300)
const lost = (answers: readonly Answer[]) => answers.filter(({ status }) => status >= 300)

describe('concurrent steps at one version have exactly one winner', { timeout: 60_000 }, () => {
  const pairs: [string, ExpenseState, Try[]][] = [
    ['two reviews that advance', 'needs_review', [advance(false), advance(true)]],
    ['two reviews that reject', 'needs_review', [reject(false), reject(true)]],
    ['two reviews that request a revision', 'needs_review', [askAgain(false), askAgain(true)]],
    [
      'a review that rejects and one that requests a revision',
      'needs_review',
      [reject(false), askAgain(true)],
    ],
    [
      'two rejections of an expense awaiting approval',
      'awaiting_approval',
      [reject(), reject(true)],
    ],
    ['two revisions', 'draft', [doRevise, doRevise]],
    ['two revisions after a review', 'revision_requested', [doRevise, doRevise]],
    ['two cancels', 'draft', [doCancel, doCancel]],
    ['a revision and a submit', 'draft', [doRevise, doSubmit]],
    ['a revision and a cancel', 'draft', [doRevise, doCancel]],
    ['a submit and a cancel', 'draft', [doSubmit, doCancel]],
    ['a revision and a rejection', 'needs_review', [doRevise, reject()]],
    ['a cancel and a rejection', 'needs_review', [doCancel, reject()]],
    ['a cancel and a revision of a blocked expense', 'blocked', [doCancel, doRevise]],
    ['a submit and a revision of a blocked expense', 'blocked', [doSubmit, doRevise]],
    [
      'five revisions, a submit and a cancel',
      'draft',
      [...times(5, () => doRevise), doSubmit, doCancel],
    ],
  ]

  test.each(pairs)('%s (%s)', async (_name, from, tries) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const inTurn = round % 2 === 0 ? tries : [...tries].reverse()
      const { answers, moves, expense } = await race(from, inTurn)
      expect([won(answers).length, moves]).toEqual([1, 1])
      for (const answer of lost(answers)) {
        expect(outcome(answer)).toMatch(/^409 (version|state)_conflict$/)
      }
      const [first] = won(answers)
      if (first?.status !== 202) expect(expense).toEqual(first?.body)
    }
  })
})

describe('concurrent submits', () => {
  test('start one run with one job, and all return the same task', async () => {
    const { id, answers, moves } = await race('draft', [doSubmit, doSubmit, doSubmit, doSubmit])
    expect(tally(answers)).toEqual({ 202: 4 })
    expect(moves).toBe(1)
    const tasks = new Set(answers.map(({ body }) => body.taskId))
    expect(tasks.size).toBe(1)
    const [taskId] = tasks
    const jobs = await service.database.asOwner(
      `select 1 from graphile_worker._private_jobs where payload ->> 'runId' = $1`,
      [taskId],
    )
    expect(jobs).toHaveLength(1)
    await Promise.all([analyse(service, house, taskId), analyse(service, house, taskId)])
    await analyse(service, house, taskId)
    expect((await readExpense(service, house, id)).body.state).toBe('needs_review')
    const reports = (await eventsOf(id)).filter(({ action }) => action === 'expense.flagged')
    expect(reports).toHaveLength(1)
  })
})

describe('concurrent steps that may follow each other', { timeout: 60_000 }, () => {
  const crowds: [string, ExpenseState, Try[]][] = [
    [
      'reviews that advance, reject and request a revision',
      'needs_review',
      [advance(), reject(true), askAgain(true)],
    ],
    ['a review that advances and a revision', 'needs_review', [advance(), doRevise]],
    ['a review that advances and a cancel', 'needs_review', [advance(), doCancel]],
    ['a request for a revision and the revision', 'needs_review', [askAgain(), doRevise]],
    ['everything', 'needs_review', [advance(), reject(), askAgain(true), doRevise, doCancel]],
  ]

  test.each(crowds)(
    '%s: applied in some order or refused with 409 (%s)',
    async (_name, from, tries) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const inTurn = round % 2 === 0 ? tries : [...tries].reverse()
        const { answers, moves, expense } = await race(from, inTurn)
        expect(won(answers).length).toBe(moves)
        expect(moves).toBeGreaterThan(0)
        for (const answer of lost(answers)) {
          expect(outcome(answer)).toMatch(/^409 (version|state)_conflict$/)
        }
        const revised = won(answers).some(({ status }) => status === 201)
        expect(expense.currentRevision).toBe(revised ? 2 : 1)
        if (revised) expect(expense).toMatchObject({ currentReportId: null })
      }
    },
  )

  test('lose no comment', async () => {
    const { id } = await expenseIn(service, house, 'needs_review')
    const bodies = ['One', 'Two', 'Three', 'Four']
    const [moved, ...answers] = await Promise.all([
      doRevise(id),
      ...bodies.map((body) => comment(service, house, { id, body })),
    ])
    expect([outcome(moved), tally(answers)]).toEqual(['201', { 201: 4 }])
    const { comments, currentRevision } = (await readExpense(service, house, id)).body
    expect(comments.map(({ body }: { body: string }) => body).sort()).toEqual(bodies.sort())
    expect(currentRevision).toBe(2)
  })

  test('let a submitter who is being revoked commit first, or refuse them', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { organization } = house
      const person = await joinOrganization(service, organization, { role: 'employee' })
      const { id } = await expenseIn(service, house, 'draft', { person })
      const { membershipId } = await membershipOf(service, organization, person)
      const [answer, revoked] = await Promise.all([
        submit(service, house, { id, person }),
        revokeMember(service, organization, membershipId),
      ])
      expect(outcome(revoked)).toBe('200')
      expect(['202', '403 forbidden']).toContain(outcome(answer))
      const trail = await auditTrail(service.database, organization.id)
      const end = trail.find(
        ({ action, aggregateId }) =>
          action === 'membership.revoked' && aggregateId === membershipId,
      )
      const submitted = trail.find(
        ({ action, aggregateId }) => action === 'expense.submitted' && aggregateId === id,
      )
      expect(submitted === undefined).toBe(answer.status !== 202)
      expect(submitted?.seq ?? 0).toBeLessThan(end?.seq ?? 0)
    }
  })

  test('cause no deadlock', async () => {
    const [counted] = await service.database.asOwner<{ deadlocks: number }>(
      'select deadlocks::integer from pg_stat_database where datname = current_database()',
    )
    expect(counted).toEqual({ deadlocks: 0 })
  })
})
