import { describe, expect, test } from 'vitest'
import { type ClientOptions, createClient } from './client.ts'
import { RequestFailed, unwrap } from './result.ts'
import {
  type Answer,
  brokenOff,
  fakeService,
  fakeTimers,
  json,
  refusal,
  settle,
  silence,
} from './testing.ts'

const ORGANIZATION = '0191a000-0000-7000-8000-000000000001'
const path = { organizationId: ORGANIZATION }
const body = { address: `0x${'11'.repeat(20)}`, label: 'Printers', chainId: 1 }

function open(answers: Answer[], options: Partial<ClientOptions> = {}) {
  const service = fakeService(...answers)
  const timers = fakeTimers()
  const keys = ['key-1', 'key-2']
  const client = createClient({
    baseUrl: 'https://api.test/',
    token: 'token-1',
    fetch: service.fetch,
    timers,
    random: () => 0.5,
    newIdempotencyKey: () => keys.shift() ?? '',
    ...options,
  })
  return { client, service, timers }
}

const keysOf = ({ requests }: ReturnType<typeof fakeService>) =>
  requests.map(({ headers }) => headers.get('idempotency-key'))

describe('a call', () => {
  test('sends the path, the query, the body and the token, and returns the data', async () => {
    const { client, service } = open([json({ expenses: [], nextCursor: null })])
    const result = await client.call('listExpenses', { path, query: { limit: 5 } })
    expect(result).toMatchObject({
      ok: true,
      data: { expenses: [], nextCursor: null },
      attempts: 1,
    })
    const [request] = service.requests
    expect(request?.url.href).toBe(
      `https://api.test/v1/consumer/organizations/${ORGANIZATION}/expenses?limit=5`,
    )
    expect(request?.headers.get('authorization')).toBe('Bearer token-1')
  })

  test('escapes what stands in the path', async () => {
    const { client, service } = open([json({})])
    await client.call('acceptInvitation', { path: { token: 'a/b?c' } })
    expect(service.requests[0]?.url.pathname).toBe('/v1/consumer/invitations/a%2Fb%3Fc/accept')
  })

  test('returns a refusal as a value, and `unwrap` throws it', async () => {
    const { client } = open([refusal(403, 'role_required')])
    const result = await client.call('addRecipient', { path, body })
    expect(result).toMatchObject({
      ok: false,
      failure: { source: 'api', code: 'role_required', treatment: 'not_allowed', status: 403 },
    })
    expect(() => unwrap(result)).toThrow(RequestFailed)
  })

  test('takes an answer that is no JSON for an unexpected response', async () => {
    const { client } = open([new Response('<html>')])
    const result = await client.call('getAccount')
    expect(result).toMatchObject({ ok: false, failure: { code: 'unexpected_response' } })
  })

  test('has null data when the resource is not modified', async () => {
    const { client } = open([new Response(null, { status: 304 })])
    const headers = { 'if-none-match': 'W/"1"' }
    const result = await client.call('getLiveSnapshot', { path, headers })
    expect(result).toMatchObject({ ok: true, status: 304, data: null })
  })

  test('sends a file as it is, with its type and name', async () => {
    const { client, service } = open([json({ id: 'a' }, { status: 201 })])
    await client.call('uploadAttachment', {
      path,
      body: new TextEncoder().encode('%PDF'),
      contentType: 'application/pdf',
      headers: { 'content-disposition': 'attachment; filename="receipt.pdf"' },
    })
    const [request] = service.requests
    expect(request?.body).toBe('%PDF')
    expect(request?.headers.get('content-type')).toBe('application/pdf')
    expect(request?.headers.get('content-disposition')).toContain('receipt.pdf')
  })

  test('reads an export as text', async () => {
    const { client } = open([new Response('a;b\n')])
    const query = { from: '2030-01-01T00:00:00Z', to: '2030-02-01T00:00:00Z' }
    const result = await client.call('exportPayments', { path, query, as: 'text' })
    expect(unwrap(result)).toBe('a;b\n')
  })
})

