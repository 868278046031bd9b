/** When an attempt is repeated, and what disables a webhook. */
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { pruneJournal } from '#journal/journal.ts'
import { writeEvent } from '#test/support/live.ts'
import { auditTrail, liveTrail } from '#test/support/steps.ts'
import {
  bodyAt,
  deliver,
  deliveriesOf,
  type Job,
  scene,
  signatureHeaders,
  stage,
  useStage,
  webhookOf,
} from '#test/webhooks/stage.ts'
import { clearDeliveries, queuedDeliveries } from '#test/webhooks/steps.ts'
import { ATTEMPTS_MAX, PAUSE_SECONDS } from '#webhooks/webhook.ts'

useStage()

describe('a failed attempt', () => {
  test('is repeated with growing delays and the same webhook-id', async () => {
    const { id, secret, eventId, job } = await scene()
    const waits: number[] = []
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      stage.receiver.answers.push({ status: attempt % 2 ? 500 : 404 })
      await deliver(job, { attempt })
      const [next] = await queuedDeliveries(stage.service)
      if (next) waits.push(Math.round(next.seconds / 5) * 5)
      if (next) expect(next.payload.attempt).toBe(attempt + 1)
      await clearDeliveries(stage.service)
    }
    expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 28_800, 28_800])
    expect(new Set(stage.receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([eventId]),
    )
    expect(new Set(stage.receiver.received.map(({ body }) => body)).size).toBe(1)
    new Webhook(secret).verify(bodyAt(7), signatureHeaders(7))
    expect(await deliveriesOf(id)).toMatchObject([
      { state: 'failed', attempt: ATTEMPTS_MAX, statusCode: 404, error: 'answered 404' },
    ])
    // All of it happened within seconds, so the webhook is not given up.
    expect((await webhookOf(id)).state).toBe('active')
  })

  test('shows status code, attempt and the time of the next one', async () => {
    const { id, job } = await scene()
    stage.receiver.answers.push({ status: 302, headers: { location: 'https://example.com/' } })
    await deliver(job)
    expect(stage.receiver.received).toHaveLength(1)
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
    stage.receiver.answers.push({ status: 429, headers: { 'retry-after': '60' } })
    await deliver(job)
    stage.receiver.answers.push({ status: 503, headers: { 'retry-after': '9999999' } })
    const [first] = await queuedDeliveries(stage.service)
    expect(Math.round(first?.seconds ?? 0)).toBe(60)
    await clearDeliveries(stage.service)
    await deliver(job, { attempt: 2 })
    const [second] = await queuedDeliveries(stage.service)
    expect(Math.round((second?.seconds ?? 0) / 60)).toBe(24 * 60)
  })

  test('is the last one if the event was deleted meanwhile', async () => {
    const { id, eventId, job } = await scene()
    stage.receiver.answers.push({ status: 500 })
    await deliver(job)
    await stage.service.database.asOwner('delete from live_events where id = $1', [eventId])
    await deliver(job, { attempt: 2 })
    expect(stage.receiver.received).toHaveLength(1)
    expect(await deliveriesOf(id)).toMatchObject([
      { state: 'failed', attempt: 1, error: 'the event is no longer kept', nextAttemptAt: null },
    ])
  })

  test('without an answer pauses the webhook, so that its other events wait', async () => {
    const { id, job } = await scene()
    const second = await writeEvent(stage.service, stage.organization.id, {
      kind: 'payment.changed',
      aggregateType: 'payment',
    })
    await stage.service.database.asOwner(
      `update webhooks set url = 'http://127.0.0.1:1/' where id = $1`,
      [id],
    )
    await deliver(job)
    await clearDeliveries(stage.service)
    await deliver({ ...job, eventId: second })
    const [waiting] = await queuedDeliveries(stage.service)
    expect(waiting?.payload).toMatchObject({ eventId: second, attempt: 1 })
    expect(Math.abs((waiting?.seconds ?? 0) - PAUSE_SECONDS)).toBeLessThan(10)
    expect(await deliveriesOf(id)).toMatchObject([
      { eventId: second, state: 'pending', attempt: 0, nextAttemptAt: expect.any(String) },
      { attempt: 1, statusCode: null, error: 'failed with ECONNREFUSED' },
    ])
  })
})

