/** How many cases may be open at a time, and that one member cannot silence the others. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { OPEN_CASES_MAX, OWN_OPEN_CASES_MAX } from '#support/open-case.ts'
import { type House, house } from '#test/security/house.ts'
import { type Person, startTestApp, type TestApp } from '#test/support/app.ts'
import { addNote, type Operator, openCase, signInOperator } from '#test/support/operators.ts'
import { liftOwnersRowSecurity, outcome, tally, times } from '#test/support/steps.ts'

let service: TestApp
let home: House
let operator: Operator

const resolveAll = () => service.database.asOwner(`update support_cases set state = 'resolved'`)

beforeAll(async () => {
  service = await startTestApp()
  home = await house(service)
  operator = await signInOperator(service)
  await liftOwnersRowSecurity(service.database)
  await resolveAll()
})
afterEach(resolveAll)
afterAll(() => service.stop())

const leaveCases = ({ accountId }: Person, count: number) =>
  service.database.asOwner(
    `insert into support_cases (id, organization_id, opened_by_account_id, subject, priority,
       state, created_at, updated_at)
     select gen_random_uuid(), $1, $2, 'x', 1, 'open', now(), now() from generate_series(1, $3)`,
    [home.organization.id, accountId, count],
  )
const MEMBER_LIMIT = 'A member may have at most 20 open cases. Wait for a resolution.'

/** For three of which there is room. */
const openEight = async (person: Person, message: string) => {
  const answers = await Promise.all(
    times(8, () => openCase(service, home.organization, { person })),
  )
  expect(tally(answers)).toEqual({ '201': 3, '409 state_conflict': 5 })
  expect(answers.find(({ status }) => status === 409)?.body.error.message).toBe(message)
}

test('a member stops at 20 open ones, also when many come at once; others do not', async () => {
  const { organization, employee: person, manager } = home
  await leaveCases(person, OWN_OPEN_CASES_MAX - 4)
  const { body } = await openCase(service, organization, { person })
  await openEight(person, MEMBER_LIMIT)
  expect(outcome(await openCase(service, organization, { person: manager }))).toBe('201')
  await addNote(service, operator, body.id, { status: 'resolved' })
  expect(outcome(await openCase(service, organization, { person }))).toBe('201')
})

test('an organization stops at 200 open ones, but its owners at their own 20', async () => {
  const { organization, employee, manager } = home
  await leaveCases(employee, OPEN_CASES_MAX - 3)
  await openEight(manager, 'An organization may have at most 200 open cases. Ask an owner.')
  await leaveCases(organization.owner, OWN_OPEN_CASES_MAX - 3)
  await openEight(organization.owner, MEMBER_LIMIT)
})
