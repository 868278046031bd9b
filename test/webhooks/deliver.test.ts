/** What is sent, to which webhooks, and how it is signed. */
import { Webhook } from 'standardwebhooks'
import { describe, expect, test, vi } from 'vitest'
import { createOrganization, joinOrganization } from '#test/support/app.ts'
import { writeEvent } from '#test/support/live.ts'
import { addRecipient } from '#test/support/steps.ts'
import {
  bodyAt,
  deliver,
  deliveriesOf,
  follow,
  type Job,
  scene,
  signatureHeaders,
  stage,
  useStage,
  webhookOf,
} from '#test/webhooks/stage.ts'
import { addWebhook, clearDeliveries, onWebhook, queuedDeliveries } from '#test/webhooks/steps.ts'
import { OVERLAP_SECONDS } from '#webhooks/rotate-secret.ts'

useStage()

describe('a message', () => {
  test('is the live event as streams send it, signed for the reference library', async () => {
    const { secret, eventId, job, id } = await scene()
    await deliver(job)
    expect(stage.receiver.received).toHaveLength(1)
    expect(stage.receiver.received[0]?.path).toBe('/hooks?of=acme')
    const headers = signatureHeaders()
    expect(headers['content-type']).toBe('application/json')
    expect(headers['webhook-id']).toBe(eventId)
    const verified = new Webhook(secret).verify(bodyAt(), headers)
    const { token } = stage.organization.owner
    // Events wait for older transactions, those of other tests included.
    const streamed = await vi.waitFor(async () => {
      const path = `${stage.organization.path}/live/snapshot`
      const { body } = await stage.service.call('GET', path, { token })
      const found = body.events.find((event: { id: string }) => event.id === eventId)
      expect(found).toBeDefined()
      return found
    }, 15_000)
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
    const { secret: others } = await addWebhook(stage.service, stage.organization, {
      url: stage.receiver.url,
    })
    await deliver(job)
    const headers = signatureHeaders()
    expect(() => new Webhook(others).verify(bodyAt(), headers)).toThrow()
    expect(() => new Webhook(secret).verify(`${bodyAt()} `, headers)).toThrow()
    const renamed = { ...headers, 'webhook-id': 'another' }
    expect(() => new Webhook(secret).verify(bodyAt(), renamed)).toThrow()
  })

  test('is signed with both secrets for a day after a rotation', async () => {
    const { id, secret: before, job } = await scene()
    const rotated = await onWebhook(stage.service, stage.organization, {
      webhookId: id,
      action: '/rotate-secret',
    })
    const { secret: now } = rotated.body
    stage.receiver.answers.push({ status: 500 }, { status: 500 })
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
  test('queues one job for each event and webhook, by kind and organization', async () => {
    const { id, eventId } = await scene()
    const all = await addWebhook(stage.service, stage.organization, { url: stage.receiver.url })
    await addWebhook(stage.service, await createOrganization(stage.service), {
      url: stage.receiver.url,
      kinds: ['payment.changed'],
    })
    await follow()
    const jobs = await queuedDeliveries(stage.service)
    const of = (webhookId: string) => jobs.filter(({ payload }) => payload.webhookId === webhookId)
    expect(of(id).map(({ payload }) => payload.eventId)).toEqual([eventId])
    expect(of(id)[0]).toMatchObject({
      key: `webhook:${id}:${eventId}`,
      queue: expect.stringMatching(/^webhook:[01]$/),
      payload: { organizationId: stage.organization.id, attempt: 1 },
    })
    // It also gets the events of its own creation and of those created after it.
    expect(of(all.id).length).toBeGreaterThan(0)
    expect(jobs.every(({ payload }) => payload.organizationId === stage.organization.id)).toBe(true)
    await clearDeliveries(stage.service)
    await follow()
    expect(await queuedDeliveries(stage.service)).toEqual([])
  })

  test('passes on what owners see: members and recipients, but nothing for operators', async () => {
    await follow()
    const { id } = await addWebhook(stage.service, stage.organization, { url: stage.receiver.url })
    await follow()
    await clearDeliveries(stage.service)
    await joinOrganization(stage.service, stage.organization, { role: 'employee' })
    await addRecipient(stage.service, stage.organization)
    await writeEvent(stage.service, stage.organization.id, { audience: 'admin' })
    await follow()
    for (const { payload } of await queuedDeliveries(stage.service)) await deliver(payload)
    expect(stage.receiver.received.map(({ body }) => JSON.parse(body).code)).toEqual([
      'invitation_created',
      'invitation_accepted',
      'member_joined',
      'recipient_created',
    ])
    expect(await deliveriesOf(id)).toHaveLength(4)
  })

  test('delivers a ping to its own webhook only, whatever its kinds', async () => {
    const { id } = await scene()
    await addWebhook(stage.service, stage.organization, { url: stage.receiver.url })
    await follow()
    await clearDeliveries(stage.service)
    await onWebhook(stage.service, stage.organization, { webhookId: id, action: '/ping' })
    await follow()
    const jobs = await queuedDeliveries(stage.service)
    expect(jobs.map(({ payload }) => payload.webhookId)).toEqual([id])
    await deliver(jobs[0]?.payload as Job)
    expect(JSON.parse(bodyAt())).toMatchObject({ code: 'webhook_ping', aggregateId: id })
  })

  test('queues nothing for a disabled webhook', async () => {
    const { id } = await scene()
    await stage.service.database.asOwner(
      `update webhooks set state = 'disabled', disabled_code = 'gone' where id = $1`,
      [id],
    )
    await follow()
    expect(await queuedDeliveries(stage.service)).toEqual([])
  })
})

describe('nothing is sent', () => {
  test('twice for a repeated job, or for an attempt that was made already', async () => {
    const { job } = await scene()
    await deliver(job)
    await deliver(job)
    await deliver(job, { attempt: 2 })
    expect(stage.receiver.received).toHaveLength(1)
  })

  test('to a deleted or disabled webhook', async () => {
    const { id, job } = await scene()
    await stage.service.database.asOwner(
      `update webhooks set state = 'disabled', disabled_code = 'gone' where id = $1`,
      [id],
    )
    await deliver(job)
    expect(await deliveriesOf(id)).toMatchObject([
      { state: 'failed', attempt: 0, error: 'the webhook is disabled' },
    ])
    await onWebhook(stage.service, stage.organization, { webhookId: id, method: 'DELETE' })
    await deliver({ ...job, eventId: await writeEvent(stage.service, stage.organization.id) })
    expect(stage.receiver.received).toEqual([])
  })

  test('about an event of another organization or for operators', async () => {
    const { job } = await scene()
    const other = await createOrganization(stage.service)
    for (const eventId of [
      await writeEvent(stage.service, other.id),
      await writeEvent(stage.service, stage.organization.id, { audience: 'admin' }),
    ]) {
      await deliver({ ...job, eventId })
    }
    expect(stage.receiver.received).toEqual([])
  })
})
