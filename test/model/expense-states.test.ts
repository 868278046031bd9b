/** Every operation in every state: only the moves of the table happen. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type ExpenseEvent, type ExpenseState, expenseMachine } from '#expenses/expense.machine.ts'
import { expenseActions } from '#expenses/expenses.actions.ts'
import { AppError } from '#platform/errors.ts'
import type { TestApp } from '#test/support/app.ts'
import { brokenAnalyst, moveByEngine, submitNew, tryRunWith } from '#test/support/expense-model.ts'
import {
  analyse,
  createExpense,
  type ExpenseHouse,
  openExpenseHouse,
  takeStep,
  termsOf,
} from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { auditTrail, liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'
import { moveOf } from './expense-moves.ts'

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openExpenseHouse(service)
})

type Put = { id: string; runId: string }

const draft = async (): Promise<Put> => ({
  id: (await createExpense(service, house)).body.id,
  runId: '',
})

async function queued(): Promise<Put> {
  const { expenseId: id, runId } = await submitNew(service, house)
  return { id, runId }
}

const key = ({ runId }: Put) => ({ organizationId: house.organization.id, runId })

async function after(put: Put, ...events: ExpenseEvent[]): Promise<Put> {
  for (const event of events) {
    await moveByEngine(service, { ...key(put), expenseId: put.id, event })
  }
  return put
}

async function needsReview(): Promise<Put> {
  const put = await queued()
  await analyse(service, house, put.runId)
  return put
}

async function reviewed(action: string): Promise<Put> {
  const put = await needsReview()
  const body = { expectedVersion: 1, action, reason: 'As we agreed.' }
  const step = { id: put.id, step: 'review', person: house.manager, body }
  expect(outcome(await takeStep(service, house, step))).toBe('200')
  return put
}

async function failing(times: number): Promise<Put> {
  const put = await queued()
  for (let n = 0; n < times; n += 1) await tryRunWith(service.ctx, brokenAnalyst, key(put))
  return put
}

const signed = async () => after(await reviewed('advance_to_approval'), 'approve')

async function cancelled(): Promise<Put> {
  const put = await draft()
  const step = { id: put.id, step: 'cancel', person: house.employee, body: { expectedVersion: 1 } }
  expect(outcome(await takeStep(service, house, step))).toBe('200')
  return put
}

const sent = async () => after(await signed(), 'payment_submitting')

/** Blocked with a report and blocked without one are different situations. */
type Situation = ExpenseState | 'blocked, its analysis failed'

/** Reached by legal moves over HTTP and of the worker; the engine's moves are written directly. */
const into: Record<Situation, () => Promise<Put>> = {
  draft,
  analysis_queued: queued,
  analyzing: () => failing(1),
  needs_review: needsReview,
  revision_requested: () => reviewed('request_revision'),
  awaiting_approval: () => reviewed('advance_to_approval'),
  approved_ready_for_payment: signed,
  automatic_ready_for_payment: async () =>
    after(await signed(), 'payment_blocked', 'release_automatic'),
  executing: sent,
  reconciling: async () => after(await sent(), 'payment_lost'),
  paid: async () => after(await sent(), 'payment_confirmed'),
  rejected: () => reviewed('reject'),
  cancelled,
  blocked: async () => after(await sent(), 'payment_blocked'),
  'blocked, its analysis failed': () => failing(3),
}

const situations = Object.keys(into) as Situation[]

const stateOf = (situation: Situation): ExpenseState =>
  situation === 'blocked, its analysis failed' ? 'blocked' : situation

type Operation = {
  event: ExpenseEvent
  step: string
  by: 'employee' | 'manager'
  body: Record<string, unknown>
  done: string
  /** Where the answer differs from what the table of moves alone says. */
  instead?: Partial<Record<Situation, string>>
}

const review = (action: string, event: ExpenseEvent): Operation => ({
  event,
  step: 'review',
  by: 'manager',
  body: { action, reason: 'As we agreed.' },
  done: '200',
})

const operations: Record<string, Operation> = {
  revise: {
    event: 'revise',
    step: 'revisions',
    by: 'employee',
    body: { reason: 'Another amount.' },
    done: '201',
  },
  submit: {
    event: 'submit',
    step: 'submit',
    by: 'employee',
    body: {},
    done: '202',
    instead: {
      // The same request again while the analysis is running.
      analysis_queued: '202 again',
      analyzing: '202 again',
      blocked: '409 state_conflict',
    },
  },
  cancel: { event: 'cancel', step: 'cancel', by: 'employee', body: {}, done: '200' },
  'request a revision': review('request_revision', 'request_revision'),
  reject: review('reject', 'reject'),
  advance: {
    ...review('advance_to_approval', 'advance'),
    instead: { 'blocked, its analysis failed': '409 report_missing' },
  },
}

