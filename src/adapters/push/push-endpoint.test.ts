import { describe, expect, test } from 'vitest'
import { type EndpointRules, resolveEndpoint } from './push-endpoint.ts'

const PUBLIC = '93.184.215.14'

const rules = (more: Partial<EndpointRules> = {}): EndpointRules => ({
  allowsLoopback: false,
  hosts: undefined,
  resolve: async () => [{ address: PUBLIC }],
  ...more,
})

const outcome = async (endpoint: string, more?: Partial<EndpointRules>) => {
  const found = await resolveEndpoint(endpoint, rules(more))
  return 'refused' in found ? found.refused : found.address
}

describe('an endpoint', () => {
  test.each([
    'https://fcm.googleapis.com/fcm/send/abc:APA91b',
    'https://updates.push.services.mozilla.com/wpush/v2/gAAAA?x=1',
    'https://web.push.apple.com/QJ',
    'https://push.example:443/a',
    'HTTPS://PUSH.EXAMPLE/a',
    `https://push.example/${'a'.repeat(1_000)}`,
  ])('of a push service is accepted: %s', async (endpoint) => {
    expect(await outcome(endpoint)).toBe(PUBLIC)
  })

  test.each([
    [`https://push.example/${'a'.repeat(1_004)}`, 'is longer than 1024 characters'],
    ['http://push.example/a', 'is not https'],
    ['https://push.example:8443/a', 'is not on port 443'],
    ['https://user@push.example/a', 'carries a user'],
    ['https://@push.example/a', 'carries a user'],
    ['https://push.example/a#b', 'carries a fragment'],
    ['https://push.example/a b', 'has characters that no URL has'],
    ['https://push.example\\a', 'has characters that no URL has'],
    ['https://püsh.example/a', 'has characters that no URL has'],
    ['https://intranet/a', 'has no full host name'],
    ['https://push.example./a', 'has no full host name'],
    ['https://android.googleapis.com/gcm/send/a', 'is of a push service that is no more'],
    ['https://[::1/a', 'is no URL'],
  ])('%s %s', async (endpoint, refused) => {
    expect(await outcome(endpoint)).toBe(refused)
  })

  test('of an unlisted host is refused where there is a list', async () => {
    const hosts = ['push.example', '*.notify.example']
    expect(await outcome('https://push.example/a', { hosts })).toBe(PUBLIC)
    expect(await outcome('https://a.notify.example/a', { hosts })).toBe(PUBLIC)
    for (const host of ['notify.example', 'a.push.example', 'evilnotify.example', PUBLIC]) {
      expect(await outcome(`https://${host}/a`, { hosts })).toBe('is not of a known push service')
    }
  })

  test('that does not resolve is refused, and a failed lookup is retried', async () => {
    const failing = (code: string) => async () => {
      throw Object.assign(new Error(code), { code })
    }
    const endpoint = 'https://push.example/a'
    expect(await outcome(endpoint, { resolve: failing('ENOTFOUND') })).toBe(
      'has a host name that does not exist',
    )
    expect(await outcome(endpoint, { resolve: async () => [] })).toBe(
      'has a host name that does not exist',
    )
    await expect(outcome(endpoint, { resolve: failing('EAI_AGAIN') })).rejects.toMatchObject({
      code: 'dependency_unavailable',
      message: expect.not.stringContaining('push.example'),
    })
  })

  test('is not resolved when it would be refused anyway', async () => {
    const resolve = async () => {
      throw new Error('asked')
    }
    expect(await outcome('https://push.example:22/a', { resolve })).toBe('is not on port 443')
  })
})

describe('on loopback', () => {
  test('accepts every port where loopback is allowed, and changes nothing else', async () => {
    const resolve = async () => [{ address: '127.0.0.1' }, { address: '::1' }]
    const allowsLoopback = true
    expect(await outcome('https://localhost:8443/a', { allowsLoopback, resolve })).toBe('127.0.0.1')
    expect(await outcome('https://[::1]:8443/a', { allowsLoopback })).toBe('::1')
    expect(await outcome('https://push.example:8443/a', { allowsLoopback })).toBe(
      'is not on port 443',
    )
    expect(await outcome('https://10.0.0.1/a', { allowsLoopback })).toBe(
      'is not on the public internet',
    )
    const mixed = async () => [{ address: '127.0.0.1' }, { address: PUBLIC }]
    expect(await outcome('https://mixed.example/a', { allowsLoopback, resolve: mixed })).toBe(
      'is not on the public internet',
    )
  })

  test('accepts nothing where it is not', async () => {
    const resolve = async () => [{ address: '127.0.0.1' }]
    expect(await outcome('https://push.example/a', { resolve })).toBe(
      'is not on the public internet',
    )
  })
})
