import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  AppError,
  type ErrorCode,
  errorCodes,
  errorMessage,
  errorStatus,
} from '#platform/errors.ts'
import { createLog } from '#platform/log.ts'
import { Type } from '#platform/schema.ts'
import { fitToRoute, registerErrorHandler } from './error-handler.ts'
import { registerJsonBody } from './json-body.ts'
import { validatorCompiler } from './validators.ts'

const UNIVERSAL = [400, 401, 413, 415, 429, 500, 503]
const all = new Set([200, 401, 403, 404, 409])

const fitted = (code: ErrorCode, declared?: Iterable<number>) => {
  const error = new AppError(code, { message: 'the particulars' })
  const { status, code: shown } = fitToRoute(error, declared && new Set(declared))
  return `${status} ${shown}`
}

describe('fitToRoute', () => {
  test.each(errorCodes)('%s keeps its status where the route declares it', (code) => {
    expect(fitted(code, all)).toBe(`${errorStatus(code)} ${code}`)
  })

  test.each(errorCodes)('%s keeps its status on a route that declares none', (code) => {
    expect(fitted(code)).toBe(`${errorStatus(code)} ${code}`)
  })

  test.each(errorCodes.filter((code) => UNIVERSAL.includes(errorStatus(code))))(
    'keeps %s everywhere',
    (code) => expect(fitted(code, [200])).toBe(`${errorStatus(code)} ${code}`),
  )

  test.each<[ErrorCode, number[], string]>([
    // Not found becomes forbidden.
    ['not_found', [200, 401, 403], '403 forbidden'],
    ['not_found', [200, 401, 403, 409], '403 forbidden'],
    ['not_found', [200, 401], '401 unauthenticated'],
    ['not_found', [200, 401, 409], '401 unauthenticated'],
    // Forbidden becomes unauthenticated.
    ['forbidden', [200, 401], '401 unauthenticated'],
    ['forbidden', [200, 401, 404], '401 unauthenticated'],
    ['role_required', [200, 401], '401 unauthenticated'],
    ['realm_mismatch', [200, 401], '401 unauthenticated'],
    ['realm_mismatch', [200, 401, 409], '401 unauthenticated'],
    ['operator_required', [200, 401], '401 unauthenticated'],
    ['approver_wallet_required', [200, 401], '401 unauthenticated'],
    // A disabled account keeps its code.
    ['account_disabled', [200, 401], '401 account_disabled'],
    ['account_disabled', [200, 401, 403], '403 account_disabled'],
    // An undeclared conflict is a bug in the service.
    ['state_conflict', [200, 401, 403], '500 internal'],
    ['duplicate', [200], '500 internal'],
  ])('turns %s on a route with %j into %s', (code, declared, expected) => {
    expect(fitted(code, declared)).toBe(expected)
  })

  test('answers only declared and universal statuses', () => {
    const statuses = [403, 404, 409]
    const subsets = Array.from({ length: 8 }, (_, bits) =>
      statuses.filter((_status, index) => bits & (1 << index)),
    )
    const wrong = errorCodes.flatMap((code) =>
      subsets.flatMap((declared) => {
        const { status } = fitToRoute(new AppError(code), new Set([200, ...declared]))
        return [...declared, ...UNIVERSAL].includes(status) ? [] : [`${code} ${declared}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  test('keeps the message with the code and replaces it when the code changes', () => {
    const error = new AppError('not_found', { message: 'No such recipient.' })
    expect(fitToRoute(error, all).message).toBe('No such recipient.')
    expect(fitToRoute(error, new Set([403])).message).toBe(errorMessage('forbidden'))
    expect(fitToRoute(error, new Set([200])).message).toBe(errorMessage('unauthenticated'))
    const conflict = new AppError('duplicate', { message: 'A label somebody chose.' })
    expect(fitToRoute(conflict, new Set([200])).message).toBe(errorMessage('internal'))
  })
})

const pgError = (code: string) =>
  Object.assign(new Error('relation "accounts" broke'), { code, detail: 'Key (id)=(7)' })

const thrown: Record<string, () => unknown> = {
  bug: () => new TypeError('cannot read hunter2 of undefined'),
  wrapped: () => new AppError('internal', { cause: new Error('hunter2') }),
  outage: () => pgError('57P01'),
  refused: () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  sql: () => pgError('42P01'),
  conflict: () => new AppError('state_conflict'),
  busy: () => new AppError('rate_limited', { retryAfterSeconds: 7 }),
  stranger: () => new AppError('unauthenticated'),
  client: () => Object.assign(new Error('hunter2'), { statusCode: 417 }),
  words: () => 'just a string: hunter2',
}

let app: FastifyInstance
const lines: string[] = []

beforeAll(async () => {
  app = fastify({
    loggerInstance: createLog({
      level: 'error',
      destination: { write: (l) => void lines.push(l) },
    }) as FastifyBaseLogger,
    bodyLimit: 200,
    genReqId: () => 'request-1',
  })
  registerErrorHandler(app)
  registerJsonBody(app)
  app.setValidatorCompiler(validatorCompiler as never)
  app.get<{ Params: { name: string } }>('/throw/:name', async ({ params }) => {
    throw thrown[params.name]?.()
  })
  const schema = {
    body: Type.Object({ count: Type.Integer() }, { additionalProperties: false }),
    headers: Type.Object({ 'idempotency-key': Type.String({ minLength: 1 }) }),
  }
  app.post('/body', { schema }, async () => ({}))
  await app.ready()
})
afterAll(() => app.close())

const get = (url: string) => app.inject({ method: 'GET', url })
const post = (payload: string, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: '/body',
    payload,
    headers: { 'content-type': 'application/json', 'idempotency-key': 'k', ...headers },
  })

type Response = Awaited<ReturnType<typeof get>>

const outcome = (response: Response) => {
  const body = response.json()
  expect(Object.keys(body)).toEqual(['error'])
  expect(Object.keys(body.error)).toEqual(['code', 'message', 'requestId'])
  expect(body.error.requestId).toBe('request-1')
  return `${response.statusCode} ${body.error.code}`
}

describe('the error handler', () => {
  test.each([
    ['bug', '500 internal'],
    ['wrapped', '500 internal'],
    ['sql', '500 internal'],
    ['words', '500 internal'],
    ['outage', '503 dependency_unavailable'],
    ['refused', '503 dependency_unavailable'],
    ['conflict', '409 state_conflict'],
    ['busy', '429 rate_limited'],
    ['stranger', '401 unauthenticated'],
    ['client', '400 validation_failed'],
  ])('%s becomes %s and reveals no internal detail', async (name, expected) => {
    const response = await get(`/throw/${name}`)
    expect(outcome(response)).toBe(expected)
    expect(response.payload).not.toMatch(/hunter2|relation|Key|at .*:\d+/)
  })

  test('answers an unknown path with 404 not_found and a message that says so', async () => {
    const response = await get('/nowhere')
    expect(outcome(response)).toBe('404 not_found')
    expect(response.json().error.message).toMatch(/^No operation has this method and path\./)
  })

  test('logs a 500 with its cause and request id, and logs no 4xx', async () => {
    lines.length = 0
    await get('/throw/bug')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('cannot read hunter2 of undefined')
    expect(lines[0]).toContain('request-1')
    await get('/throw/conflict')
    expect(lines).toHaveLength(1)
  })

  test('sends Retry-After and WWW-Authenticate', async () => {
    expect((await get('/throw/busy')).headers['retry-after']).toBe('7')
    expect((await get('/throw/outage')).headers['retry-after']).toBe('1')
    expect((await get('/throw/stranger')).headers['www-authenticate']).toBe('Bearer')
    expect((await get('/throw/conflict')).headers).not.toHaveProperty('retry-after')
    expect((await get('/throw/conflict')).headers).not.toHaveProperty('www-authenticate')
  })
})

describe('an invalid body', () => {
  const message = async (payload: string) => {
    const response = await post(payload)
    expect(outcome(response)).toBe('400 validation_failed')
    return response.json().error.message
  }

  test('is 400 with the field and the rule', async () => {
    expect(await message('{"count":"1"}')).toBe('`count` must be an integer.')
    expect(await message('{}')).toBe('`count` is required.')
    expect(await message('[]')).toBe('The body must be a JSON object.')
    expect(await message('{"count":1,"isAdmin":true}')).toBe(
      '`isAdmin` is not a known field. The fields are count.',
    )
  })

  test.each([
    ['{"count":', {}, '400 malformed_json'],
    ['{"count":1,"count":1}', {}, '400 malformed_json'],
    ['{"count":1}', { 'idempotency-key': '' }, '400 idempotency_key_required'],
    [`{"count":${'1'.repeat(300)}}`, {}, '413 payload_too_large'],
    [
      'count=1',
      { 'content-type': 'application/x-www-form-urlencoded' },
      '415 unsupported_media_type',
    ],
    ['{"count":1}', { 'content-type': 'text/plain' }, '415 unsupported_media_type'],
    [
      '{"count":1}',
      { 'content-type': 'application/json; charset=latin1' },
      '415 unsupported_media_type',
    ],
  ])('%s with %j is %s', async (payload, headers, expected) => {
    expect(outcome(await post(payload, headers as Record<string, string>))).toBe(expected)
  })
})
