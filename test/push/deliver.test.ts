import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { addSeconds, systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'
import { deliverPush } from '#push/deliver-push.ts'
import {
  addDevice,
  bodyOf,
  devicesOf,
  eventOf,
  fakePush,
  pushEnvironment,
  queuedJobs,
  recordPayment,
  subscribe,
  unsubscribe,
} from '#test/push/steps.ts'
import { joinOrganization, type Person, startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { auditTrail, membershipOf, revokeMember } from '#test/support/steps.ts'

const push = fakePush()
const lines: string[] = []
let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } })
  service = await startTestApp({ env: pushEnvironment(), replace: { push, log } })
  house = await openExpenseHouse(service)
})
afterAll(() => service.stop())
afterEach(async () => {
  push.sent.length = 0
  push.answers.length = 0
  await service.database.asOwner(`delete from graphile_worker._private_jobs`)
})

const payment = (paymentId: string, state: string) =>
  recordPayment(service, { organizationId: house.organization.id, paymentId, state })

type Scene = { person: Person; body: ReturnType<typeof bodyOf>; paymentId: string; job: Job }
type Job = Parameters<typeof deliverPush>[1]

/** An employee with one device, whose payment was confirmed. */
async function scene(): Promise<Scene> {
  const person = await joinOrganization(service, house.organization, { role: 'employee' })
  const body = bodyOf()
  const subscriptionId = await addDevice(service, person, body)
  const { paymentId } = await expenseIn(service, house, 'draft', { person })
  await payment(paymentId, 'confirmed')
  const eventId = await eventOf(service, { aggregateId: paymentId, targetState: 'confirmed' })
  const { id: organizationId } = house.organization
  const { accountId } = person
  const job = { organizationId, accountId, subscriptionId, eventId, attempt: 1 }
  return { person, body, paymentId, job }
}

const deliver = (job: Job, after = 0) =>
  deliverPush({ ...service.ctx, clock: { now: () => addSeconds(systemClock.now(), after) } }, job)

test('a message contains only the event id and its category', async () => {
  const { job, body } = await scene()
  await deliver(job)
  const [message] = push.sent
  expect(message).toEqual({
    endpoint: body.endpoint,
    p256dh: Buffer.from(body.keys.p256dh, 'base64url'),
    auth: Buffer.from(body.keys.auth, 'base64url'),
    body: JSON.stringify({ eventId: job.eventId, category: 'payment_confirmed' }),
    ttlSeconds: expect.any(Number),
    urgency: 'normal',
    topic: expect.stringMatching(/^[\w-]{32}$/),
  })
  expect(message?.ttlSeconds).toBeGreaterThan(23 * 3_600)
  expect(message?.ttlSeconds).toBeLessThanOrEqual(24 * 3_600)
  expect(await queuedJobs(service)).toEqual([])
})

test('an urgent message is kept for an hour from the event', async () => {
  const { id } = await expenseIn(service, house, 'needs_review')
  const subscriptionId = await addDevice(service, house.manager)
  const eventId = await eventOf(service, { aggregateId: id, targetState: 'needs_review' })
  const { id: organizationId } = house.organization
  const { accountId } = house.manager
  const job = { organizationId, accountId, subscriptionId, eventId, attempt: 1 }
  await deliver(job)
  await deliver(job, 1_800)
  await deliver(job, 3_601)
  expect(push.sent.map(({ urgency }) => urgency)).toEqual(['high', 'high'])
  const [now = 0, later = 0] = push.sent.map(({ ttlSeconds }) => ttlSeconds)
  expect(now).toBeGreaterThan(3_540)
  expect(later).toBeLessThanOrEqual(1_800)
})

describe('nothing is sent', () => {
  test('to a member who was revoked', async () => {
    const { job, person } = await scene()
    const { membershipId } = await membershipOf(service, house.organization, person)
    await revokeMember(service, house.organization, membershipId)
    await deliver(job)
    expect(push.sent).toEqual([])
  })

  test('to a disabled account', async () => {
    const { job, person } = await scene()
    await service.database.asOwner(`update accounts set status = 'disabled' where id = $1`, [
      person.accountId,
    ])
    await deliver(job)
    expect(push.sent).toEqual([])
  })

  test('to a device that was removed', async () => {
    const { job, person, body } = await scene()
    await unsubscribe(service, person, body.endpoint)
    await deliver(job)
    expect(push.sent).toEqual([])
  })

  test('to a device that now belongs to another account', async () => {
    const { job, body } = await scene()
    const next = await service.signIn()
    expect((await subscribe(service, next, body)).status).toBe(201)
    await deliver(job)
    expect(push.sent).toEqual([])
  })

  test('to a device that has expired', async () => {
    const { job, person, body } = await scene()
    const soon = systemClock.now().getTime() + 60_000
    await subscribe(service, person, { ...body, expirationTime: soon })
    await deliver(job, 61)
    expect(push.sent).toEqual([])
    await deliver(job)
    expect(push.sent).toHaveLength(1)
  })

  test('about an event that a later one has superseded', async () => {
    const { job, paymentId } = await scene()
    await payment(paymentId, 'queued')
    await deliver(job)
    expect(push.sent).toHaveLength(1)
    await payment(paymentId, 'blocked')
    await deliver(job)
    expect(push.sent).toHaveLength(1)
    const eventId = await eventOf(service, { aggregateId: paymentId, targetState: 'blocked' })
    await deliver({ ...job, eventId })
    expect(push.sent).toHaveLength(2)
    const [first, second] = push.sent
    expect(second?.topic).toBe(first?.topic)
  })

  test('about an event of another organization, or to another account', async () => {
    const [{ job }, other] = [await scene(), await openExpenseHouse(service)]
    await deliver({ ...job, organizationId: other.organization.id })
    await deliver({ ...job, accountId: house.manager.accountId })
    expect(push.sent).toEqual([])
  })
})