describe('the idempotency key', () => {
  test('is one per call and stays the same in every attempt', async () => {
    const lost = new TypeError('connection reset')
    const answers = [lost, refusal(503, 'dependency_unavailable'), json({ id: 'r' }), json({})]
    const { client, service, timers } = open(answers)
    const first = await timers.until(client.call('addRecipient', { path, body }))
    expect(first).toMatchObject({ ok: true, attempts: 3 })
    await client.call('addRecipient', { path, body })
    expect(keysOf(service)).toEqual(['key-1', 'key-1', 'key-1', 'key-2'])
    expect(new Set(service.requests.map((request) => request.body)).size).toBe(1)
  })

  test('can be the caller’s own', async () => {
    const { client, service } = open([json({})])
    await client.call('addRecipient', { path, body, idempotencyKey: 'form-7' })
    expect(keysOf(service)).toEqual(['form-7'])
  })

  test('goes into the body where the operation takes it there', async () => {
    const { client, service, timers } = open([new TypeError('lost'), json({}, { status: 201 })])
    const wallet = { purpose: 'Payroll' }
    await timers.until(client.call('createWallet', { body: wallet }))
    const bodies = service.requests.map((request) => JSON.parse(request.body))
    expect(bodies).toEqual(Array(2).fill({ purpose: 'Payroll', idempotencyKey: 'key-1' }))
  })

  test('serves again when the connection breaks within the answer', async () => {
    const { client, service, timers } = open([brokenOff(), json({ id: 'r' }, { status: 201 })])
    const result = await timers.until(client.call('addRecipient', { path, body }))
    expect(result).toMatchObject({ ok: true, data: { id: 'r' }, attempts: 2 })
    expect(keysOf(service)).toEqual(['key-1', 'key-1'])
  })
})

describe('a retry', () => {
  test('waits for Retry-After in seconds and as a date', async () => {
    const { client, timers } = open([
      refusal(429, 'rate_limited', { 'retry-after': '2' }),
      refusal(409, 'idempotency_in_progress', {
        'retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT',
      }),
      json({}),
    ])
    expect(await timers.until(client.call('addRecipient', { path, body }))).toMatchObject({
      ok: true,
    })
    expect(timers.elapsed).toEqual([2_000, 5_000])
  })

  test('reads a date in Retry-After by the clock of the service', async () => {
    const headers = {
      date: 'Tue, 01 Jan 2030 09:00:00 GMT',
      'retry-after': 'Tue, 01 Jan 2030 09:00:03 GMT',
    }
    const { client, timers } = open([refusal(503, 'dependency_unavailable', headers), json({})])
    expect(await timers.until(client.call('getAccount'))).toMatchObject({ ok: true })
    expect(timers.elapsed).toEqual([3_000])
  })

  test('has delays that grow, and ends after the last attempt', async () => {
    const answers = Array.from({ length: 4 }, () => new TypeError('unreachable'))
    const { client, timers } = open(answers)
    const result = await timers.until(client.call('getAccount'))
    expect(result).toMatchObject({
      ok: false,
      attempts: 4,
      failure: { code: 'network', treatment: 'wait', mayHaveTakenEffect: false },
    })
    expect(timers.elapsed).toEqual([125, 250, 500])
  })

  test('does not happen when Retry-After is too long: the failure says how long', async () => {
    const { client } = open([refusal(429, 'rate_limited', { 'retry-after': '3600' })])
    const result = await client.call('getAccount')
    expect(result).toMatchObject({
      ok: false,
      attempts: 1,
      failure: { code: 'rate_limited', retryAfterMs: 3_600_000 },
    })
  })

  test('does not happen for a change without a key: it may have taken effect', async () => {
    const { client, service } = open([new TypeError('lost')])
    const result = await client.call('createOrganization', { body: { name: 'Acme' } })
    expect(result).toMatchObject({
      ok: false,
      attempts: 1,
      failure: { code: 'network', mayHaveTakenEffect: true },
    })
    expect(service.requests).toHaveLength(1)
  })

  test.each([
    [500, 'internal'],
    [400, 'validation_failed'],
    [409, 'version_conflict'],
    [409, 'idempotency_key_reused'],
  ])('does not happen after %i %s', async (status, code) => {
    const { client } = open([refusal(status, code)])
    const result = await client.call('addRecipient', { path, body })
    expect(result).toMatchObject({ ok: false, attempts: 1, failure: { code } })
  })

  test('follows an attempt that takes too long', async () => {
    const { client, timers } = open([silence, json({ id: 'me' })], { timeoutMs: 1_000 })
    expect(await timers.until(client.call('getAccount'))).toMatchObject({ ok: true, attempts: 2 })
    expect(timers.elapsed).toEqual([1_000, 125])
  })
})

