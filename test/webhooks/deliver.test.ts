/** What is sent, how it is signed, when it is repeated, and what ends a webhook. */
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { addSeconds, systemClock } from '#platform/clock.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { writeEvent } from '#test/support/live.ts'
import { addRecipient, auditTrail, liftOwnersRowSecurity, liveTrail } from '#test/support/steps.ts'
import { type Receiver, startReceiver } from '#test/webhooks/receiver.ts'
import {
  addWebhook,
  clearDeliveries,
  onWebhook,
  queuedDeliveries,
  WEBHOOK_ENVIRONMENT,
} from '#test/webhooks/steps.ts'
import { deliverWebhook } from '#webhooks/deliver-webhook.ts'
import { followWebhooks } from '#webhooks/follow-webhooks.ts'
import { OVERLAP_SECONDS } from '#webhooks/rotate-secret.ts'
import { ATTEMPTS_MAX, PAUSE_SECONDS } from '#webhooks/webhook.ts'

type Job = JobPayloads['deliver_webhook']

let service: TestApp
let organization: Organization
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  service = await startTestApp({ env: WEBHOOK_ENVIRONMENT })
  organization = await createOrganization(service)
  await liftOwnersRowSecurity(service.database)
})
afterAll(async () => {
  await service.stop()
  await receiver.close()
})
afterEach(async () => {
  receiver.received.length = 0
  receiver.answers.length = 0
  await service.database.asOwner('delete from webhooks')
  await clearDeliveries(service)
})

/** Until nothing is left to read. */
const follow = () =>
  expect.poll(() => followWebhooks(service.ctx), { interval: 1, timeout: 15_000 }).toBe('idle')

const at = (seconds: number) => ({
  ...service.ctx,
  clock: { now: () => addSeconds(systemClock.now(), seconds) },
})

const deliver = (job: Job, { attempt = 1, after = 0 } = {}) =>
  deliverWebhook(at(after), { ...job, attempt })

/** A webhook, one event for it, and its delivery. */
async function scene(): Promise<{ id: string; secret: string; eventId: string; job: Job }> {
  await follow()
  const { id, secret } = await addWebhook(service, organization, {
    url: receiver.url,
    kinds: ['payment.changed'],
  })
  const eventId = await writeEvent(service, organization.id, {
    kind: 'payment.changed',
    aggregateType: 'payment',
    targetState: 'confirmed',
  })
  const job = { organizationId: organization.id, webhookId: id, eventId, attempt: 1 }
  return { id, secret, eventId, job }
}

const deliveriesOf = async (webhookId: string) => {
  const answer = await onWebhook(service, organization, {
    ...{ webhookId, method: 'GET', action: '/deliveries' },
  })
  expect(answer.status).toBe(200)
  return answer.body.deliveries
}

const webhookOf = async (webhookId: string) => {
  const { token } = organization.owner
  const { body } = await service.call('GET', `${organization.path}/webhooks`, { token })
  return body.webhooks.find(({ id }: { id: string }) => id === webhookId)
}

const signatureHeaders = (n = 0) => receiver.received[n]?.headers as Record<string, string>
const bodyAt = (n = 0) => receiver.received[n]?.body ?? ''

describe('a message', () => {
  test('is the live event as the stream delivers it, signed for the reference library', async () => {
    const { secret, eventId, job, id } = await scene()
    await deliver(job)
    expect(receiver.received).toHaveLength(1)
    expect(receiver.received[0]?.path).toBe('/hooks?of=acme')
    const headers = signatureHeaders()
    expect(headers['content-type']).toBe('application/json')
    expect(headers['webhook-id']).toBe(eventId)
    const verified = new Webhook(secret).verify(bodyAt(), headers)
    const { token } = organization.owner
    const { body: snapshot } = await service.call('GET', `${organization.path}/live/snapshot`, {
      token,
    })
    const streamed = snapshot.events.find((event: { id: string }) => event.id === eventId)
    expect(verified).toEqual(streamed)
    expect(bodyAt()).toBe(JSON.stringify(streamed))
    expect(await deliveriesOf(id)).toEqual([
      {
        id: expect.any(String),
        eventId,
        kind: 'payment.changed',
        state: 'delivered',
        attempt: 1,
        statusCode: 204,
        error: null,
        createdAt: expect.any(String),
        attemptedAt: expect.any(String),
        nextAttemptAt: null,
      },
    ])
  })

  test('does not verify with another secret, a changed body or another id', async () => {
    const { secret, job } = await scene()
    const { secret: others } = await addWebhook(service, organization, { url: receiver.url })
    await deliver(job)
    const headers = signatureHeaders()
    expect(() => new Webhook(others).verify(bodyAt(), headers)).toThrow()
    expect(() => new Webhook(secret).verify(`${bodyAt()} `, headers)).toThrow()
    const renamed = { ...headers, 'webhook-id': 'another' }
    expect(() => new Webhook(secret).verify(bodyAt(), renamed)).toThrow()
  })

  test('is signed with both secrets for a day after a rotation', async () => {
    const { id, secret: before, job } = await scene()
    const rotated = await onWebhook(service, organization, {
      webhookId: id,
      action: '/rotate-secret',
    })
    const { secret: now } = rotated.body
    receiver.answers.push({ status: 500 }, { status: 500 })
    await deliver(job)
    expect(signatureHeaders()['webhook-signature']?.split(' ')).toHaveLength(2)
    new Webhook(before).verify(bodyAt(), signatureHeaders())
    new Webhook(now).verify(bodyAt(), signatureHeaders())
    await deliver(job, { attempt: 2, after: OVERLAP_SECONDS + 1 })
    expect(signatureHeaders(1)['webhook-signature']?.split(' ')).toHaveLength(1)
    expect(await webhookOf(id)).toMatchObject({ failingSince: expect.any(String) })
  })
})

