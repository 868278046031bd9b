/** Sign-in through a real provider, with the real API behind the gateway. */
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

let service: TestApp
let gateway: TestGateway

beforeAll(async () => {
  service = await startTestApp()
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  gateway = await startGateway({
    apiUrl: `http://127.0.0.1:${port}`,
    databaseUrl: service.database.url,
    identity: service.identity,
  })
})
afterAll(async () => {
  await gateway.stop()
  await service.stop()
})

const sessionCookie = () => `countersign-consumer-${new URL(gateway.origin).port}`
const stateCookie = () => `countersign-consumer-sign-in-${new URL(gateway.origin).port}`

const accountOf = async (browser: ReturnType<TestGateway['browser']>): Promise<string> =>
  (await browser.call('GET', '/session')).body.accountId

describe('signing in', () => {
  test('leads through the provider to the page that the person wanted', async () => {
    const browser = gateway.browser()
    expect((await browser.call('GET', '/session')).body).toEqual({ state: 'signed_out' })
    const end = await browser.signIn('Ana Ruiz', '?return_to=/expenses?state=draft')
    expect(end).toBe(`${gateway.origin}/expenses?state=draft`)
    const session = await browser.call('GET', '/session')
    expect(session.body).toEqual({ state: 'signed_in', accountId: expect.any(String) })
    expect(session.headers.get('cache-control')).toBe('no-store')
    const me = await browser.call('GET', '/v1/consumer/me')
    expect(me.body.account).toMatchObject({
      id: session.body.accountId,
      displayName: 'Ana Ruiz',
    })
    expect(browser.jar.has(stateCookie())).toBe(false)
  })

  test('sends state, nonce and an S256 challenge, and keeps the verifier sealed', async () => {
    const browser = gateway.browser()
    const { status, headers } = await browser.send('/session/sign-in')
    expect(status).toBe(302)
    const asked = new URL(headers.get('location') ?? '').searchParams
    expect(asked.get('code_challenge_method')).toBe('S256')
    expect(asked.get('code_challenge')).toMatch(/^[\w-]{43}$/)
    expect(asked.get('state')).toMatch(/^[\w-]{43}$/)
    expect(asked.get('nonce')).toMatch(/^[\w-]{43}$/)
    const kept = Buffer.from(browser.jar.get(stateCookie()) ?? '', 'base64url').toString('latin1')
    expect(kept).not.toContain(asked.get('state'))
  })

  test('sets a Strict session cookie and a Lax one for the way through the provider', async () => {
    const browser = gateway.browser()
    await browser.signIn('Ana Ruiz')
    const lines = browser.seen.filter((line) => line.startsWith('countersign-'))
    const state = lines.find((line) => line.startsWith(`${stateCookie()}=`))
    expect(state).toMatch(/; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/)
    const session = lines.find((line) => line.startsWith(`${sessionCookie()}=`))
    expect(session).toMatch(/; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(browser.jar.get(sessionCookie())).toMatch(/^[\w-]{43}$/)
  })

  test.each([
    ['//evil.example/a'],
    ['/\\evil.example'],
    ['\\\\evil.example'],
    ['https://evil.example/'],
    ['javascript:alert(1)'],
    ['/\t/evil.example'],
    ['/%0a/evil.example\n'],
    ['/./\\evil.example'],
    ['/.//evil.example'],
    ['evil.example'],
    ['/session/sign-in'],
    ['/v1/consumer/me'],
    [''],
  ])('returns to the first page instead of %j', async (wanted) => {
    const query = new URLSearchParams({ return_to: wanted })
    const end = await gateway.browser().signIn('Ana Ruiz', `?${query}`)
    expect(end).toBe(`${gateway.origin}/`)
  })
})

test('too many sign-ins of one address are explained, at each step', async () => {
  const { port } = service.app.server.address() as AddressInfo
  const strict = await startGateway({
    apiUrl: `http://127.0.0.1:${port}`,
    databaseUrl: service.database.url,
    identity: service.identity,
    env: { RATE_LIMIT_PER_ADDRESS: '2' },
  })
  try {
    const browser = strict.browser()
    expect(await browser.signIn('Ana Ruiz')).toBe(`${strict.origin}/`)
    const own = { headers: { 'sec-fetch-site': 'same-origin' } }
    for (const path of [
      '/session/sign-in',
      '/session/step-up?request=01900000-0000-7000-8000-000000000001',
      '/session/callback?code=a&state=b',
    ]) {
      const { status, headers } = await browser.send(path, own)
      const answer = [status, headers.get('location')]
      expect(answer, path).toEqual([303, '/sign-in?problem=too_many'])
    }
    expect((await browser.call('GET', '/session')).body.state).toBe('signed_in')
    expect((await browser.call('POST', '/session/sign-out', {})).status).toBe(204)
  } finally {
    await strict.stop()
  }
})

test('one browser can become somebody else', async () => {
  const browser = gateway.browser()
  await browser.signIn('Ana Ruiz')
  const ana = await accountOf(browser)
  expect(await browser.signIn('Ben Okoro')).toBe(`${gateway.origin}/`)
  expect(await accountOf(browser)).not.toBe(ana)
})

describe('a return from the provider', () => {
  /** Stops before the gateway sees it. */
  const untilReturn = async (browser: ReturnType<TestGateway['browser']>): Promise<string> => {
    const page = await browser.follow('/session/sign-in')
    const body = 'name=Ben+Okoro'
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const sent = await browser.send(page, { method: 'POST', headers, body })
    const next = new URL(sent.headers.get('location') ?? '', page).href
    return browser.follow(next, /\/session\/callback/)
  }
  const problem = async (browser: ReturnType<TestGateway['browser']>, url: string) => {
    const { status, headers } = await browser.send(url)
    return `${status} ${headers.get('location')}`
  }
  const LOST = '303 /sign-in?problem=state_lost'

  test('is accepted once', async () => {
    const browser = gateway.browser()
    const url = await untilReturn(browser)
    const kept = browser.jar.get(stateCookie()) ?? ''
    expect(await problem(browser, url)).toBe('303 /')
    expect(await problem(browser, url)).toBe(LOST)
    // Even with the cookie: the provider takes a code once.
    browser.jar.set(stateCookie(), kept)
    expect(await problem(browser, url)).toBe('303 /sign-in?problem=provider_refused')
  })

  test('is refused in another browser, which would get a session of somebody else', async () => {
    const url = await untilReturn(gateway.browser())
    const victim = gateway.browser()
    expect(await problem(victim, url)).toBe(LOST)
    await victim.send('/session/sign-in')
    expect(await problem(victim, url)).toBe(LOST)
    expect((await victim.call('GET', '/session')).body).toEqual({ state: 'signed_out' })
  })

  test('is refused with a state that was changed, made up or has expired', async () => {
    const browser = gateway.browser()
    const url = await untilReturn(browser)
    const kept = browser.jar.get(stateCookie()) ?? ''
    browser.jar.set(stateCookie(), `${kept.slice(0, -2)}AA`)
    expect(await problem(browser, url)).toBe(LOST)
    browser.jar.set(stateCookie(), 'made-up')
    expect(await problem(browser, url)).toBe(LOST)
    browser.jar.set(stateCookie(), kept)
    gateway.clock.ahead(16 * 60)
    try {
      expect(await problem(browser, url)).toBe(LOST)
    } finally {
      gateway.clock.ahead(-16 * 60)
    }
  })

  test('is refused with a code of another sign-in, by PKCE', async () => {
    const [one, other] = [gateway.browser(), gateway.browser()]
    const stolen = new URL(await untilReturn(one)).searchParams.get('code') ?? ''
    const url = new URL(await untilReturn(other))
    url.searchParams.set('code', stolen)
    expect(await problem(other, url.href)).toBe('303 /sign-in?problem=provider_refused')
  })

  test('explains that the person refused', async () => {
    const browser = gateway.browser()
    const { headers } = await browser.send('/session/sign-in')
    const state = new URL(headers.get('location') ?? '').searchParams.get('state')
    const iss = encodeURIComponent(gateway.ctx.config.provider.issuer)
    const url = `/session/callback?error=access_denied&state=${state}&iss=${iss}`
    expect(await problem(browser, url)).toBe('303 /sign-in?problem=access_denied')
  })

  test('explains that the account is disabled', async () => {
    const browser = gateway.browser()
    await browser.signIn('Dora Disabled')
    const accountId = await accountOf(browser)
    await service.database.asOwner("update accounts set status = 'disabled' where id = $1", [
      accountId,
    ])
    const end = await gateway.browser().signIn('Dora Disabled')
    expect(end).toBe(`${gateway.origin}/sign-in?problem=account_disabled`)
  })
})
