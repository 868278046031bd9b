/** Visibility of tasks and events in a snapshot, and its ETag. */
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { setAccountStatus } from '#identity/operators.ts'
import { SYSTEM } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import { readAdminSnapshot, readSettled, readSnapshot, untilSettled } from '#test/live/snapshots.ts'
import type { Answer, Person, TestApp } from '#test/support/app.ts'
import { expenseIn, review } from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity, membershipOf, outcome, revokeMember } from '#test/support/steps.ts'

let service: TestApp
let operator: string
let house: ExpenseHouse
let neighbour: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  operator = await service.operatorToken()
  house = await openExpenseHouse(service)
  neighbour = await openExpenseHouse(service)
})

const read = (person: Person, home = house): Promise<Answer> =>
  readSettled(service, home.organization, person)

type Listed = { aggregateType: string; aggregateId: string; organizationId: string | null }

const tasksOf = ({ body }: Answer): string[] =>
  body.tasks.map(({ aggregateId }: Listed) => aggregateId)
const eventsOf = ({ body }: Answer): Set<string> =>
  new Set(body.events.map(({ aggregateId }: Listed) => aggregateId))

/** Writes a row and its live event, as the service does. */
async function openCase(
  home: ExpenseHouse,
  { accountId, state = 'open' }: { accountId: string; state?: string },
): Promise<string> {
  const { ctx } = service
  const { id: organizationId } = home.organization
  const id = ctx.ids.next()
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const at = ctx.clock.now()
    await tx.query(sql`
      insert into support_cases (id, organization_id, opened_by_account_id, subject, priority,
        state, created_at, updated_at)
      values (${id}, ${organizationId}, ${accountId}, 'Where is my money?', 3, ${state}, ${at},
        ${at})`)
    await recordChange(ctx, tx, {
      organizationId,
      actor: SYSTEM,
      action: 'support_case.opened',
      aggregateType: 'support_case',
      aggregateId: id,
      data: {},
      live: {
        kind: 'support_case.changed',
        aggregateType: 'support_case',
        targetState: state,
        severity: 'healthy',
        code: null,
      },
    })
  })
  return id
}

describe('an employee', () => {
  test('sees only their own tasks and events', async () => {
    const own = await expenseIn(service, house, 'needs_review')
    const others = await expenseIn(service, house, 'needs_review', { person: house.manager })
    const blocked = await expenseIn(service, house, 'blocked', { person: house.manager })
    const ownCase = await openCase(house, house.employee)
    const othersCase = await openCase(house, house.manager)

    const employee = await read(house.employee)
    expect(tasksOf(employee)).toEqual(expect.arrayContaining([own.id, ownCase]))
    expect(employee.text).not.toContain(others.id)
    expect(employee.text).not.toContain(blocked.id)
    expect(employee.text).not.toContain(othersCase)
    expect([...eventsOf(employee)]).toEqual(expect.arrayContaining([own.id, ownCase]))

    const manager = await read(house.manager)
    const all = [own.id, others.id, blocked.id, othersCase]
    expect(tasksOf(manager)).toEqual(expect.arrayContaining(all))
    expect(tasksOf(manager)).not.toContain(ownCase)
    const owner = await read(house.organization.owner)
    expect(tasksOf(owner)).toEqual(expect.arrayContaining([...all, ownCase]))
  })

  test('sees a blocked expense with its failed run as a task to open a case', async () => {
    const { id } = await expenseIn(service, house, 'blocked')
    const { tasks, severity } = (await read(house.employee)).body
    const about = tasks.filter(({ expenseId }: { expenseId: string }) => expenseId === id)
    const told = about.map(
      ({ aggregateType, state, actions }: Listed & { state: string; actions: { id: string }[] }) =>
        `${aggregateType} ${state}: ${actions.map((action) => action.id)}`,
    )
    expect(told.sort()).toEqual([
      'agent_run failed: inspect_failure',
      'expense blocked: open_support',
    ])
    expect(severity).toBe('action_required')
  })
})

