import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeDevice } from '#test/push/device.ts'
import { addDevice, pushEnvironment } from '#test/push/steps.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { auditTrail, outcome } from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await startTestApp({ env: pushEnvironment() })
})
afterAll(() => service.stop())

const newEndpoint = () => `https://127.0.0.1/${randomUUID()}`

describe('the list of devices', () => {
  const path = '/v1/consumer/push/subscriptions'
  const list = async ({ token }: { token: string }) => service.call('GET', path, { token })

  test('shows label, host and times, most recently renewed first, and no secret', async () => {
    const person = await service.signIn()
    const { keys } = makeDevice()
    const endpoint = newEndpoint()
    const first = await addDevice(service, person, { endpoint, keys, deviceLabel: 'Office' })
    const second = await addDevice(service, person, { deviceLabel: 'Phone' })
    await addDevice(service, await service.signIn())
    const { status, body, text } = await list(person)
    expect(status).toBe(200)
    expect(body.subscriptions).toEqual(
      [
        [second, 'Phone'],
        [first, 'Office'],
      ].map(([id, deviceLabel]) => ({
        id,
        deviceLabel,
        active: true,
        endpointHost: '127.0.0.1',
        createdAt: expect.any(String),
        renewedAt: expect.any(String),
        expiresAt: null,
      })),
    )
    for (const secret of [endpoint, new URL(endpoint).pathname, keys.p256dh, keys.auth]) {
      expect(text).not.toContain(secret)
    }
  })

  test('shows devices that have moved to another account as inactive', async () => {
    const person = await service.signIn()
    const endpoint = newEndpoint()
    await addDevice(service, person, { endpoint })
    await addDevice(service, await service.signIn(), { endpoint })
    expect((await list(person)).body.subscriptions).toMatchObject([{ active: false }])
  })

  test('lets one device remove another, once, and nobody else do it', async () => {
    const person = await service.signIn()
    const stranger = await service.signIn()
    const id = await addDevice(service, person)
    const remove = (token: string) => service.call('DELETE', `${path}/${id}`, { token })
    expect(outcome(await remove(stranger.token))).toBe('204')
    expect((await list(person)).body.subscriptions).toHaveLength(1)
    expect(outcome(await remove(person.token))).toBe('204')
    expect(outcome(await remove(person.token))).toBe('204')
    const events = (await auditTrail(service.database, null)).filter(
      ({ aggregateId }) => aggregateId === id,
    )
    expect(events.map(({ action }) => action)).toEqual(['push.subscribed', 'push.unsubscribed'])
    expect((await list(person)).body.subscriptions).toEqual([])
    const { token } = person
    const malformed = await service.call('DELETE', `${path}/x`, { token })
    expect(outcome(malformed)).toBe('400 validation_failed')
  })
})
