import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWebPush } from '#adapters/push/web-push.ts'
import { DEVICES_MAX } from '#push/subscribe.ts'
import { makeDevice } from '#test/push/device.ts'
import { hostileEndpoints } from '#test/push/hostile-endpoints.ts'
import { type PushServer, startPushServer } from '#test/push/push-server.ts'
import {
  addDevice,
  bodyOf,
  devicesOf,
  pushEnvironment,
  subscribe,
  unsubscribe,
} from '#test/push/steps.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { auditTrail, outcome, tally, times } from '#test/support/steps.ts'

const env = pushEnvironment()
let service: TestApp
/** As in production: no loopback endpoints. */
let strict: TestApp
let server: PushServer

beforeAll(async () => {
  server = await startPushServer()
  service = await startTestApp({ env })
  strict = await startTestApp({ env: { ...env, PUSH_LOOPBACK: 'false' } })
})
afterAll(async () => {
  await service.stop()
  await strict.stop()
  await server.close()
})

const newEndpoint = () => `https://127.0.0.1/${randomUUID()}`
const trail = async () => (await auditTrail(service.database, null)).filter(isPush)
const isPush = ({ action }: { action: string }) => action.startsWith('push.')

/** The audit events about devices during the work. */
async function recorded(work: () => Promise<unknown>) {
  const before = (await trail()).length
  await work()
  return (await trail()).slice(before).map(({ action, aggregateId, data }) => ({
    ...{ action, aggregateId },
    ...data,
  }))
}

describe('the configuration', () => {
  test('returns the key that browsers subscribe with', async () => {
    const { token } = await service.signIn()
    const config = await service.call('GET', '/v1/consumer/push/config', { token })
    expect(config.body).toEqual({ active: true, publicKey: env.VAPID_PUBLIC_KEY })
  })

  test('reports push as inactive without keys, and nobody can subscribe', async () => {
    const silent = await sharedTestApp()
    const person = await silent.signIn()
    const { token } = person
    const config = await silent.call('GET', '/v1/consumer/push/config', { token })
    expect(config.body).toEqual({ active: false, publicKey: '' })
    expect(outcome(await subscribe(silent, person))).toBe('503 dependency_unavailable')
    expect(outcome(await unsubscribe(silent, person, newEndpoint()))).toBe('204')
    await silent.stop()
  })
})

