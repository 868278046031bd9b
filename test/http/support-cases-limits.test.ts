/** Limits on open cases, per member and per organization. */
import { afterEach, beforeAll, expect, test } from 'vitest'
import { OPEN_CASES_MAX, OWN_OPEN_CASES_MAX } from '#support/open-case.ts'
import { type House, house } from '#test/security/house.ts'
import type { Person, TestApp } from '#test/support/app.ts'
import { addNote, type Operator, openCase, signInOperator } from '#test/support/operators.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity, outcome, tally, times } from '#test/support/steps.ts'

let service: TestApp
let home: House
let operator: Operator

const resolveAll = () => service.database.asOwner(`update support_cases set state = 'resolved'`)

beforeAll(async () => {
  service = await sharedTestApp()
  home = await house(service)
  operator = await signInOperator(service)
  await liftOwnersRowSecurity(service.database)
  await resolveAll()
})
afterEach(resolveAll)

const leaveCases = ({ accountId }: Person, count: number) =>
  service.database.asOwner(
    `insert into support_cases (id, organization_id, opened_by_account_id, subject, priority,
       state, created_at, updated_at)
     select gen_random_uuid(), $1, $2, 'x', 1, 'open', now(), now() from generate_series(1, $3)`,
    [home.organization.id, accountId, count],
  )
const MEMBER_LIMIT = 'A member may have at most 20 open cases. Wait for a resolution.'

/** Opens eight cases when three are left below the limit. */
const openEight = async (person: Person, message: string) => {
  const answers = await Promise.all(
    times(8, () => openCase(service, home.organization, { person })),
  )
  expect(tally(answers)).toEqual({ '201': 3, '409 state_conflict': 5 })
  expect(answers.find(({ status }) => status === 409)?.body.error.message).toBe(message)
}

test('a member may have 20 open cases, also concurrently, without affecting others', async () => {
  const { organization, employee: person, manager } = home
  await leaveCases(person, OWN_OPEN_CASES_MAX - 4)
  const { body } = await openCase(service, organization, { person })
  await openEight(person, MEMBER_LIMIT)
  expect(outcome(await openCase(service, organization, { person: manager }))).toBe('201')
  await addNote(service, operator, body.id, { status: 'resolved' })
  expect(outcome(await openCase(service, organization, { person }))).toBe('201')
})

test('an organization may have 200 open cases, and each owner 20 beyond that', async () => {
  const { organization, employee, manager } = home
  await leaveCases(employee, OPEN_CASES_MAX - 3)
  await openEight(manager, 'An organization may have at most 200 open cases. Ask an owner.')
  await leaveCases(organization.owner, OWN_OPEN_CASES_MAX - 3)
  await openEight(organization.owner, MEMBER_LIMIT)
})
