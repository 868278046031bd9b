/** A service, a receiver on loopback, and deliveries that run here instead of in a worker. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { addSeconds, systemClock } from '#platform/clock.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { writeEvent } from '#test/support/live.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { type Receiver, startReceiver } from '#test/webhooks/receiver.ts'
import {
  addWebhook,
  clearDeliveries,
  onWebhook,
  WEBHOOK_ENVIRONMENT,
} from '#test/webhooks/steps.ts'
import { deliverWebhook } from '#webhooks/deliver-webhook.ts'
import { followWebhooks } from '#webhooks/follow-webhooks.ts'

export type Job = JobPayloads['deliver_webhook']

/** Started before the tests of the file, and emptied after each. */
export const stage = {} as { service: TestApp; organization: Organization; receiver: Receiver }

export function useStage(): void {
  beforeAll(async () => {
    stage.receiver = await startReceiver()
    stage.service = await startTestApp({ env: WEBHOOK_ENVIRONMENT })
    stage.organization = await createOrganization(stage.service)
    await liftOwnersRowSecurity(stage.service.database)
  })
  afterAll(async () => {
    await stage.service.stop()
    await stage.receiver.close()
  })
  afterEach(async () => {
    stage.receiver.received.length = 0
    stage.receiver.answers.length = 0
    await stage.service.database.asOwner('delete from webhooks')
    await clearDeliveries(stage.service)
  })
}

/** Until nothing is left to read. */
export const follow = () =>
  expect
    .poll(() => followWebhooks(stage.service.ctx), { interval: 1, timeout: 15_000 })
    .toBe('idle')

export const deliver = (job: Job, { attempt = 1, after = 0 } = {}) =>
  deliverWebhook(
    { ...stage.service.ctx, clock: { now: () => addSeconds(systemClock.now(), after) } },
    { ...job, attempt },
  )

/** A webhook, one event for it, and its delivery. */
export async function scene(): Promise<{ id: string; secret: string; eventId: string; job: Job }> {
  const { service, organization, receiver } = stage
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

export const deliveriesOf = async (webhookId: string) => {
  const request = { webhookId, method: 'GET', action: '/deliveries' }
  const answer = await onWebhook(stage.service, stage.organization, request)
  expect(answer.status).toBe(200)
  return answer.body.deliveries
}

export const webhookOf = async (webhookId: string) => {
  const { path, owner } = stage.organization
  const { body } = await stage.service.call('GET', `${path}/webhooks`, { token: owner.token })
  return body.webhooks.find(({ id }: { id: string }) => id === webhookId)
}

export const signatureHeaders = (n = 0) =>
  stage.receiver.received[n]?.headers as Record<string, string>
export const bodyAt = (n = 0) => stage.receiver.received[n]?.body ?? ''