describe('the follower', () => {
  test('queues one job for each event and webhook, of the chosen kinds and organization', async () => {
    const { id, eventId } = await scene()
    const all = await addWebhook(service, organization, { url: receiver.url })
    await addWebhook(service, await createOrganization(service), {
      url: receiver.url,
      kinds: ['payment.changed'],
    })
    await follow()
    const jobs = await queuedDeliveries(service)
    const of = (webhookId: string) => jobs.filter(({ payload }) => payload.webhookId === webhookId)
    expect(of(id).map(({ payload }) => payload.eventId)).toEqual([eventId])
    expect(of(id)[0]).toMatchObject({
      key: `webhook:${id}:${eventId}`,
      queue: expect.stringMatching(/^webhook:[01]$/),
      payload: { organizationId: organization.id, attempt: 1 },
    })
    // It also gets the events of its own creation and of those created after it.
    expect(of(all.id).length).toBeGreaterThan(0)
    expect(jobs.every(({ payload }) => payload.organizationId === organization.id)).toBe(true)
    await clearDeliveries(service)
    await follow()
    expect(await queuedDeliveries(service)).toEqual([])
  })

  test('passes on what owners see: members and recipients, but nothing for operators', async () => {
    await follow()
    const { id } = await addWebhook(service, organization, { url: receiver.url })
    await follow()
    await clearDeliveries(service)
    await joinOrganization(service, organization, { role: 'employee' })
    await addRecipient(service, organization)
    await writeEvent(service, organization.id, { audience: 'admin' })
    await follow()
    for (const { payload } of await queuedDeliveries(service)) await deliverWebhook(at(0), payload)
    expect(receiver.received.map(({ body }) => JSON.parse(body).code)).toEqual([
      'invitation_created',
      'invitation_accepted',
      'member_joined',
      'recipient_created',
    ])
    expect(await deliveriesOf(id)).toHaveLength(4)
  })

  test('delivers a ping to its own webhook only, whatever its kinds', async () => {
    const { id } = await scene()
    await addWebhook(service, organization, { url: receiver.url })
    await follow()
    await clearDeliveries(service)
    await onWebhook(service, organization, { webhookId: id, action: '/ping' })
    await follow()
    const jobs = await queuedDeliveries(service)
    expect(jobs.map(({ payload }) => payload.webhookId)).toEqual([id])
    await deliverWebhook(at(0), jobs[0]?.payload as Job)
    expect(JSON.parse(bodyAt())).toMatchObject({ code: 'webhook_ping', aggregateId: id })
  })

  test('queues nothing for a disabled webhook', async () => {
    const { id } = await scene()
    await service.database.asOwner(
      `update webhooks set state = 'disabled', disabled_code = 'gone' where id = $1`,
      [id],
    )
    await follow()
    expect(await queuedDeliveries(service)).toEqual([])
  })
})

