import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { deliverEmail } from '#email/deliver-email.ts'
import { addSeconds, systemClock } from '#platform/clock.ts'
import {
  clearJobs,
  deliveriesOf,
  emailEnvironment,
  fakeMailer,
  giveEmail,
  queuedEmails,
} from '#test/email/steps.ts'
import { eventOf, recordPayment } from '#test/push/steps.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'

const mailer = fakeMailer()
let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp({ env: emailEnvironment(), replace: { mailer } })
  house = await openExpenseHouse(service)
  await giveEmail(service, house.employee, { email: 'ben@acme.example' })
})
afterAll(() => service.stop())
afterEach(async () => {
  mailer.sent.length = 0
  mailer.answers.length = 0
  await clearJobs(service)
  await service.database.asOwner('delete from email_deliveries')
})

type Job = Parameters<typeof deliverEmail>[1]

/** A payment of the employee was confirmed. */
async function scene(): Promise<{ job: Job }> {
  const { paymentId } = await expenseIn(service, house, 'draft')
  const { id: organizationId } = house.organization
  await recordPayment(service, { organizationId, paymentId, state: 'confirmed' })
  const eventId = await eventOf(service, { aggregateId: paymentId, targetState: 'confirmed' })
  return { job: { organizationId, accountId: house.employee.accountId, eventId, attempt: 1 } }
}

const deliver = (job: Job, after = 0) =>
  deliverEmail({ ...service.ctx, clock: { now: () => addSeconds(systemClock.now(), after) } }, job)

describe('a mail server that refuses a message', () => {
  test('permanently is not asked again', async () => {
    const { job } = await scene()
    mailer.answers.push({ rejected: 'answered 550 to RCPT TO' })
    await deliver(job)
    await deliver(job)
    expect(mailer.sent).toHaveLength(1)
    expect(await queuedEmails(service, 'deliver_email')).toEqual([])
    expect(await deliveriesOf(service)).toMatchObject([{ outcome: 'rejected' }])
  })

  test('temporarily is asked again with growing delays, a limited number of times', async () => {
    const { job } = await scene()
    const waits: number[] = []
    let next: Job | undefined = job
    while (next && waits.length < 12) {
      mailer.answers.push({ retry: 'answered 451 to DATA' })
      await deliver(next)
      const [queued] = await queuedEmails(service, 'deliver_email')
      await clearJobs(service)
      next = queued?.payload
      if (queued) waits.push(Math.round(queued.seconds / 30) * 30)
    }
    expect(waits).toEqual([30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800])
    expect(mailer.sent).toHaveLength(9)
    expect(await deliveriesOf(service)).toMatchObject([{ outcome: 'given_up' }])
  })

  test('and then accepts it gets it once', async () => {
    const { job } = await scene()
    mailer.answers.push({ retry: 'failed with ECONNREFUSED' })
    await deliver(job)
    const [queued] = await queuedEmails(service, 'deliver_email')
    expect(queued).toMatchObject({
      payload: { ...job, attempt: 2 },
      key: `email:${job.accountId}:${job.eventId}`,
      queue: expect.stringMatching(/^email:[0-3]$/),
    })
    await deliver(queued?.payload ?? job)
    expect(mailer.sent).toHaveLength(2)
    expect(await deliveriesOf(service)).toMatchObject([{ outcome: 'accepted' }])
  })

  test('until the message is outdated is not asked again', async () => {
    const { job } = await scene()
    mailer.answers.push({ retry: 'answered 451' })
    await deliver({ ...job, attempt: 5 }, 23 * 3_600 + 1)
    expect(await queuedEmails(service, 'deliver_email')).toEqual([])
    expect(await deliveriesOf(service)).toMatchObject([{ outcome: 'given_up' }])
  })
})
