/** Owners create, list, delete, rotate, enable and ping webhooks. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type Person,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import {
  auditTrail,
  freshKey,
  liftOwnersRowSecurity,
  liveTrail,
  outcome,
  tally,
  times,
} from '#test/support/steps.ts'
import { addWebhook, createWebhook, onWebhook, WEBHOOK_ENVIRONMENT } from '#test/webhooks/steps.ts'

let service: TestApp
/** As in production: no loopback endpoints. */
let strict: TestApp
let organization: Organization
let other: Organization
let manager: Person
let employee: Person

const url = 'http://127.0.0.1:9/hooks?key=of-the-receiver'

beforeAll(async () => {
  const env = { ...WEBHOOK_ENVIRONMENT, WEBHOOKS_PER_ORGANIZATION: '3' }
  service = await startTestApp({ env })
  strict = await startTestApp()
  organization = await createOrganization(service)
  other = await createOrganization(service)
  manager = await joinOrganization(service, organization, { role: 'manager' })
  employee = await joinOrganization(service, organization, { role: 'employee' })
  await liftOwnersRowSecurity(service.database)
})
afterAll(async () => {
  await service.stop()
  await strict.stop()
})

const list = (person: Person) =>
  service.call('GET', `${organization.path}/webhooks`, { token: person.token })

const lastAudit = async () => (await auditTrail(service.database, organization.id)).at(-1)
const lastLive = async () => (await liveTrail(service.database, organization.id)).at(-1)

const emptied = async () => {
  for (const { id } of (await list(organization.owner)).body.webhooks) {
    await onWebhook(service, organization, { method: 'DELETE', webhookId: id })
  }
}

describe('creating a webhook', () => {
  test('returns its secret once, and records it without secret and path', async () => {
    await emptied()
    const kinds = ['payment.changed', 'integration.changed']
    const { status, body } = await createWebhook(service, organization, { url, kinds })
    expect(status).toBe(201)
    const { secret, ...webhook } = body
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(webhook).toEqual({
      id: expect.any(String),
      organizationId: organization.id,
      url,
      kinds,
      state: 'active',
      disabledCode: null,
      createdByAccountId: organization.owner.accountId,
      displayName: null,
      failingSince: null,
      previousSecretExpiresAt: null,
      createdAt: expect.any(String),
      updatedAt: webhook.createdAt,
    })
    const listed = await list(organization.owner)
    expect(listed.body.webhooks).toEqual([webhook])
    expect(listed.text).not.toContain('whsec_')
    expect(await lastAudit()).toMatchObject({
      action: 'webhook.created',
      aggregateType: 'webhook',
      aggregateId: webhook.id,
      data: { host: '127.0.0.1:9', kinds },
    })
    expect(await lastLive()).toMatchObject({
      kind: 'integration.changed',
      aggregateId: webhook.id,
      targetState: 'active',
      code: 'webhook_created',
    })
  })

  test('with a repeated key creates one, and the replay has no secret', async () => {
    await emptied()
    const headers = freshKey()
    const first = await createWebhook(service, organization, { url, headers })
    const again = await createWebhook(service, organization, { url, headers })
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.body).toEqual({ ...first.body, secret: null })
    expect((await list(organization.owner)).body.webhooks).toHaveLength(1)
    const kinds = ['service.changed']
    const differs = await createWebhook(service, organization, { url, headers, kinds })
    expect(outcome(differs)).toBe('409 idempotency_key_reused')
  })

  test('is refused with 409 beyond the quota, also for concurrent requests', async () => {
    await emptied()
    const answers = await Promise.all(times(5, () => createWebhook(service, organization, { url })))
    expect(tally(answers)).toEqual({ '201': 3, '409 state_conflict': 2 })
    expect(outcome(await createWebhook(service, other, { url }))).toBe('201')
  })

  test.each<[string, Record<string, unknown>]>([
    ['no URL', { url: undefined }],
    ['no kinds', { url, kinds: [] }],
    ['an unknown kind', { url, kinds: ['everything'] }],
    ['the kind of stream resets', { url, kinds: ['stream.reset'] }],
    ['a kind twice', { url, kinds: ['payment.changed', 'payment.changed'] }],
    ['a chosen secret', { url, secret: 'whsec_AAAA' }],
    ['another scheme', { url: 'ftp://127.0.0.1/' }],
    ['a user in the URL', { url: 'https://user@127.0.0.1/' }],
    ['a fragment', { url: 'https://127.0.0.1/#x' }],
    ['http outside loopback', { url: 'http://93.184.216.34/' }],
    ['a private address', { url: 'https://10.0.0.1/' }],
    ['a link-local address', { url: 'https://169.254.169.254/latest' }],
    ['a private address as a number', { url: 'https://0x0a000001/' }],
    ['a port of the public internet', { url: 'https://93.184.216.34:8443/' }],
  ])('rejects %s with 400', async (_what, body) => {
    await emptied()
    expect(outcome(await createWebhook(service, organization, body))).toBe('400 validation_failed')
    expect((await list(organization.owner)).body.webhooks).toEqual([])
  })

  test('rejects http and loopback where they are not allowed', async () => {
    const home = await createOrganization(strict)
    for (const bad of [url, 'https://127.0.0.1/', 'https://localhost/', 'https://[::1]/']) {
      expect(outcome(await createWebhook(strict, home, { url: bad }))).toBe('400 validation_failed')
    }
    const fine = await createWebhook(strict, home, { url: 'https://93.184.216.34/hooks' })
    expect(outcome(fine)).toBe('201')
  })

  test('answers 503 until a worker has published a key to seal secrets to', async () => {
    await emptied()
    const { asOwner } = service.database
    const keys = await asOwner<{ id: string }>(
      `with kept as (delete from webhook_sealing_keys returning *)
       select key_id as id, encode(public_key, 'hex') as hex from kept`,
    )
    expect(outcome(await createWebhook(service, organization, { url }))).toBe(
      '503 dependency_unavailable',
    )
    for (const { id, hex } of keys as { id: string; hex: string }[]) {
      await asOwner(
        `insert into webhook_sealing_keys (key_id, public_key) values ($1, decode($2, 'hex'))`,
        [id, hex],
      )
    }
  })
})