describe('an abort', () => {
  test('ends the request that is under way', async () => {
    const { client, service } = open([silence])
    const controller = new AbortController()
    const result = client.call('getAccount', { signal: controller.signal })
    await settle()
    controller.abort()
    expect(await result).toMatchObject({ ok: false, failure: { code: 'aborted' } })
    expect(service.requests).toHaveLength(1)
  })

  test('ends the wait for the next attempt', async () => {
    const { client, service } = open([new TypeError('lost')])
    const controller = new AbortController()
    const result = client.call('addRecipient', { path, body, signal: controller.signal })
    await settle()
    controller.abort()
    expect(await result).toMatchObject({
      ok: false,
      failure: { code: 'aborted', mayHaveTakenEffect: true },
    })
    expect(service.requests).toHaveLength(1)
  })

  test('before the call sends nothing', async () => {
    const { client, service } = open([silence])
    const result = await client.call('getAccount', { signal: AbortSignal.abort() })
    expect(result).toMatchObject({ ok: false, failure: { code: 'aborted' } })
    expect(service.requests).toHaveLength(0)
  })
})

describe('the token', () => {
  const refused = () => refusal(401, 'unauthenticated')

  test('is renewed once when the API refuses it, for changes without a key too', async () => {
    const asked: (string | null)[] = []
    const token = ({ rejected }: { rejected: string | null }) => {
      asked.push(rejected)
      return rejected === null ? 'old' : 'new'
    }
    const { client, service } = open([refused(), json({})], { token })
    const result = await client.call('createOrganization', { body: { name: 'Acme' } })
    expect(result.ok).toBe(true)
    expect(asked).toEqual([null, 'old'])
    const sent = service.requests.map(({ headers }) => headers.get('authorization'))
    expect(sent).toEqual(['Bearer old', 'Bearer new'])
  })

  test('that is refused again, or cannot be renewed, ends the call', async () => {
    const fixed = open([refused()])
    expect(await fixed.client.call('getAccount')).toMatchObject({
      ok: false,
      failure: { code: 'unauthenticated', treatment: 'sign_in' },
    })
    expect(fixed.service.requests).toHaveLength(1)
    const tokens = ['one', 'two']
    const changing = open([refused(), refused()], { token: () => tokens.shift() ?? null })
    expect(await changing.client.call('getAccount')).toMatchObject({ ok: false, attempts: 2 })
  })

  test('is left out where a gateway adds it', async () => {
    const { client, service } = open([json({})], { token: () => null })
    await client.call('getAccount')
    expect(service.requests[0]?.headers.has('authorization')).toBe(false)
  })

  test('whose source throws is a failure of the transport', async () => {
    const token = () => Promise.reject(new Error('provider down'))
    const { client } = open([], { token, retry: { attemptsMax: 1 } })
    const result = await client.call('getAccount')
    expect(result).toMatchObject({ ok: false, failure: { code: 'network' } })
  })
})
