import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRateLimits } from '#http/rate-limits.ts'
import { type Answer, type Call, startTestApp, type TestApp } from '#test/support/app.ts'

let service: TestApp
const running: TestApp[] = []

const start = async (env: Record<string, string>): Promise<TestApp> => {
  const app = await startTestApp({ env })
  running.push(app)
  return app
}

afterEach(async () => {
  vi.useRealTimers()
  for (const app of running.splice(0)) await app.stop()
})

/** An empty variable counts as unset. */
const defaults = { RATE_LIMIT_PER_ACCOUNT: '', RATE_LIMIT_PER_ADDRESS: '' }

async function repeat(times: number, work: () => Promise<Answer>): Promise<number[]> {
  const statuses: number[] = []
  for (let turn = 0; turn < times; turn += 1) statuses.push((await work()).status)
  return statuses
}

function expectLimited({ status, body, headers }: Answer) {
  expect([status, body.error.code]).toEqual([429, 'rate_limited'])
  const seconds = Number(headers['retry-after'])
  expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60).toBe(true)
}

const all = (status: number, times: number) => Array.from({ length: times }, () => status)

describe('the defaults', () => {
  test('600 requests per minute and account', async () => {
    service = await start(defaults)
    const { token } = await service.signIn() // The first of the 600.
    const me = () => service.call('GET', '/v1/consumer/me', { token })
    // Sent concurrently: one by one would take a busy machine more than the minute.
    const shares = Array.from({ length: 13 }, (_, n) => repeat(n === 0 ? 47 : 46, me))
    expect((await Promise.all(shares)).flat()).toEqual(all(200, 599))
    expectLimited(await me())
  })

  test('60 requests a minute and address without a valid token', async () => {
    service = await start(defaults)
    const me = () => service.call('GET', '/v1/consumer/me')
    expect(await repeat(60, me)).toEqual(all(401, 60))
    expectLimited(await me())
  })
})

describe('per account', () => {
  beforeEach(async () => {
    service = await start({ RATE_LIMIT_PER_ACCOUNT: '5', RATE_LIMIT_PER_ADDRESS: '5' })
  })

  const organizations = async () =>
    (await service.database.asOwner('select count(*)::int as n from organizations'))[0]?.n

  test('is configurable, and a refused request has no effect', async () => {
    const { token } = await service.signIn()
    const create = () =>
      service.call('POST', '/v1/consumer/organizations', { token, body: { name: 'Acme' } })
    expect(await repeat(4, create)).toEqual(all(201, 4))
    expectLimited(await create())
    expect(await organizations()).toBe(4)
  })

  test('counts every token of the account together, and every answer', async () => {
    const subject = 'one-person'
    const { token } = await service.signIn(subject)
    const { accessToken: second } = await service.identity.issue({
      realm: 'consumer',
      subject,
      expiresIn: 60,
    })
    const odd = '/v1/consumer/organizations/not-a-uuid/members'
    expect((await service.call('GET', odd, { token })).status).toBe(400)
    expect((await service.call('GET', odd, { token: second })).status).toBe(400)
    expect((await service.call('GET', '/v1/consumer/me', { token })).status).toBe(200)
    expect((await service.call('GET', '/v1/consumer/me', { token: second })).status).toBe(200)
    expectLimited(await service.call('GET', '/v1/consumer/me', { token }))
    expectLimited(await service.call('GET', '/v1/consumer/me', { token: second }))
  })

  test('does not affect other accounts or the same subject in the other realm', async () => {
    const one = await service.signIn('shared-name')
    const other = await service.signIn()
    const operator = await service.operatorToken('shared-name')
    await repeat(10, () => service.call('GET', '/v1/consumer/me', { token: one.token }))
    expectLimited(await service.call('GET', '/v1/consumer/me', { token: one.token }))
    expect((await service.call('GET', '/v1/consumer/me', { token: other.token })).status).toBe(200)
    expect((await service.call('GET', '/v1/admin/me', { token: operator })).status).toBe(200)
  })

  test('resets after a minute', async () => {
    const { token } = await service.signIn()
    const me = () => service.call('GET', '/v1/consumer/me', { token })
    await repeat(5, me)
    const limited = await me()
    expectLimited(limited)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    expectLimited(await me()) // The minute of the database counts, which all processes share.
    await service.database.asOwner(`update rate_leases set ends_at = now() - interval '1 second'`)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 122_000 })
    expect((await me()).status).toBe(200)
  })
})

