import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { deliverEmail } from '#email/deliver-email.ts'
import { pruneDeliveries } from '#email/send-once.ts'
import { addSeconds, systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'
import {
  APP,
  clearJobs,
  deliveriesOf,
  emailEnvironment,
  fakeMailer,
  GATEWAY,
  giveEmail,
  queuedEmails,
  setPreferences,
} from '#test/email/steps.ts'
import { eventOf, recordPayment } from '#test/push/steps.ts'
import { joinOrganization, type Person, startTestApp, type TestApp } from '#test/support/app.ts'
import { comment, expenseIn, review } from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse, PURPOSE } from '#test/support/expenses.ts'
import { addRecipient, auditTrail, membershipOf, revokeMember } from '#test/support/steps.ts'

const mailer = fakeMailer()
const lines: string[] = []
let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } })
  service = await startTestApp({ env: emailEnvironment(), replace: { mailer, log } })
  house = await openExpenseHouse(service)
})
afterAll(() => service.stop())
afterEach(async () => {
  mailer.sent.length = 0
  mailer.answers.length = 0
  await clearJobs(service)
  await service.database.asOwner('delete from email_deliveries')
})

type Job = Parameters<typeof deliverEmail>[1]
type Scene = { person: Person; email: string; paymentId: string; job: Job }

const payment = (paymentId: string, state: string) =>
  recordPayment(service, { organizationId: house.organization.id, paymentId, state })

/** An employee with a verified address, whose payment was confirmed. */
async function scene(terms: object = {}): Promise<Scene> {
  const person = await joinOrganization(service, house.organization, { role: 'employee' })
  const email = `${person.accountId}@acme.example`
  await giveEmail(service, person, { email, name: 'Ben Adeyemi' })
  const { paymentId } = await expenseIn(service, house, 'draft', { person, terms })
  await payment(paymentId, 'confirmed')
  const eventId = await eventOf(service, { aggregateId: paymentId, targetState: 'confirmed' })
  const { id: organizationId } = house.organization
  const job = { organizationId, accountId: person.accountId, eventId, attempt: 1 }
  return { person, email, paymentId, job }
}

const deliver = (job: Job, after = 0) =>
  deliverEmail({ ...service.ctx, clock: { now: () => addSeconds(systemClock.now(), after) } }, job)

test('goes to the verified address and names what it is about, without an amount', async () => {
  const { job, email, paymentId } = await scene()
  await deliver(job)
  const [message] = mailer.sent
  expect(message).toMatchObject({
    to: email,
    subject: 'Your expense was paid (Acme)',
    messageId: expect.stringMatching(/^[0-9a-f]{40}@countersign\.example$/),
  })
  expect(message?.text).toContain(`Purpose: ${PURPOSE}`)
  expect(message?.text).toContain('Submitted by: Ben Adeyemi')
  const link = `${APP}/organizations/${house.organization.id}/payments/${paymentId}`
  expect(message?.text).toContain(link)
  expect(message?.html).toContain(`href="${link}"`)
  expect(message?.unsubscribeUrl).toMatch(`${GATEWAY}?token=`)
  expect(`${message?.text}${message?.html}`).not.toMatch(/25000000|25\.00/)
  expect(await deliveriesOf(service)).toMatchObject([{ kind: 'notification', outcome: 'accepted' }])
})

test('is sent once per event and account', async () => {
  const { job } = await scene()
  await deliver(job)
  await deliver(job)
  await deliver({ ...job, attempt: 2 })
  expect(mailer.sent).toHaveLength(1)
})

test('has the same Message-ID when an attempt died before its outcome was stored', async () => {
  const { job } = await scene()
  const dying = {
    ...mailer,
    send: async (message: (typeof mailer.sent)[number]) => {
      mailer.sent.push(message)
      throw new Error('killed')
    },
  }
  await expect(deliverEmail({ ...service.ctx, mailer: dying }, job)).rejects.toThrow('killed')
  expect(await deliveriesOf(service)).toMatchObject([{ outcome: null }])
  await deliver(job)
  await deliver(job)
  const [first, second] = mailer.sent
  expect(mailer.sent).toHaveLength(2)
  expect(second?.messageId).toBe(first?.messageId)
})

test('has another Message-ID for another account and for another event', async () => {
  const [one, other] = [await scene(), await scene()]
  await deliver(one.job)
  await deliver(other.job)
  await payment(one.paymentId, 'blocked')
  const blocked = { aggregateId: one.paymentId, targetState: 'blocked' }
  await deliver({ ...one.job, eventId: await eventOf(service, blocked) })
  expect(new Set(mailer.sent.map(({ messageId }) => messageId)).size).toBe(3)
})