/** Everything stored about it, so that no change goes unnoticed. */
async function stored(id: string): Promise<unknown> {
  const [row] = await service.database.asOwner<{ seen: unknown }>(
    `select json_build_object('expense', to_json(e),
       'revisions', (select json_agg(r order by r.revision) from expense_revisions r
         where r.expense_id = e.id),
       'comments', (select json_agg(c order by c.id) from expense_comments c
         where c.expense_id = e.id),
       'runs', (select json_agg(a order by a.id) from agent_runs a where a.expense_id = e.id),
       'reports', (select json_agg(r order by r.id) from reports r where r.expense_id = e.id))
       as seen
     from expenses e where e.id = $1`,
    [id],
  )
  return row?.seen
}

async function lastSeq(): Promise<number> {
  const trail = await auditTrail(service.database, house.organization.id)
  return trail.at(-1)?.seq ?? 0
}

const eventsSince = async (afterSeq: number) =>
  (await auditTrail(service.database, house.organization.id, { afterSeq })).map(
    ({ action, aggregateId }) => [action, aggregateId],
  )

const readState = async (id: string): Promise<string> => {
  const { token } = house.organization.owner
  const path = `${house.organization.path}/expenses/${id}`
  return (await service.call('GET', path, { token })).body.state
}

async function tryOut(situation: Situation, { event, step, by, body, done, instead }: Operation) {
  const put = await into[situation]()
  expect(await readState(put.id)).toBe(stateOf(situation))
  const [before, seq] = [await stored(put.id), await lastSeq()]
  const request = { ...(step === 'revisions' && termsOf(house)), ...body, expectedVersion: 1 }
  const answer = await takeStep(service, house, {
    id: put.id,
    step,
    person: house[by],
    body: request,
  })

  const to = moveOf(stateOf(situation), event)
  const expected = instead?.[situation] ?? (to === undefined ? '409 state_conflict' : done)
  expect(outcome(answer)).toBe(expected.replace(' again', ''))
  if (expected !== done) {
    expect(await stored(put.id)).toEqual(before)
    expect(await eventsSince(seq)).toEqual([])
    if (expected === '202 again') expect(answer.body.taskId).toBe(put.runId)
    return
  }
  expect(await readState(put.id)).toBe(to)
  const [first, ...others] = await eventsSince(seq)
  expect(first).toEqual([expenseActions[event], put.id])
  expect(others).toEqual(step === 'submit' ? [['agent_run.queued', answer.body.taskId]] : [])
}

const events = [
  ...new Set(Object.values(expenseMachine.moves).flatMap((row) => Object.keys(row))),
] as ExpenseEvent[]

describe.each(situations)('in %s', (situation) => {
  test.each(Object.keys(operations))('%s does what the table says, or nothing', async (name) => {
    const operation = operations[name]
    if (!operation) throw new Error(`There is no operation ${name}`)
    await tryOut(situation, operation)
  })

  test('a comment is stored and changes no state', async () => {
    const { id } = await into[situation]()
    const body = { body: 'Who ordered this?' }
    const step = { id, step: 'comments', person: house.employee, body }
    const answer = await takeStep(service, house, step)
    expect(outcome(answer)).toBe('201')
    expect(answer.body).toMatchObject({ state: stateOf(situation), comments: [body] })
    expect(await readState(id)).toBe(stateOf(situation))
  })

  test('an event without a move here is 409 and changes nothing', async () => {
    const { id: expenseId } = await into[situation]()
    const before = await stored(expenseId)
    const { id: organizationId } = house.organization
    const refused = events.filter((event) => !(event in expenseMachine.moves[stateOf(situation)]))
    for (const event of refused) {
      const move = moveByEngine(service, { organizationId, expenseId, event })
      await expect(move).rejects.toThrow(new AppError('state_conflict'))
    }
    expect(await stored(expenseId)).toEqual(before)
  })
})

test('the state machine equals the table of the decisions', () => {
  const states = Object.keys(expenseMachine.moves) as ExpenseState[]
  const table = states.flatMap((from) =>
    events.map((event) => [from, event, expenseMachine.moves[from][event]]),
  )
  const decided = states.flatMap((from) =>
    events.map((event) => [from, event, moveOf(from, event)]),
  )
  expect(table).toEqual(decided)
})