describe('a webhook', () => {
  let webhookId: string
  beforeAll(async () => {
    await emptied()
    webhookId = (await addWebhook(service, organization, { url })).id
  })

  test('is for owners only', async () => {
    for (const person of [manager, employee]) {
      expect(outcome(await list(person))).toBe('403 role_required')
      expect(outcome(await createWebhook(service, organization, { url, person }))).toBe(
        '403 role_required',
      )
      for (const action of ['/rotate-secret', '/enable', '/ping']) {
        const answer = await onWebhook(service, organization, { webhookId, action, person })
        expect(outcome(answer)).toBe('403 role_required')
      }
    }
  })

  test('of another organization, or an unknown one, is 404', async () => {
    for (const id of [webhookId, randomUUID()]) {
      const tries = await Promise.all([
        onWebhook(service, other, { webhookId: id, method: 'DELETE' }),
        onWebhook(service, other, { webhookId: id, method: 'GET', action: '/deliveries' }),
        ...['/rotate-secret', '/enable', '/ping'].map((action) =>
          onWebhook(service, other, { webhookId: id, action }),
        ),
      ])
      expect(tally(tries)).toEqual({ '404 not_found': 5 })
    }
  })

  test('keeps its secret when a broken body comes along, though no body is expected', async () => {
    const path = `${organization.path}/webhooks/${webhookId}/rotate-secret`
    const headers = { ...freshKey(), 'content-type': 'application/json' }
    const { token } = organization.owner
    const answer = await service.call('POST', path, { token, headers, raw: '{"broken' })
    expect(outcome(answer)).toBe('400 malformed_json')
    const [webhook] = (await list(organization.owner)).body.webhooks
    expect(webhook.previousSecretExpiresAt).toBeNull()
  })

  test('gets a new secret by rotation, and shows until when both sign', async () => {
    const headers = freshKey()
    const request = { webhookId, action: '/rotate-secret', headers }
    const { status, body } = await onWebhook(service, organization, request)
    expect(status).toBe(200)
    expect(body.secret).toMatch(/^whsec_/)
    const left = Date.parse(body.previousSecretExpiresAt) - Date.now()
    expect(Math.round(left / 3_600_000)).toBe(24)
    const again = await onWebhook(service, organization, request)
    expect(again.body).toEqual({ ...body, secret: null })
    expect(await lastAudit()).toMatchObject({
      action: 'webhook.secret_rotated',
      aggregateId: webhookId,
      data: { previousExpiresAt: body.previousSecretExpiresAt },
    })
    expect(await lastLive()).toMatchObject({ code: 'webhook_secret_rotated' })
  })

  test('keeps at most two secrets, sealed, which the API role cannot read', async () => {
    for (const _time of times(3, (n) => n)) {
      await onWebhook(service, organization, { webhookId, action: '/rotate-secret' })
    }
    const rows = await service.database.asOwner<{ sealed: Buffer; isCurrent: boolean }>(
      `select sealed, expires_at is null as "isCurrent" from webhook_secrets
       where webhook_id = $1 order by id`,
      [webhookId],
    )
    expect(rows.map(({ isCurrent }) => isCurrent)).toEqual([false, true])
    const reading = service.api.db.transaction({ organizationId: organization.id }, (tx) =>
      tx.query(sql`select sealed from webhook_secrets`),
    )
    await expect(reading).rejects.toThrow('permission denied')
    const publishing = service.api.db.query(sql`
      insert into webhook_sealing_keys (key_id, public_key) values ('x', ${Buffer.alloc(65)})`)
    await expect(publishing).rejects.toThrow('permission denied')
  })

  test('is pinged at most once in ten seconds', async () => {
    const ping = { webhookId, action: '/ping' }
    expect(outcome(await onWebhook(service, organization, ping))).toBe('202')
    expect(await lastAudit()).toMatchObject({ action: 'webhook.pinged', aggregateId: webhookId })
    expect(await lastLive()).toMatchObject({ code: 'webhook_ping', aggregateId: webhookId })
    const again = await onWebhook(service, organization, ping)
    expect(outcome(again)).toBe('429 rate_limited')
    expect(Number(again.headers['retry-after'])).toBeGreaterThan(0)
  })

  test('is enabled again only when it is disabled, and not pinged while it is', async () => {
    const { id } = await addWebhook(service, organization, { url })
    const enable = { webhookId: id, action: '/enable' }
    expect(outcome(await onWebhook(service, organization, enable))).toBe('409 state_conflict')
    await service.database.asOwner(
      `update webhooks set state = 'disabled', disabled_code = 'gone' where id = $1`,
      [id],
    )
    const ping = await onWebhook(service, organization, { webhookId: id, action: '/ping' })
    expect(outcome(ping)).toBe('409 state_conflict')
    const { status, body } = await onWebhook(service, organization, enable)
    expect([status, body.state, body.disabledCode]).toEqual([200, 'active', null])
    expect(await lastAudit()).toMatchObject({
      action: 'webhook.enabled',
      data: { from: 'disabled', to: 'active' },
    })
    expect(await lastLive()).toMatchObject({ code: 'webhook_enabled', targetState: 'active' })
  })

  test('is deleted with its secrets', async () => {
    const remove = { webhookId, method: 'DELETE' }
    expect(outcome(await onWebhook(service, organization, remove))).toBe('204')
    expect(await lastAudit()).toMatchObject({ action: 'webhook.deleted', aggregateId: webhookId })
    expect(await lastLive()).toMatchObject({ code: 'webhook_deleted', targetState: 'deleted' })
    expect(outcome(await onWebhook(service, organization, remove))).toBe('404 not_found')
    const left = await service.database.asOwner(
      'select id from webhook_secrets where webhook_id = $1',
      [webhookId],
    )
    expect(left).toEqual([])
  })
})