describe('a failed attempt', () => {
  test('is repeated with growing delays and the same webhook-id', async () => {
    const { id, secret, eventId, job } = await scene()
    const waits: number[] = []
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      receiver.answers.push({ status: attempt % 2 ? 500 : 404 })
      await deliver(job, { attempt })
      const [next] = await queuedDeliveries(service)
      if (next) waits.push(Math.round(next.seconds / 5) * 5)
      if (next) expect(next.payload.attempt).toBe(attempt + 1)
      await clearDeliveries(service)
    }
    expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 28_800, 28_800])
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([eventId]),
    )
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    new Webhook(secret).verify(bodyAt(7), signatureHeaders(7))
    expect(await deliveriesOf(id)).toMatchObject([
      { state: 'failed', attempt: ATTEMPTS_MAX, statusCode: 404, error: 'answered 404' },
    ])
    // All of it happened within seconds, so the webhook is not given up.
    expect((await webhookOf(id)).state).toBe('active')
  })

  test('shows status code, attempt and the time of the next one', async () => {
    const { id, job } = await scene()
    receiver.answers.push({ status: 302, headers: { location: 'https://example.com/' } })
    await deliver(job)
    expect(receiver.received).toHaveLength(1)
    const [delivery] = await deliveriesOf(id)
    expect(delivery).toMatchObject({ state: 'pending', attempt: 1, statusCode: 302 })
    const next = Date.parse(delivery.nextAttemptAt) - Date.parse(delivery.attemptedAt)
    expect(next).toBe(5_000)
    expect((await webhookOf(id)).failingSince).toBe(delivery.attemptedAt)
    await deliver(job, { attempt: 2 })
    expect(await deliveriesOf(id)).toMatchObject([{ state: 'delivered', attempt: 2 }])
    expect((await webhookOf(id)).failingSince).toBeNull()
  })

  test('waits as long as the receiver asks, at most a day', async () => {
    const { job } = await scene()
    receiver.answers.push({ status: 429, headers: { 'retry-after': '60' } })
    await deliver(job)
    receiver.answers.push({ status: 503, headers: { 'retry-after': '9999999' } })
    const [first] = await queuedDeliveries(service)
    expect(Math.round(first?.seconds ?? 0)).toBe(60)
    await clearDeliveries(service)
    await deliver(job, { attempt: 2 })
    const [second] = await queuedDeliveries(service)
    expect(Math.round((second?.seconds ?? 0) / 60)).toBe(24 * 60)
  })

  test('without an answer pauses the webhook, so that its other events wait', async () => {
    const { id, job } = await scene()
    const second = await writeEvent(service, organization.id, {
      kind: 'payment.changed',
      aggregateType: 'payment',
    })
    await service.database.asOwner(
      `update webhooks set url = 'http://127.0.0.1:1/' where id = $1`,
      [id],
    )
    await deliver(job)
    await clearDeliveries(service)
    await deliver({ ...job, eventId: second })
    const [waiting] = await queuedDeliveries(service)
    expect(waiting?.payload).toMatchObject({ eventId: second, attempt: 1 })
    expect(Math.abs((waiting?.seconds ?? 0) - PAUSE_SECONDS)).toBeLessThan(10)
    expect(await deliveriesOf(id)).toMatchObject([
      { eventId: second, state: 'pending', attempt: 0, nextAttemptAt: expect.any(String) },
      { attempt: 1, statusCode: null, error: 'failed with ECONNREFUSED' },
    ])
  })
})

describe('a webhook is disabled', () => {
  test('by 410 at once, and the owners are told', async () => {
    const { id, job } = await scene()
    receiver.answers.push({ status: 410 })
    await deliver(job)
    expect(await webhookOf(id)).toMatchObject({ state: 'disabled', disabledCode: 'gone' })
    expect(await deliveriesOf(id)).toMatchObject([{ state: 'failed', statusCode: 410 }])
    expect((await auditTrail(service.database, organization.id)).at(-1)).toMatchObject({
      action: 'webhook.disabled',
      actorRealm: 'system',
      data: { from: 'active', to: 'disabled', code: 'gone' },
    })
    expect((await liveTrail(service.database, organization.id)).at(-1)).toMatchObject({
      code: 'webhook_disabled',
      severity: 'action_required',
    })
    expect(await queuedDeliveries(service)).toEqual([])
  })

  test('after a day of failures, when the last attempt of a delivery fails', async () => {
    const { id, job } = await scene()
    receiver.answers.push({ status: 500 }, { status: 500 })
    await deliver(job)
    await deliver(job, { attempt: ATTEMPTS_MAX, after: 23 * 3_600 })
    expect(await webhookOf(id)).toMatchObject({ state: 'disabled', disabledCode: 'failing' })
  })

  test('but not while other events are accepted', async () => {
    const { id, job } = await scene()
    receiver.answers.push({ status: 500 })
    await deliver(job)
    const accepted = await writeEvent(service, organization.id, {
      kind: 'payment.changed',
      aggregateType: 'payment',
    })
    await deliver({ ...job, eventId: accepted }, { after: 22 * 3_600 })
    receiver.answers.push({ status: 500 })
    await deliver(job, { attempt: ATTEMPTS_MAX, after: 23 * 3_600 })
    expect((await webhookOf(id)).state).toBe('active')
  })
})

describe('nothing is sent', () => {
  test('twice for a repeated job, or for an attempt that was made already', async () => {
    const { job } = await scene()
    await deliver(job)
    await deliver(job)
    await deliver(job, { attempt: 2 })
    expect(receiver.received).toHaveLength(1)
  })

  test('to a deleted or disabled webhook', async () => {
    const { id, job } = await scene()
    await service.database.asOwner(
      `update webhooks set state = 'disabled', disabled_code = 'gone' where id = $1`,
      [id],
    )
    await deliver(job)
    expect(await deliveriesOf(id)).toMatchObject([
      { state: 'failed', attempt: 0, error: 'the webhook is disabled' },
    ])
    await onWebhook(service, organization, { webhookId: id, method: 'DELETE' })
    await deliver({ ...job, eventId: await writeEvent(service, organization.id) })
    expect(receiver.received).toEqual([])
  })

  test('about an event of another organization or for operators', async () => {
    const { job } = await scene()
    const other = await createOrganization(service)
    for (const eventId of [
      await writeEvent(service, other.id),
      await writeEvent(service, organization.id, { audience: 'admin' }),
    ]) {
      await deliver({ ...job, eventId })
    }
    expect(receiver.received).toEqual([])
  })
})
