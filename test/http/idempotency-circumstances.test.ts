/** A replay does not depend on what the first request needed: room in a quota, or the DNS. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOrganization, startTestApp, type TestApp } from '#test/support/app.ts'
import { attachmentRows, pdf, upload } from '#test/support/attachments.ts'
import { freshKey, liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'
import { createWebhook, WEBHOOK_ENVIRONMENT } from '#test/webhooks/steps.ts'

let service: TestApp

beforeAll(async () => {
  const env = { ...WEBHOOK_ENVIRONMENT, ATTACHMENT_MIB_PER_ORGANIZATION: '1' }
  service = await startTestApp({ env })
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

test('an upload that fits once is replayed, and takes its place once', async () => {
  const acme = await createOrganization(service)
  const [bytes, key] = [pdf('x'.repeat(700_000)), randomUUID()]
  const first = await upload(service, acme, { bytes, key })
  const again = await upload(service, acme, { bytes, key })
  expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([
    ...[201, 201, 'true'],
  ])
  expect(again.body).toEqual(first.body)
  const other = pdf('y'.repeat(700_000))
  expect(outcome(await upload(service, acme, { bytes: other }))).toBe('409 state_conflict')
  expect(outcome(await upload(service, acme, { bytes: other, key }))).toBe(
    '409 idempotency_key_reused',
  )
  expect(await attachmentRows(service, acme)).toMatchObject({ attachments: 1, bytes: bytes.length })
})

test('a webhook is replayed although its host cannot be resolved any more', async () => {
  const acme = await createOrganization(service)
  const body = { url: 'http://127.0.0.1:9/', headers: freshKey() }
  const first = await createWebhook(service, acme, body)
  expect(first.status).toBe(201)
  const { webhooks } = service.api
  const { checkEndpoint } = webhooks
  webhooks.checkEndpoint = async () => ({ refused: 'has a host name that does not exist' })
  const again = await createWebhook(service, acme, body)
  const fresh = await createWebhook(service, acme, { ...body, headers: freshKey() })
  webhooks.checkEndpoint = checkEndpoint
  expect(again.body).toEqual({ ...first.body, secret: null })
  expect(outcome(fresh)).toBe('400 validation_failed')
})
