/** Every action that a task offers can be carried out, and every other action is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DryRun, startDryRun } from '#test/live/dry-run.ts'
import {
  deeds,
  openCrowd,
  openFew,
  type Placed,
  placeExpenses,
  type TaskHouse,
} from '#test/live/task-house.ts'
import { type Answer, type Person, startTestApp, type TestApp } from '#test/support/app.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'

let service: TestApp
let dry: DryRun
let crowd: TaskHouse
let few: TaskHouse
const placed = new Map<TaskHouse, Placed[]>()

/** Members who also submit, where rules about one's own expenses apply. */
const TOUCHY = [
  'needs_review',
  'revision_requested',
  'awaiting_approval',
  'blocked, to be released',
]

beforeAll(async () => {
  service = await startTestApp({ env: { PAYMENT_RELEASE: 'manual' } })
  await liftOwnersRowSecurity(service.database)
  dry = await startDryRun(service)
  crowd = await openCrowd(service)
  few = await openFew(service)
  placed.set(crowd, [
    ...(await placeExpenses(service, crowd, 'employee')),
    ...(await placeExpenses(service, crowd, 'signing manager', { only: TOUCHY })),
  ])
  placed.set(few, [
    ...(await placeExpenses(service, few, 'owner', { only: TOUCHY })),
    ...(await placeExpenses(service, few, 'signing employee', { only: TOUCHY })),
  ])
  for (const house of [crowd, few]) await readTasks(house)
}, 180_000)
afterAll(async () => {
  await dry?.stop()
  await service.stop()
})

type Listed = { expenseId: string; actions: { id: string }[] }

/** The tasks of each person before anything is done. */
const told = new Map<Person, Listed[]>()

async function readTasks(house: TaskHouse): Promise<void> {
  for (const person of Object.values(house.people)) {
    const url = `${house.organization.path}/live/snapshot`
    const { body } = await service.call('GET', url, { token: person.token })
    told.set(person, body.tasks)
  }
}

const offeredTo = (person: Person, expenseId: string): string[] =>
  (told.get(person) ?? [])
    .filter((task) => task.expenseId === expenseId)
    .flatMap(({ actions }) => actions.map(({ id }) => id))

/** Possible actions that a task deliberately does not offer. */
const possible: Record<string, readonly string[]> = {
  draft: ['revise_expense'],
  needs_review: ['revise_expense'],
  awaiting_approval: ['request_revision', 'revise_expense'],
  blocked: ['request_revision', 'revise_expense'],
  'blocked, to be released': ['review_report', 'request_revision', 'revise_expense'],
  failed: ['review_report', 'request_revision', 'revise_expense'],
  'being sent': ['reconcile_payment'],
  sent: ['reconcile_payment'],
}

/** Refused, or answered with the existing result. */
const isRefused = (answer: Answer, before: string | undefined): boolean =>
  answer.status >= 400 || (before !== undefined && answer.body.state === before)

async function paymentState(paymentId: string): Promise<string | undefined> {
  const rows = await service.database.asOwner<{ state: string }>(
    'select state from payments where id = $1',
    [paymentId],
  )
  return rows[0]?.state
}

async function problemsOf(house: TaskHouse, place: Placed, name: string): Promise<string[]> {
  const person = house.people[name] as Person
  const { expense, situation } = place
  const offered = offeredTo(person, expense.id)
  const before = await paymentState(expense.paymentId)
  const problems: string[] = []
  for (const [action, carryOut] of Object.entries(deeds)) {
    const answer = await carryOut({ service, dry, house, person, expense })
    const what = `${situation} of ${place.submitter}: ${action} by ${name}: ${outcome(answer)}`
    if (offered.includes(action)) {
      if (answer.status >= 400) problems.push(`offered, and refused: ${what}`)
    } else if (!isRefused(answer, action === 'queue_payment' ? before : undefined)) {
      if (!possible[situation]?.includes(action)) problems.push(`not offered, and done: ${what}`)
    }
  }
  return problems
}

async function problemsFor(house: TaskHouse, name: string): Promise<string[]> {
  const problems: string[] = []
  for (const place of placed.get(house) ?? []) {
    problems.push(...(await problemsOf(house, place, name)))
  }
  return problems
}

describe('every offered action can be carried out, and no other', () => {
  const names = ['owner', 'manager', 'signing manager', 'employee']
  test.each(names)('where others could review and sign: for the %s', async (name) => {
    expect(Object.keys(crowd.people)).toEqual(names)
    expect(placed.get(crowd)).toHaveLength(23)
    expect(await problemsFor(crowd, name)).toEqual([])
  })

  const fewNames = ['owner', 'employee', 'signing employee']
  test.each(fewNames)('where nobody else could: for the %s', async (name) => {
    expect(Object.keys(few.people)).toEqual(fewNames)
    expect(placed.get(few)).toHaveLength(8)
    expect(await problemsFor(few, name)).toEqual([])
  })

  test('and each action is offered to somebody', () => {
    const offered = new Set<string>()
    for (const house of [crowd, few]) {
      for (const { expense } of placed.get(house) ?? []) {
        for (const person of Object.values(house.people)) {
          for (const id of offeredTo(person, expense.id)) offered.add(id)
        }
      }
    }
    expect([...offered].sort()).toEqual(
      [...Object.keys(deeds), 'inspect_failure', 'open_support'].sort(),
    )
  })
})

describe('the submitter', () => {
  const actionsOf = (house: TaskHouse, name: string, situation: string) => {
    const place = placed
      .get(house)
      ?.find((one) => one.submitter === name && one.situation === situation)
    return offeredTo(house.people[name] as Person, place?.expense.id)
  }

  test('reviews their own expense only where nobody else could', () => {
    expect(actionsOf(crowd, 'signing manager', 'needs_review')).toEqual([])
    expect(actionsOf(few, 'owner', 'needs_review')).toEqual(['review_report', 'request_revision'])
  })

  test('signs their own expense only where nobody else could', () => {
    expect(actionsOf(crowd, 'signing manager', 'awaiting_approval')).toEqual([])
    const sole = actionsOf(few, 'signing employee', 'awaiting_approval')
    expect(sole).toEqual(expect.arrayContaining(['prepare_approval', 'sign_approval']))
  })
})