test('ended deliveries are deleted after seven days, although none succeeds any more', async () => {
  const { id, job } = await scene()
  const endedAt = async (age: string): Promise<string> => {
    const eventId = await writeEvent(stage.service, stage.organization.id, {
      kind: 'payment.changed',
      aggregateType: 'payment',
    })
    stage.receiver.answers.push({ status: 500 })
    await deliver({ ...job, eventId }, { attempt: ATTEMPTS_MAX })
    await stage.service.database.asOwner(
      `update webhook_deliveries set attempted_at = now() - $2::interval,
         created_at = now() - interval '9 days' where event_id = $1`,
      [eventId, age],
    )
    return eventId
  }
  await endedAt('7 days 1 minute')
  const young = await endedAt('6 days')
  stage.receiver.answers.push({ status: 500 })
  await deliver(job)
  await stage.service.database.asOwner(
    `update webhook_deliveries set created_at = now() - interval '9 days',
       attempted_at = now() - interval '8 days' where event_id = $1`,
    [job.eventId],
  )
  await pruneJournal(stage.service.ctx)
  const kept = (await deliveriesOf(id)).map(({ eventId, state }: Job & { state: string }) => [
    eventId,
    state,
  ])
  expect(kept).toEqual([
    [job.eventId, 'pending'],
    [young, 'failed'],
  ])
})

describe('a webhook is disabled', () => {
  test('by 410 at once, and the owners are notified', async () => {
    const { id, job } = await scene()
    stage.receiver.answers.push({ status: 410 })
    await deliver(job)
    expect(await webhookOf(id)).toMatchObject({ state: 'disabled', disabledCode: 'gone' })
    expect(await deliveriesOf(id)).toMatchObject([{ state: 'failed', statusCode: 410 }])
    expect((await auditTrail(stage.service.database, stage.organization.id)).at(-1)).toMatchObject({
      action: 'webhook.disabled',
      actorRealm: 'system',
      data: { from: 'active', to: 'disabled', code: 'gone' },
    })
    expect((await liveTrail(stage.service.database, stage.organization.id)).at(-1)).toMatchObject({
      code: 'webhook_disabled',
      severity: 'action_required',
    })
    expect(await queuedDeliveries(stage.service)).toEqual([])
  })

  test('after 20 hours of failures, when the last attempt of a delivery fails', async () => {
    const { id, job } = await scene()
    stage.receiver.answers.push({ status: 500 }, { status: 500 })
    await deliver(job)
    await deliver(job, { attempt: ATTEMPTS_MAX, after: 23 * 3_600 })
    expect(await webhookOf(id)).toMatchObject({ state: 'disabled', disabledCode: 'failing' })
  })

  // Events of a silent endpoint wait for each other, so none may reach its last attempt.
  test('after a day in which no event was accepted, whatever the attempt', async () => {
    const { id, job } = await scene()
    const second = await writeEvent(stage.service, stage.organization.id, {
      kind: 'payment.changed',
      aggregateType: 'payment',
    })
    stage.receiver.answers.push({ status: 500 }, { status: 500 })
    await deliver(job)
    await clearDeliveries(stage.service)
    await deliver({ ...job, eventId: second }, { after: 26 * 3_600 })
    expect(await webhookOf(id)).toMatchObject({ state: 'disabled', disabledCode: 'failing' })
    expect(await queuedDeliveries(stage.service)).toEqual([])
    expect(await deliveriesOf(id)).toMatchObject([
      { eventId: second, state: 'failed', attempt: 1 },
      { state: 'pending', attempt: 1 },
    ])
  })

  test('but not while other events are accepted', async () => {
    const { id, job } = await scene()
    stage.receiver.answers.push({ status: 500 })
    await deliver(job)
    const accepted = await writeEvent(stage.service, stage.organization.id, {
      kind: 'payment.changed',
      aggregateType: 'payment',
    })
    await deliver({ ...job, eventId: accepted }, { after: 22 * 3_600 })
    stage.receiver.answers.push({ status: 500 })
    await deliver(job, { attempt: ATTEMPTS_MAX, after: 23 * 3_600 })
    expect((await webhookOf(id)).state).toBe('active')
  })
})
