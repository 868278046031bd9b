import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deliverEmail } from '#email/deliver-email.ts'
import { followJournalForEmail } from '#email/follow-journal.ts'
import { followJournal } from '#push/follow-journal.ts'
import {
  clearJobs,
  emailEnvironment,
  fakeMailer,
  giveEmail,
  queuedEmails,
} from '#test/email/steps.ts'
import { eventOf, recordPayment, resolveEvent } from '#test/push/steps.ts'
import { joinOrganization, startTestApp, type TestApp } from '#test/support/app.ts'
import { comment, expenseIn } from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { membershipOf, outcome } from '#test/support/steps.ts'

const mailer = fakeMailer()
let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp({ env: emailEnvironment(), replace: { mailer } })
  house = await openExpenseHouse(service)
})
afterAll(() => service.stop())

/** Follows until nothing is left to read; another test's transaction may delay it. */
const follow = () => expect.poll(() => followJournalForEmail(service.ctx)).toBe('idle')

beforeEach(async () => {
  await follow()
  await clearJobs(service)
})

const recipients = async () =>
  (await queuedEmails(service, 'deliver_email')).map(({ payload }) => payload.accountId).sort()

describe('queues one e-mail per event and recipient', () => {
  test('as ids only', async () => {
    const { id } = await expenseIn(service, house, 'needs_review')
    await follow()
    const eventId = await eventOf(service, { aggregateId: id, targetState: 'needs_review' })
    const people = [house.organization.owner, house.manager]
    const queued = await queuedEmails(service, 'deliver_email')
    const expected = people.map(({ accountId }) => ({
      payload: { organizationId: house.organization.id, accountId, eventId, attempt: 1 },
      key: `email:${accountId}:${eventId}`,
      queue: expect.stringMatching(/^email:[0-3]$/),
      seconds: expect.any(Number),
    }))
    expect(queued).toHaveLength(2)
    expect(queued).toEqual(expect.arrayContaining(expected))
  })

  test('when several workers follow concurrently', async () => {
    const { paymentId } = await expenseIn(service, house, 'draft')
    const { id: organizationId } = house.organization
    await recordPayment(service, { organizationId, paymentId, state: 'confirmed' })
    await Promise.all(Array.from({ length: 6 }, () => follow()))
    expect(await recipients()).toEqual([house.employee.accountId])
  })

  test('and none for a comment', async () => {
    const { id } = await expenseIn(service, house, 'needs_review')
    await follow()
    await clearJobs(service)
    await comment(service, house, { id })
    await follow()
    expect(await recipients()).toEqual([])
  })
})

test('has its own position: push and e-mail do not take events from each other', async () => {
  await expect.poll(() => followJournal(service.ctx)).toBe('idle')
  const { paymentId } = await expenseIn(service, house, 'draft')
  const { id: organizationId } = house.organization
  await recordPayment(service, { organizationId, paymentId, state: 'confirmed' })
  await expect.poll(() => followJournal(service.ctx)).toBe('idle')
  expect(await recipients()).toEqual([])
  await follow()
  expect(await recipients()).toEqual([house.employee.accountId])
})

test('a demoted owner is notified, too: nobody else might object', async () => {
  const { organization } = house
  const person = await joinOrganization(service, organization, { role: 'manager' })
  const { membershipId } = await membershipOf(service, organization, person)
  const give = async (role: string) => {
    const url = `${organization.path}/members/${membershipId}/role`
    const { token } = organization.owner
    expect((await service.call('POST', url, { token, body: { role } })).status).toBe(200)
  }
  await give('owner')
  await follow()
  await clearJobs(service)
  await give('employee')
  await follow()
  const jobs = await queuedEmails(service, 'deliver_email')
  const told = jobs.find(({ payload }) => payload.accountId === person.accountId)?.payload
  expect(jobs).toHaveLength(2)
  if (!told) throw new Error('The demoted owner is not notified')
  await giveEmail(service, person, { email: 'former@acme.example' })
  await deliverEmail(service.ctx, told)
  expect(mailer.sent).toMatchObject([{ to: 'former@acme.example' }])
  const read = await resolveEvent(service, person, told.eventId)
  expect(read.body).toMatchObject({ category: 'member_role_changed' })
  const other = await joinOrganization(service, organization, { role: 'employee' })
  expect(outcome(await resolveEvent(service, other, told.eventId))).toBe('404 not_found')
})
