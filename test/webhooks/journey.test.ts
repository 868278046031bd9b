/** With a running worker: from a change to the receiver, and from a dead receiver to the owners. */
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { JobRunner } from '#platform/jobs/job-runner.ts'
import { addDevice, fakePush, pushEnvironment, resolveEvent } from '#test/push/steps.ts'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { addRecipient } from '#test/support/steps.ts'
import { type Receiver, startReceiver } from '#test/webhooks/receiver.ts'
import { addWebhook, onWebhook, WEBHOOK_ENVIRONMENT } from '#test/webhooks/steps.ts'
import { startWorker } from '#worker.ts'

const push = fakePush()
let service: TestApp
let worker: JobRunner
let receiver: Receiver
let organization: Organization

beforeAll(async () => {
  receiver = await startReceiver()
  const env = { ...pushEnvironment(), ...WEBHOOK_ENVIRONMENT }
  service = await startTestApp({ env, replace: { push } })
  worker = await startWorker(service.ctx)
  organization = await createOrganization(service)
})
afterAll(async () => {
  await worker.stop()
  await service.stop()
  await receiver.close()
})

const within = { timeout: 20_000, interval: 20 }

test('a change reaches the receiver, verified by the reference library', async () => {
  const { secret } = await addWebhook(service, organization, { url: receiver.url })
  const { body: recipient } = await addRecipient(service, organization)
  const arrived = () => receiver.received.find(({ body }) => body.includes(recipient.id))
  await vi.waitFor(() => expect(arrived()).toBeDefined(), within)
  const { headers, body } = arrived() ?? { headers: {}, body: '' }
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
    kind: 'integration.changed',
    aggregateId: recipient.id,
    code: 'recipient_created',
    organizationId: organization.id,
  })
})

test('a receiver that is gone disables the webhook, and only the owners are notified', async () => {
  const manager = await joinOrganization(service, organization, { role: 'manager' })
  const endpoints = ['https://push.example/owner', 'https://push.example/manager']
  await addDevice(service, organization.owner, { endpoint: endpoints[0] })
  await addDevice(service, manager, { endpoint: endpoints[1] })
  const gone = await startReceiver()
  gone.answers.push(...Array(20).fill({ status: 410 }))
  const { id } = await addWebhook(service, organization, {
    url: gone.url,
    kinds: ['service.changed'],
  })
  await onWebhook(service, organization, { webhookId: id, action: '/ping' })
  await vi.waitFor(() => expect(push.sent.length).toBeGreaterThan(0), within)
  await gone.close()
  expect(push.sent.map(({ endpoint }) => endpoint)).toEqual([endpoints[0]])
  const { eventId, category } = JSON.parse(push.sent[0]?.body ?? '{}')
  expect(category).toBe('webhook_disabled')
  const { body } = await resolveEvent(service, organization.owner, eventId)
  expect(body).toEqual({ category, route: `/organizations/${organization.id}/webhooks` })
})