describe('nothing is sent', () => {
  test('to a member who was revoked', async () => {
    const { job, person } = await scene()
    const { membershipId } = await membershipOf(service, house.organization, person)
    await revokeMember(service, house.organization, membershipId)
    await deliver(job)
    expect(mailer.sent).toEqual([])
    expect(await deliveriesOf(service)).toEqual([])
  })

  test('to a disabled account', async () => {
    const { job, person } = await scene()
    await service.database.asOwner(`update accounts set status = 'disabled' where id = $1`, [
      person.accountId,
    ])
    await deliver(job)
    expect(mailer.sent).toEqual([])
  })

  test('to an account without a verified address', async () => {
    const { job, person } = await scene()
    await giveEmail(service, person, { email: null })
    await deliver(job)
    expect(mailer.sent).toEqual([])
  })

  test('to an account that switched the category off', async () => {
    const { job, person } = await scene()
    await setPreferences(service, person, [{ category: 'payment_confirmed', email: false }])
    await deliver(job)
    expect(mailer.sent).toEqual([])
    await setPreferences(service, person, [{ category: 'payment_confirmed', email: true }])
    await deliver(job)
    expect(mailer.sent).toHaveLength(1)
  })

  test('a day after the event', async () => {
    const { job } = await scene()
    await deliver(job, 24 * 3_600 + 1)
    expect(mailer.sent).toEqual([])
  })

  test('about an event that a later one has superseded', async () => {
    const { job, paymentId } = await scene()
    await payment(paymentId, 'blocked')
    await deliver(job)
    expect(mailer.sent).toEqual([])
  })

  test('about an event of another organization, or to another account', async () => {
    const [{ job }, other] = [await scene(), await openExpenseHouse(service)]
    await giveEmail(service, house.manager, { email: 'manager@acme.example' })
    await deliver({ ...job, organizationId: other.organization.id })
    await deliver({ ...job, accountId: house.manager.accountId })
    expect(mailer.sent).toEqual([])
  })

  test('without a mailer', async () => {
    const { job } = await scene()
    await deliverEmail({ ...service.ctx, mailer: undefined }, job)
    expect(await deliveriesOf(service)).toEqual([])
  })
})

describe('a request for a review', () => {
  async function waiting() {
    await giveEmail(service, house.manager, { email: 'manager@acme.example' })
    const { id } = await expenseIn(service, house, 'needs_review')
    const eventId = await eventOf(service, { aggregateId: id, targetState: 'needs_review' })
    const { accountId } = house.manager
    return { id, job: { organizationId: house.organization.id, accountId, eventId, attempt: 1 } }
  }

  test('waits for the mail server longer than a push message would be kept', async () => {
    const { job, id } = await waiting()
    await deliver(job, 2 * 3_600)
    expect(mailer.sent).toMatchObject([
      { to: 'manager@acme.example', subject: 'An expense needs your review (Acme)' },
    ])
    expect(mailer.sent[0]?.text).toContain(
      `${APP}/organizations/${house.organization.id}/expenses/${id}`,
    )
  })

  test('is not sent once somebody has reviewed the expense', async () => {
    const { job, id } = await waiting()
    await review(service, house, { id, action: 'request_revision' })
    await deliver(job)
    expect(mailer.sent).toEqual([])
  })

  test('is neither repeated nor withdrawn by a comment', async () => {
    const { job, id } = await waiting()
    expect((await comment(service, house, { id })).status).toBe(201)
    const eventId = await eventOf(service, { aggregateId: id, targetState: 'needs_review' })
    expect(eventId).not.toBe(job.eventId)
    await deliver({ ...job, eventId })
    expect(mailer.sent).toEqual([])
    await deliver(job)
    expect(mailer.sent).toHaveLength(1)
  })
})

test('names and purposes cannot add markup, links or header lines', async () => {
  const label = '"><img src=x onerror=alert(1)>'
  const { body: recipient } = await addRecipient(service, house.organization, { label })
  const purpose = '</td><a href="https://evil.example">\nBcc: eve@evil.example'
  const { job, person } = await scene({ purpose, recipientId: recipient.id })
  const name = 'Eve\r\nBcc: eve@evil.example <script>alert(1)</script>'
  await giveEmail(service, person, { email: 'a@acme.example', name })
  await deliver(job)
  const [message] = mailer.sent
  expect(message?.html).not.toMatch(/<script|<img|<a href="https:\/\/evil/)
  expect(message?.html).toContain('&lt;/td&gt;')
  expect(message?.text).not.toMatch(/:\/\/evil|evil\.example|^Bcc/m)
  expect(message?.subject).not.toMatch(/[\r\n]/)
})

test('records of messages are deleted after 30 days', async () => {
  const { job } = await scene()
  await deliver(job)
  const later = (days: number) => ({
    ...service.ctx,
    clock: { now: () => addSeconds(systemClock.now(), days * 24 * 3_600) },
  })
  await pruneDeliveries(later(29))
  expect(await deliveriesOf(service)).toHaveLength(1)
  await pruneDeliveries(later(31))
  expect(await deliveriesOf(service)).toEqual([])
})

test('no log, job or audit trail contains an address or the text of a message', async () => {
  const { job, email } = await scene()
  mailer.answers.push({ retry: 'answered 451' })
  await deliver(job)
  const jobs = JSON.stringify(await queuedEmails(service, 'deliver_email'))
  mailer.answers.push({ rejected: 'answered 550' })
  await deliver(job)
  const trails = JSON.stringify([
    await auditTrail(service.database, null),
    await auditTrail(service.database, house.organization.id),
    await service.database.asOwner('select * from live_events'),
    await service.database.asOwner('select * from email_deliveries'),
  ])
  const logged = lines.join('')
  expect(logged).toContain('the mail server refused an e-mail')
  for (const place of [jobs, trails, logged]) expect(place).not.toContain(email)
  for (const place of [jobs, logged]) expect(place).not.toContain(PURPOSE)
})