describe('subscribing', () => {
  test('returns the device and records it without its secrets', async () => {
    const person = await service.signIn()
    const endpoint = newEndpoint()
    const { keys } = makeDevice()
    const events = await recorded(async () => {
      const added = await subscribe(service, person, { endpoint, keys, deviceLabel: 'Büro 🖥️' })
      expect(added.status).toBe(201)
      expect(added.body).toEqual({ id: added.body.id, deviceLabel: 'Büro 🖥️', active: true })
    })
    const [device] = await devicesOf(service, person)
    expect(device).toMatchObject({ endpoint, isActive: true })
    expect(events).toEqual([
      { action: 'push.subscribed', aggregateId: device?.id, accountId: person.accountId },
    ])
    const written = JSON.stringify(await auditTrail(service.database, null))
    for (const secret of [endpoint, keys.p256dh, keys.auth]) expect(written).not.toContain(secret)
  })

  test('again is the same device and records nothing', async () => {
    const person = await service.signIn()
    const body = bodyOf()
    const first = await addDevice(service, person, body)
    const events = await recorded(async () => {
      expect(await addDevice(service, person, body)).toBe(first)
      const spelledOtherwise = body.endpoint.replace('127.0.0.1', '127.0.0.1:443')
      expect(await addDevice(service, person, { ...body, endpoint: spelledOtherwise })).toBe(first)
    })
    expect(events).toEqual([])
    expect(await devicesOf(service, person)).toHaveLength(1)
  })

  test('again with other keys or another label renews the device', async () => {
    const person = await service.signIn()
    const body = bodyOf()
    const id = await addDevice(service, person, body)
    const { keys } = makeDevice()
    const events = await recorded(async () => {
      const renewed = await subscribe(service, person, { ...body, keys, deviceLabel: 'New phone' })
      expect(renewed.body).toEqual({ id, deviceLabel: 'New phone', active: true })
    })
    expect(events).toMatchObject([{ action: 'push.subscribed', aggregateId: id }])
    const stored = await service.ctx.db.transaction({ accountId: person.accountId }, (tx) =>
      tx.query<{ p256dh: Buffer }>(sql`select p256dh from push_subscriptions where id = ${id}`),
    )
    expect(stored[0]?.p256dh.toString('base64url')).toBe(keys.p256dh)
  })

  test('moves the browser from the account that used it before', async () => {
    const [before, after] = [await service.signIn(), await service.signIn()]
    const endpoint = newEndpoint()
    const old = await addDevice(service, before, { endpoint })
    const events = await recorded(() => addDevice(service, after, { endpoint }))
    expect(events).toMatchObject([
      { action: 'push.subscribed', accountId: after.accountId },
      {
        action: 'push.deactivated',
        aggregateId: old,
        accountId: before.accountId,
        reason: 'moved',
      },
    ])
    expect(await devicesOf(service, before)).toMatchObject([{ id: old, isActive: false }])
    const back = await recorded(async () => {
      expect(await addDevice(service, before, { endpoint })).toBe(old)
    })
    expect(back).toMatchObject([{ action: 'push.subscribed' }, { reason: 'moved' }])
    expect(await devicesOf(service, after)).toMatchObject([{ isActive: false }])
  })

  test('one browser from many accounts at once leaves it with one of them', async () => {
    const people = await Promise.all(times(6, () => service.signIn()))
    const endpoint = newEndpoint()
    const answers = await Promise.all(
      people.flatMap((person) => times(2, () => subscribe(service, person, { endpoint }))),
    )
    expect(tally(answers)).toEqual({ 201: 12 })
    const devices = await Promise.all(people.map((person) => devicesOf(service, person)))
    expect(devices.flat()).toHaveLength(6)
    expect(devices.flat().filter(({ isActive }) => isActive)).toHaveLength(1)
  })

  test('more devices than the limit ends the one that was silent longest', async () => {
    const person = await service.signIn()
    const bodies = times(DEVICES_MAX, () => bodyOf())
    const ids: string[] = []
    for (const body of bodies) ids.push(await addDevice(service, person, body))
    // The first subscribes again, so that the second is silent longest.
    await addDevice(service, person, bodies[0])
    const events = await recorded(() => addDevice(service, person))
    expect(events).toMatchObject([
      { action: 'push.subscribed' },
      { action: 'push.deactivated', aggregateId: ids[1], reason: 'crowded_out' },
    ])
    await Promise.all(times(25, () => addDevice(service, person)))
    const devices = await devicesOf(service, person)
    expect(devices.filter(({ isActive }) => isActive)).toHaveLength(DEVICES_MAX)
    expect(devices.length).toBeLessThanOrEqual(2 * DEVICES_MAX)
  })
})

