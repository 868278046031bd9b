import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const { call } = vi.hoisted(() => ({ call: vi.fn() }))
vi.mock('@countersign/app-kit/data/api.ts', () => ({ client: { call } }))
const { deviceLabelOf, isSameKey, ownDeviceId, renew } = await import('./push-device.ts')

describe('the name of a device', () => {
  it.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36',
      'Chrome, Linux',
    ],
    ['Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge, Windows'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1',
      'Safari, iOS',
    ],
    ['Mozilla/5.0 (Android 15; Mobile) Gecko/140.0 Firefox/140.0', 'Firefox, Android'],
    ['something', 'Browser'],
  ])('comes from its browser and system', (agent, label) => {
    expect(deviceLabelOf(agent)).toBe(label)
  })
})

it('compares keys in base64url', () => {
  const bytes = Uint8Array.from([251, 255, 0]).buffer
  expect(isSameKey(bytes, '-_8A')).toBe(true)
  expect(isSameKey(bytes, '-_8B')).toBe(false)
  expect(isSameKey(null, '')).toBe(false)
})

describe('the renewal of a device', () => {
  const kept = new Map<string, string>()
  const unsubscribe = vi.fn()
  const subscription = {
    toJSON: () => ({ endpoint: 'https://push.test/one', keys: { p256dh: 'p', auth: 'a' } }),
    expirationTime: null,
    unsubscribe,
  }
  const registration = { pushManager: { getSubscription: async () => subscription } }

  beforeEach(() => {
    kept.clear()
    kept.set('countersign.device', 'this one')
    call.mockReset()
    unsubscribe.mockReset()
    vi.stubGlobal('PushManager', class {})
    vi.stubGlobal('Notification', class {})
    vi.stubGlobal('navigator', {
      userAgent: '',
      serviceWorker: { getRegistration: async () => registration },
    })
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    })
  })
  afterEach(() => void vi.unstubAllGlobals())

  const whereListHas = (...ids: string[]) =>
    call.mockImplementation(async (id: string) =>
      id === 'listPushSubscriptions'
        ? { ok: true, data: { subscriptions: ids.map((one) => ({ id: one })) } }
        : { ok: true, data: { id: 'this one' } },
    )
  const called = () => call.mock.calls.map(([id]) => id)

  it('subscribes again what the person still has', async () => {
    whereListHas('another', 'this one')
    await renew()
    expect(called()).toEqual(['listPushSubscriptions', 'subscribeToPush'])
    expect(ownDeviceId()).toBe('this one')
  })

  it('ends what was removed on another device, or is of somebody else', async () => {
    whereListHas('another')
    await renew()
    expect(called()).toEqual(['listPushSubscriptions'])
    expect(unsubscribe).toHaveBeenCalledOnce()
    expect(ownDeviceId()).toBeNull()
  })

  it('changes nothing while the devices cannot be read', async () => {
    call.mockResolvedValue({ ok: false, failure: { code: 'network' } })
    await renew()
    expect(called()).toEqual(['listPushSubscriptions'])
    expect(unsubscribe).not.toHaveBeenCalled()
    expect(ownDeviceId()).toBe('this one')
  })

  it('asks for nothing where no device was turned on', async () => {
    kept.clear()
    await renew()
    expect(call).not.toHaveBeenCalled()
  })
})