describe('a push service that refuses a message', () => {
  test('because the device is gone ends the device, once', async () => {
    const { job, person } = await scene()
    const count = async () =>
      (await auditTrail(service.database, null)).filter(
        ({ action, aggregateId }) =>
          action === 'push.deactivated' && aggregateId === job.subscriptionId,
      )
    push.answers.push('gone', 'gone')
    await deliver(job)
    expect(await devicesOf(service, person)).toMatchObject([{ isActive: false }])
    expect(await count()).toMatchObject([
      { actorRealm: 'system', data: { accountId: person.accountId, reason: 'gone' } },
    ])
    await deliver(job)
    expect(push.sent).toHaveLength(1)
    expect(await count()).toHaveLength(1)
  })

  test('because an old subscription is gone leaves its renewal unaffected', async () => {
    const { job, person, body } = await scene()
    const renewing = {
      ...push,
      send: async () => {
        await subscribe(service, person, { ...body, deviceLabel: 'Renewed' })
        return 'gone' as const
      },
    }
    await deliverPush({ ...service.ctx, push: renewing }, job)
    expect(await devicesOf(service, person)).toMatchObject([{ isActive: true }])
  })

  test('permanently is not tried again', async () => {
    const { job, person } = await scene()
    push.answers.push({ rejected: 'answered 413' })
    await deliver(job)
    expect(await queuedJobs(service)).toEqual([])
    expect(await devicesOf(service, person)).toMatchObject([{ isActive: true }])
  })

  test('temporarily is tried again with growing delays, a limited number of times', async () => {
    const { job } = await scene()
    const waits: number[] = []
    let next: Job | undefined = job
    while (next && waits.length < 10) {
      push.answers.push({ retryAfterSeconds: null, reason: 'answered 500' })
      await deliver(next)
      const [queued] = await queuedJobs(service)
      await service.database.asOwner(`delete from graphile_worker._private_jobs`)
      next = queued?.payload
      if (queued) waits.push(Math.round(queued.seconds))
    }
    expect(waits.map((seconds) => Math.ceil(seconds / 5) * 5)).toEqual([5, 30, 120, 600, 1_800])
    expect(push.sent).toHaveLength(6)
  })

  test('with a Retry-After is tried again then', async () => {
    const { job } = await scene()
    push.answers.push({ retryAfterSeconds: 300, reason: 'answered 429' })
    await deliver(job)
    const [queued] = await queuedJobs(service)
    expect(queued?.payload).toEqual({ ...job, attempt: 2 })
    expect(queued?.key).toBe(`push:${job.subscriptionId}:again:${job.eventId}`)
    expect(queued?.seconds).toBeGreaterThan(290)
    expect(queued?.seconds).toBeLessThanOrEqual(300)
  })

  test('until the message is outdated is not tried again', async () => {
    const { job } = await scene()
    push.answers.push({ retryAfterSeconds: 25 * 3_600, reason: 'answered 429' })
    await deliver(job)
    expect(await queuedJobs(service)).toEqual([])
  })
})

test('no log, job or audit trail contains an endpoint or key', async () => {
  const { job, body } = await scene()
  push.answers.push({ retryAfterSeconds: 5, reason: 'answered 500' }, { rejected: 'answered 400' })
  await deliver(job)
  const jobs = JSON.stringify(await queuedJobs(service))
  await deliver(job)
  expect(jobs).toContain(job.subscriptionId)
  const trails = JSON.stringify([
    await auditTrail(service.database, null),
    await auditTrail(service.database, house.organization.id),
    await service.database.asOwner('select * from live_events'),
  ])
  const logged = lines.join('')
  expect(logged).toContain('the push service rejected a message')
  const path = new URL(body.endpoint).pathname.slice(1)
  const ours = service.ctx.config.push.vapid?.privateKey ?? 'none'
  for (const secret of [path, body.keys.p256dh, body.keys.auth, ours]) {
    for (const place of [jobs, trails, logged]) expect(place).not.toContain(secret)
  }
})