describe('per address without a valid token', () => {
  beforeEach(async () => {
    service = await start({ RATE_LIMIT_PER_ACCOUNT: '50', RATE_LIMIT_PER_ADDRESS: '5' })
  })

  test.each<[string, string, Call, number]>([
    ['without a token', '/v1/consumer/me', {}, 401],
    ['with a bad token', '/v1/consumer/me', { token: 'nonsense' }, 401],
    ['at a path that does not exist', '/v1/nowhere', {}, 404],
    ['with a broken body', '/v1/consumer/organizations', { raw: '{' }, 401],
  ])('counts requests %s', async (_what, url, call, status) => {
    const method = call.raw ? 'POST' : 'GET'
    const ask = () => service.call(method, url, call)
    expect(await repeat(5, ask)).toEqual(all(status, 5))
    expectLimited(await ask())
  })

  test('counts tokens of the other realm', async () => {
    const token = await service.operatorToken()
    const ask = () => service.call('GET', '/v1/consumer/me', { token })
    expect(await repeat(5, ask)).toEqual(all(401, 5))
    expectLimited(await ask())
    expect((await service.call('GET', '/v1/admin/me', { token })).status).toBe(200)
  })

  test('counts all of these together', async () => {
    await service.call('GET', '/v1/consumer/me')
    await service.call('GET', '/v1/admin/me', { token: 'nonsense' })
    await service.call('GET', '/nowhere')
    await repeat(2, () => service.call('PUT', '/v1/consumer/session', { body: {} }))
    expectLimited(await service.call('GET', '/v1/consumer/me'))
  })

  test('a valid token from the same address is not affected', async () => {
    const { token } = await service.signIn()
    await repeat(10, () => service.call('GET', '/v1/consumer/me'))
    expectLimited(await service.call('GET', '/v1/consumer/me'))
    expect((await service.call('GET', '/v1/consumer/me', { token })).status).toBe(200)
  })

  test('a forwarded address is not believed', async () => {
    let turn = 0
    const ask = () => {
      turn += 1
      const headers = { 'x-forwarded-for': `10.0.0.${turn}`, forwarded: `for=10.0.0.${turn}` }
      return service.call('GET', '/v1/consumer/me', { headers })
    }
    await repeat(5, ask)
    expectLimited(await ask())
  })

  test('health is exempt', async () => {
    await repeat(10, () => service.call('GET', '/v1/consumer/me'))
    const live = () => service.call('GET', '/health/live')
    expect(await repeat(20, live)).toEqual(all(200, 20))
    const ready = () => service.call('GET', '/health/ready')
    expect(await repeat(20, ready)).toEqual(all(200, 20))
  })
})

describe('guessing invitations', () => {
  test('stops after 10 tries a minute and account, and other calls go on', async () => {
    service = await start({})
    const { token } = await service.signIn()
    const other = await service.signIn()
    const guess = (as: string) => () =>
      service.call('POST', '/v1/consumer/invitations/a-guess/accept', { token: as })
    expect(await repeat(10, guess(token))).toEqual(all(409, 10))
    expectLimited(await guess(token)())
    expect((await service.call('GET', '/v1/consumer/me', { token })).status).toBe(200)
    expect((await guess(other.token)()).status).toBe(409)
  })
})

describe('unsubscribing', () => {
  test('stops after 10 requests a minute and account, in all processes together', async () => {
    service = await start({})
    const processes = [createRateLimits(service.ctx), createRateLimits(service.ctx)]
    for (let turn = 0; turn < 5; turn += 1) {
      for (const limits of processes) await limits.countUnsubscription('one')
    }
    for (const limits of processes) {
      await expect(limits.countUnsubscription('one')).rejects.toMatchObject({
        code: 'rate_limited',
        retryAfterSeconds: expect.any(Number),
      })
      await limits.countUnsubscription('other')
    }
  })
})

describe('behind proxies', () => {
  const from = (forwarded: string) => () =>
    service.call('GET', '/v1/consumer/me', { headers: { 'x-forwarded-for': forwarded } })

  test('without TRUSTED_PROXIES a forwarded header is ignored', async () => {
    service = await start({ RATE_LIMIT_PER_ADDRESS: '2' })
    expect(await repeat(2, from('203.0.113.1'))).toEqual(all(401, 2))
    expectLimited(await from('203.0.113.2')())
  })

  test('with one trusted proxy only the address that it appended counts', async () => {
    service = await start({ RATE_LIMIT_PER_ADDRESS: '2', TRUSTED_PROXIES: '1' })
    expect(await repeat(2, from('6.6.6.1, 203.0.113.1'))).toEqual(all(401, 2))
    expectLimited(await from('6.6.6.2, 203.0.113.1')())
    expect((await from('6.6.6.2, 203.0.113.2')()).status).toBe(401)
  })

  test('callers of one IPv6 /64 count together, those of the next one apart', async () => {
    service = await start({ RATE_LIMIT_PER_ADDRESS: '2', TRUSTED_PROXIES: '1' })
    expect((await from('2001:db8:1:2::1')()).status).toBe(401)
    expect((await from('2001:db8:1:2:ffff:ffff:ffff:ffff')()).status).toBe(401)
    expectLimited(await from('2001:db8:1:2:3:4:5:6')())
    expect((await from('2001:db8:1:3::1')()).status).toBe(401)
  })
})
