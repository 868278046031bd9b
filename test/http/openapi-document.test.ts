/** The OpenAPI document as served. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { written } from '#test/support/contract.ts'
import { outcome } from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await startTestApp({ env: { RATE_LIMIT_PER_ADDRESS: '20' } })
})
afterAll(() => service.stop())

const read = (headers: Record<string, string> = {}) =>
  service.call('GET', '/openapi.json', { headers })

describe('GET /openapi.json', () => {
  test('returns the committed document with an ETag and a max-age', async () => {
    const { status, body, headers } = await read()
    expect([status, body]).toEqual([200, written])
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['cache-control']).toBe('public, max-age=300')
    expect(headers.etag).toMatch(/^"[\w-]{27}"$/)
  })

  test('is serialised once for all requests', async () => {
    await read()
    const stringify = vi.spyOn(JSON, 'stringify')
    await read()
    const documents = stringify.mock.calls.filter(([value]) => value?.openapi !== undefined)
    stringify.mockRestore()
    expect(documents).toEqual([])
  })

  test.each([
    ['the tag', (tag: string) => tag],
    ['the tag among others', (tag: string) => `"x", W/${tag}`],
    ['any', () => '*'],
  ])('answers 304 without a body to If-None-Match with %s', async (_what, header) => {
    const first = await read()
    const again = await read({ 'if-none-match': header(String(first.headers.etag)) })
    expect([again.status, again.text]).toEqual([304, ''])
    expect(again.headers.etag).toBe(first.headers.etag)
  })

  test('answers 200 with the document for another tag', async () => {
    expect((await read({ 'if-none-match': '"other"' })).status).toBe(200)
  })
})

test("counts the document and its page towards the caller's address limit", async () => {
  const limited = await startTestApp({
    env: { RATE_LIMIT_PER_ADDRESS: '3', API_DOCS: 'true' },
  })
  const statuses = []
  for (const path of ['/openapi.json', '/docs/', '/docs/js/scalar.js']) {
    statuses.push((await limited.call('GET', path)).status)
  }
  expect(statuses).toEqual([200, 200, 200])
  const refused = await limited.call('GET', '/openapi.json')
  expect(outcome(refused)).toBe('429 rate_limited')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await limited.call('GET', '/health/live')).status).toBe(200)
  await limited.stop()
})