describe('another organization', () => {
  test('sees none of them, and an operator sees both', async () => {
    const here = await expenseIn(service, house, 'blocked')
    const there = await expenseIn(service, neighbour, 'blocked')
    const hereCase = await openCase(house, house.employee)
    const thereCase = await openCase(neighbour, neighbour.employee)
    const next = await read(neighbour.organization.owner, neighbour)
    for (const id of [here.id, hereCase, house.organization.id]) expect(next.text).not.toContain(id)
    expect(tasksOf(next)).toEqual(expect.arrayContaining([there.id, thereCase]))

    await untilSettled(service)
    const all = await readAdminSnapshot(service, operator)
    expect(tasksOf(all)).toEqual(expect.arrayContaining([hereCase, thereCase]))
    const ofRuns = all.body.tasks
      .filter(({ aggregateType }: Listed) => aggregateType === 'agent_run')
      .map(({ expenseId }: { expenseId: string }) => expenseId)
    expect(ofRuns).toEqual(expect.arrayContaining([here.id, there.id]))
    expect(eventsOf(all)).toContain(hereCase)
  })

  test('is 403 for non-members, former members and disabled accounts', async () => {
    const stranger = await service.signIn()
    expect(outcome(await readSnapshot(service, house.organization, stranger))).toBe('403 forbidden')
    const home = await openExpenseHouse(service)
    const { membershipId } = await membershipOf(service, home.organization, home.manager)
    await revokeMember(service, home.organization, membershipId)
    const gone = await readSnapshot(service, home.organization, home.manager)
    expect(outcome(gone)).toBe('403 forbidden')
    const off = { accountId: home.employee.accountId, event: 'disable' as const }
    await setAccountStatus(service.ctx, off)
    const disabled = await readSnapshot(service, home.organization, home.employee)
    expect(outcome(disabled)).toBe('403 account_disabled')
  })
})

describe('an operator', () => {
  test('sees no purposes, amounts or recipients in tasks', async () => {
    const terms = { purpose: 'A secret merger', amountBaseUnits: '777777777' }
    const { id } = await expenseIn(service, house, 'blocked', { terms })
    const { body } = await readAdminSnapshot(service, operator)
    const about = body.tasks.filter(({ expenseId }: { expenseId: string }) => expenseId === id)
    expect(about).toHaveLength(1)
    const text = JSON.stringify(about)
    for (const secret of ['merger', '777777777', 'Acme Supplies'])
      expect(text).not.toContain(secret)
    expect(about[0].organizationId).toBe(house.organization.id)
  })

  test('is required for the admin snapshot', async () => {
    const { manager } = house
    expect(outcome(await readAdminSnapshot(service, manager.token))).toBe('403 realm_mismatch')
    const { accessToken } = await service.identity.issue({ realm: 'admin', subject: 'nobody' })
    expect(outcome(await readAdminSnapshot(service, accessToken))).toBe('403 operator_required')
  })
})

describe('the ETag of a snapshot', () => {
  const readers: [string, (headers?: Record<string, string>) => Promise<Answer>][] = [
    ['a member', (headers) => readSnapshot(service, house.organization, house.manager, headers)],
    ['an operator', (headers) => readAdminSnapshot(service, operator, headers)],
  ]

  test.each(readers)('gives %s a 304 while nothing has changed', async (_who, ask) => {
    await untilSettled(service)
    const first = await ask()
    const tag = String(first.headers.etag)
    expect(tag).toMatch(/^W\/"/)
    const again = await ask({ 'if-none-match': tag })
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', tag])
    expect(again.headers['x-poll-interval']).toBe('15')
    expect((await ask({ 'if-none-match': `"x", ${tag}` })).status).toBe(304)
    expect((await ask({ 'if-none-match': 'W/"another"' })).status).toBe(200)
  })

  test.each(readers)('changes for %s after an event', async (_who, ask) => {
    const { id } = await expenseIn(service, house, 'needs_review')
    await untilSettled(service)
    const tag = String((await ask()).headers.etag)
    await review(service, house, { id, action: 'reject' })
    await untilSettled(service)
    const after = await ask({ 'if-none-match': tag })
    expect(after.status).toBe(200)
    expect(after.headers.etag).not.toBe(tag)
  })

  test("ignores other organizations' events and differs between readers", async () => {
    await expenseIn(service, house, 'needs_review')
    const tagOf = async (person: Person) => (await read(person)).headers.etag
    const before = await tagOf(house.manager)
    await expenseIn(service, neighbour, 'needs_review')
    expect(await tagOf(house.manager)).toBe(before)
    expect(await tagOf(house.employee)).not.toBe(before)
  })
})