describe('rejects', () => {
  const { p256dh, auth } = makeDevice().keys
  test.each<[string, Record<string, unknown>]>([
    ['no endpoint', { endpoint: undefined }],
    ['an endpoint that is not a string', { endpoint: 7 }],
    ['an empty endpoint', { endpoint: '' }],
    ['a long endpoint', { endpoint: `https://127.0.0.1/${'a'.repeat(1_024)}` }],
    ['no expirationTime', { expirationTime: undefined }],
    ['an expirationTime as text', { expirationTime: '2099-01-01T00:00:00Z' }],
    ['an expirationTime in the past', { expirationTime: 1_000 }],
    ['an expirationTime beyond the supported range', { expirationTime: 1e300 }],
    ['no keys', { keys: undefined }],
    ['empty keys', { keys: {} }],
    ['a missing auth', { keys: { p256dh } }],
    ['an additional key', { keys: { p256dh, auth, extra: auth } }],
    ['a p256dh of another length', { keys: { p256dh: auth, auth } }],
    ['an auth of another length', { keys: { p256dh, auth: p256dh } }],
    ['no deviceLabel', { deviceLabel: undefined }],
    ['an empty deviceLabel', { deviceLabel: '' }],
    ['an invisible deviceLabel', { deviceLabel: ' \u200b ' }],
    ['a long deviceLabel', { deviceLabel: 'x'.repeat(101) }],
    ['a deviceLabel of two lines', { deviceLabel: 'a\nb' }],
    ['an unknown property', { active: true }],
  ])('%s', async (_what, more) => {
    const person = await service.signIn()
    expect(outcome(await subscribe(service, person, more))).toBe('400 validation_failed')
    expect(await devicesOf(service, person)).toEqual([])
  })

  test('every hostile endpoint, without connecting to it', async () => {
    const person = await strict.signIn()
    const before = server.connections()
    const endpoints = hostileEndpoints(server.port)
    expect(endpoints.length).toBeGreaterThan(40)
    for (const endpoint of endpoints) {
      const answer = await subscribe(strict, person, { endpoint })
      expect([endpoint, outcome(answer)]).toEqual([endpoint, '400 validation_failed'])
    }
    expect(server.connections()).toBe(before)
    expect(await devicesOf(strict, person)).toEqual([])
  })

  test('temporarily when the name cannot be resolved', async () => {
    const { config, clock } = service.ctx
    const vapid = config.push.vapid
    if (!vapid) throw new Error('There are no keys')
    const resolve = async () => {
      throw Object.assign(new Error('away'), { code: 'EAI_AGAIN' })
    }
    const push = createWebPush({ ...config.push, vapid, clock, resolve })
    const away = await startTestApp({ env, replace: { push } })
    const person = await away.signIn()
    const answer = await subscribe(away, person, { endpoint: 'https://push.example/a' })
    expect(outcome(answer)).toBe('503 dependency_unavailable')
    await away.stop()
  })
})

describe('unsubscribing', () => {
  test('is 204 without a body and deletes the device', async () => {
    const person = await service.signIn()
    const endpoint = newEndpoint()
    const id = await addDevice(service, person, { endpoint })
    const events = await recorded(async () => {
      const removed = await unsubscribe(service, person, endpoint)
      expect([removed.status, removed.text]).toEqual([204, ''])
      expect((await unsubscribe(service, person, endpoint)).status).toBe(204)
    })
    const { accountId } = person
    expect(events).toEqual([{ action: 'push.unsubscribed', aggregateId: id, accountId }])
    expect(await devicesOf(service, person)).toEqual([])
  })

  test("of somebody else's endpoint is 204 and changes nothing", async () => {
    const [person, other] = [await service.signIn(), await service.signIn()]
    const endpoint = newEndpoint()
    await addDevice(service, person, { endpoint })
    expect((await unsubscribe(service, other, endpoint)).status).toBe(204)
    expect(await devicesOf(service, person)).toMatchObject([{ isActive: true }])
  })

  test.each(['', 'not a url', `https://a/${'a'.repeat(1_024)}`])(
    'of %j is 400',
    async (endpoint) => {
      const answer = await unsubscribe(service, await service.signIn(), endpoint)
      expect(outcome(answer)).toBe('400 validation_failed')
    },
  )
})

describe('the database', () => {
  test('shows an account only its own devices, and lets it change no others', async () => {
    const [person, other] = [await service.signIn(), await service.signIn()]
    await addDevice(service, person)
    const { accountId } = other
    await service.ctx.db.transaction({ accountId }, async (tx) => {
      expect(await tx.query(sql`select id from push_subscriptions`)).toEqual([])
      await tx.query(sql`update push_subscriptions set deactivated_at = now()`)
      await tx.query(sql`delete from push_subscriptions`)
    })
    expect(await devicesOf(service, person)).toMatchObject([{ isActive: true }])
  })

  test.each(['endpoint', 'p256dh', 'auth'])('hides %s from the observer', async (column) => {
    const { observerDb } = service.ctx
    const statement = sql`select id, account_id, deactivated_at from push_subscriptions limit 1`
    expect(await observerDb.query(statement)).toHaveLength(1)
    const secret = {
      endpoint: sql`select endpoint from push_subscriptions`,
      p256dh: sql`select p256dh from push_subscriptions`,
      auth: sql`select auth from push_subscriptions`,
    }[column]
    await expect(observerDb.query(secret ?? sql``)).rejects.toMatchObject({ code: '42501' })
  })
})
