import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTokenIdentity } from '#adapters/identity/token-identity.ts'
import { devRealm } from '#dev/defaults.ts'
import { systemClock } from '#platform/clock.ts'
import { AppError } from '#platform/errors.ts'
import type { IdentityProvider } from '#ports/identity-provider.ts'
import { startTestApp } from '#test/support/app.ts'
import {
  type KeyServer,
  makeTokenKey,
  signToken,
  startKeyServer,
  type TokenKey,
} from '#test/support/tokens.ts'

const first = makeTokenKey({ kid: 'first' })
const second = makeTokenKey({ kid: 'second' })
const MINUTE_MS = 60_000

let consumer: KeyServer
let admin: KeyServer

beforeEach(async () => {
  consumer = await startKeyServer([first.published])
  admin = await startKeyServer([makeTokenKey({ kid: 'of-admins' }).published])
})
afterEach(async () => {
  vi.useRealTimers()
  await consumer.stop()
  await admin.stop()
})

const realms = (jwksUrl = consumer.url) => ({
  consumer: { ...devRealm('consumer', 0), jwksUrl },
  admin: { ...devRealm('admin', 0), jwksUrl: admin.url },
})

const identityWith = (refreshAtMostEveryMs: number, jwksUrl?: string): IdentityProvider =>
  createTokenIdentity({ realms: realms(jwksUrl), clock: systemClock, refreshAtMostEveryMs })

const tokenOf = (key: TokenKey) => {
  const { issuer: iss, audience: aud } = devRealm('consumer', 0)
  const iat = Math.floor(Date.now() / 1000)
  return signToken({ key, claims: { iss, aud, sub: 'someone', iat, exp: iat + 3600 } })
}

const outcomeOf = async (identity: IdentityProvider, key: TokenKey) =>
  (await identity.verifyAccessToken({ realm: 'consumer', token: tokenOf(key) })).outcome

const unavailable = expect.objectContaining({
  code: 'dependency_unavailable',
  retryAfterSeconds: expect.any(Number),
})

/** Moves the clocks that the adapter and its library read; timers and sockets stay real. */
const fakeClocks = () => vi.useFakeTimers({ toFake: ['Date', 'performance'] })

const strangers = Array.from({ length: 50 }, (_, n) => makeTokenKey({ kid: `stranger-${n}` }))

describe('key rotation', () => {
  test('accepts a new key at first use', async () => {
    const identity = identityWith(0)
    expect(await outcomeOf(identity, first)).toBe('valid')
    expect(await outcomeOf(identity, second)).toBe('invalid')
    consumer.addKey(second.published)
    expect(await outcomeOf(identity, second)).toBe('valid')
    expect(await outcomeOf(identity, first)).toBe('valid')
  })

  test('fetches nothing for a known key', async () => {
    const identity = identityWith(0)
    for (let turn = 0; turn < 20; turn += 1) await outcomeOf(identity, first)
    expect(consumer.requests).toBe(1)
  })

  test('refuses a removed key once the key set has aged', async () => {
    fakeClocks()
    const identity = identityWith(30_000)
    expect(await outcomeOf(identity, first)).toBe('valid')
    consumer.addKey(second.published)
    consumer.removeKey('first')
    vi.advanceTimersByTime(9 * MINUTE_MS)
    expect(await outcomeOf(identity, first)).toBe('valid')
    vi.advanceTimersByTime(MINUTE_MS + 1)
    await vi.waitFor(async () => expect(await outcomeOf(identity, first)).toBe('invalid'), 30_000)
    expect(await outcomeOf(identity, second)).toBe('valid')
    expect(consumer.requests).toBe(2)
  })
})

describe('a verified token in the cache', () => {
  const asked = async (identity: IdentityProvider, token: string) =>
    (await identity.verifyAccessToken({ realm: 'consumer', token })).outcome

  test('is refused once its key is removed, although no other token triggers a fetch', async () => {
    fakeClocks()
    const identity = identityWith(30_000)
    const token = tokenOf(first)
    for (let turn = 0; turn < 3; turn += 1) expect(await asked(identity, token)).toBe('valid')
    consumer.removeKey('first')
    consumer.addKey(second.published)
    vi.advanceTimersByTime(10 * MINUTE_MS + 1)
    await vi.waitFor(async () => expect(await asked(identity, token)).toBe('invalid'), 30_000)
  })

  test('is refused once it has expired', async () => {
    fakeClocks()
    const identity = identityWith(30_000)
    const token = tokenOf(first)
    for (let turn = 0; turn < 3; turn += 1) expect(await asked(identity, token)).toBe('valid')
    vi.advanceTimersByTime(60 * MINUTE_MS + 4_000)
    expect(await asked(identity, token)).toBe('valid')
    vi.advanceTimersByTime(2_000)
    expect(await asked(identity, token)).toBe('invalid')
  })

  test('is valid only in its realm', async () => {
    const identity = identityWith(30_000)
    const token = tokenOf(first)
    for (let turn = 0; turn < 3; turn += 1) expect(await asked(identity, token)).toBe('valid')
    const elsewhere = await identity.verifyAccessToken({ realm: 'admin', token })
    expect(elsewhere.outcome).toBe('other_realm')
  })
})

