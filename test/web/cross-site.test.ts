/** Other sites cannot use somebody's session. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type RecordingApi, startRecordingApi } from '#test/support/recording-api.ts'
import type { WebBrowser } from '#test/support/web-browser.ts'

let service: TestApp
let api: RecordingApi
let gateway: TestGateway
let browser: WebBrowser

beforeAll(async () => {
  service = await startTestApp()
  api = await startRecordingApi()
  gateway = await startGateway({
    apiUrl: api.url,
    databaseUrl: service.database.url,
    identity: service.identity,
  })
  browser = gateway.browser()
  await browser.signIn('Ana Ruiz')
})
afterAll(async () => {
  await gateway.stop()
  await api.stop()
  await service.stop()
})
beforeEach(() => api.reset())

describe('requests of other sites', () => {
  const changing = { 'content-type': 'application/json' }
  const cases: [string, string, Record<string, string>][] = [
    ['a form of another site', 'cross-site', {}],
    ['a form of another subdomain or port', 'same-site', {}],
    ['a script of another site', 'cross-site', { 'x-countersign': '1' }],
    ['a script of another port', 'same-site', { 'x-countersign': '1' }],
    ['our own page without the header', 'same-origin', {}],
    ['another origin', 'same-origin', { 'x-countersign': '1', origin: 'https://evil.example' }],
    ['no origin at all', 'same-origin', { 'x-countersign': '1', origin: 'null' }],
  ]

  test.each(cases)('from %s are refused', async (_name, site, more) => {
    const headers = { ...changing, 'sec-fetch-site': site, ...more }
    const sent = [
      browser.send('/v1/consumer/organizations', { headers: { 'sec-fetch-site': site, ...more } }),
      browser.send('/v1/consumer/organizations', { method: 'POST', headers, body: '{}' }),
      browser.send('/session/sign-out', { method: 'POST', headers, body: '{}' }),
    ]
    for (const { status, body } of await Promise.all(sent)) {
      expect([status, body.error.code]).toEqual([403, 'forbidden'])
    }
    expect(api.received).toEqual([])
    expect((await browser.call('GET', '/session')).body.state).toBe('signed_in')
  })

  test('get no permission by CORS', async () => {
    const headers = {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-countersign',
    }
    const answer = await browser.send('/v1/consumer/me', { method: 'OPTIONS', headers })
    expect(answer.status).toBe(404)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('our own page may send its origin', async () => {
    const { origin } = gateway
    expect((await browser.call('POST', '/v1/consumer/a', {}, { origin })).status).toBe(200)
  })
})
