import { describe, expect, it, vi } from 'vitest'

vi.mock('@countersign/app-kit/data/api.ts', () => ({ client: {} }))
const { deviceLabelOf, isSameKey } = await import('./push-device.ts')

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