describe('many unknown keys', () => {
  test('cause one refresh in an interval, sequentially or concurrently', async () => {
    fakeClocks()
    const identity = identityWith(30_000)
    expect(await outcomeOf(identity, first)).toBe('valid')
    expect(consumer.requests).toBe(1)

    vi.advanceTimersByTime(30_001)
    await Promise.all(strangers.map((key) => outcomeOf(identity, key)))
    for (const key of strangers) expect(await outcomeOf(identity, key)).toBe('invalid')
    expect(consumer.requests).toBe(2)

    vi.advanceTimersByTime(29_000)
    for (const key of strangers) await outcomeOf(identity, key)
    expect(consumer.requests).toBe(2)

    vi.advanceTimersByTime(1_001)
    for (const key of strangers) await outcomeOf(identity, key)
    expect(consumer.requests).toBe(3)
    expect(await outcomeOf(identity, first)).toBe('valid')
  })

  test('do not lock a new key out for longer than the interval', async () => {
    fakeClocks()
    const identity = identityWith(30_000)
    await outcomeOf(identity, first)
    consumer.addKey(second.published)
    for (const key of strangers) await outcomeOf(identity, key)
    vi.advanceTimersByTime(30_001)
    expect(await outcomeOf(identity, second)).toBe('valid')
  })

  test('by default cause one refresh in 30 s', async () => {
    fakeClocks()
    const identity = createTokenIdentity({ realms: realms(), clock: systemClock })
    await outcomeOf(identity, first)
    consumer.addKey(second.published)
    vi.advanceTimersByTime(29_000)
    expect(await outcomeOf(identity, second)).toBe('invalid')
    vi.advanceTimersByTime(1_001)
    expect(await outcomeOf(identity, second)).toBe('valid')
  })
})

describe('an unavailable key server', () => {
  let odd: Server | undefined

  afterEach(() => {
    odd?.closeAllConnections()
    odd?.close()
    odd = undefined
  })

  async function oddServer(answer: string | undefined): Promise<string> {
    odd = createServer((_request, response) => {
      if (answer !== undefined) response.end(answer)
    })
    await new Promise<void>((resolve) => odd?.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(odd.address() as AddressInfo).port}/jwks.json`
  }

  test('makes verification unavailable until it is back', async () => {
    const identity = identityWith(0)
    consumer.setDown(true)
    await expect(outcomeOf(identity, first)).rejects.toEqual(unavailable)
    consumer.setDown(false)
    expect(await outcomeOf(identity, first)).toBe('valid')
  })

  test('does not affect known keys', async () => {
    const identity = identityWith(0)
    expect(await outcomeOf(identity, first)).toBe('valid')
    consumer.setDown(true)
    expect(await outcomeOf(identity, first)).toBe('valid')
    await expect(outcomeOf(identity, second)).rejects.toEqual(unavailable)
  })

  test('does not affect known keys, however long it lasts', async () => {
    fakeClocks()
    const identity = identityWith(30_000)
    expect(await outcomeOf(identity, first)).toBe('valid')
    consumer.setDown(true)
    for (let hour = 0; hour < 3; hour += 1) {
      vi.advanceTimersByTime(60 * MINUTE_MS)
      expect(await outcomeOf(identity, first)).toBe('valid')
    }
    await vi.waitFor(() => expect(consumer.requests).toBeGreaterThan(1), 30_000)
  })

  test('is not polled more often because of unknown keys', async () => {
    fakeClocks()
    const identity = identityWith(30_000)
    expect(await outcomeOf(identity, first)).toBe('valid')
    consumer.setDown(true)
    vi.advanceTimersByTime(30_001)
    await expect(outcomeOf(identity, second)).rejects.toEqual(unavailable)
    for (const key of strangers) await outcomeOf(identity, key).catch(() => {})
    expect(consumer.requests).toBe(2)
  })

  test('does not prevent the refusal of a token that no key could make valid', async () => {
    const identity = identityWith(0)
    consumer.setDown(true)
    for (const token of ['nonsense', signToken({ claims: {} }), 'a.b.c']) {
      const verdict = await identity.verifyAccessToken({ realm: 'consumer', token })
      expect(verdict.outcome).toBe('invalid')
    }
  })

  test.each([
    ['answers something that is not JSON', '<html>'],
    ['answers JSON that is no key set', '{}'],
    ['answers keys in the wrong shape', '{"keys":"none"}'],
    ['answers null', 'null'],
  ])('that %s makes verification unavailable, repeatedly', async (_what, answer) => {
    const identity = identityWith(30_000, await oddServer(answer))
    await expect(outcomeOf(identity, first)).rejects.toBeInstanceOf(AppError)
    await expect(outcomeOf(identity, first)).rejects.toEqual(unavailable)
  })

  test('that never answers makes verification unavailable', async () => {
    const identity = identityWith(0, await oddServer(undefined))
    await expect(outcomeOf(identity, first)).rejects.toEqual(unavailable)
  })

  test('that refuses connections makes verification unavailable', async () => {
    const url = await oddServer('{}')
    await new Promise((resolve) => odd?.close(resolve))
    odd = undefined
    await expect(outcomeOf(identityWith(0, url), first)).rejects.toEqual(unavailable)
  })

  test('is 503 with Retry-After over HTTP, and 401 for decided tokens', async () => {
    consumer.setDown(true)
    const service = await startTestApp({ env: { CONSUMER_JWKS_URL: consumer.url } })
    const { status, body, headers } = await service.call('GET', '/v1/consumer/me', {
      token: tokenOf(first),
    })
    expect([status, body.error.code]).toEqual([503, 'dependency_unavailable'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    const decided = await service.call('GET', '/v1/consumer/me', { token: 'nonsense' })
    expect(decided.status).toBe(401)

    consumer.setDown(false)
    const back = await service.call('GET', '/v1/consumer/me', { token: tokenOf(first) })
    expect([back.status, back.body.error.code]).toEqual([401, 'session_required'])
    await service.stop()
  })
})
