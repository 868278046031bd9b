import { expect, test } from 'vitest'
import { failureOf, treatmentOf } from './errors.ts'
import { json } from './testing.ts'

const about = { retryAfterMs: null, mayHaveTakenEffect: true }

test('an error of the API becomes a value with its code, treatment and request id', () => {
  const body = { error: { code: 'version_conflict', message: 'Read it again.', requestId: 'r1' } }
  expect(failureOf(json(body, { status: 409 }), body, about)).toEqual({
    source: 'api',
    code: 'version_conflict',
    treatment: 'refresh',
    message: 'Read it again.',
    status: 409,
    requestId: 'r1',
    retryAfterMs: null,
  })
})

test.each([
  [401, 'sign_in'],
  [403, 'not_allowed'],
  [404, 'refresh'],
  [409, 'refresh'],
  [400, 'correct'],
  [429, 'wait'],
  [503, 'wait'],
  [500, 'report'],
])('a code that this version does not know is treated by its status: %i', (status, expected) => {
  expect(treatmentOf('brand_new', status)).toBe(expected)
})

test('a code that is a property of every object is not taken for a known one', () => {
  expect(treatmentOf('constructor', 409)).toBe('refresh')
})

test.each(['<html>', null, {}, { error: 'no' }, { error: { code: 7 } }])(
  'a body that is not an error of the API is an unexpected response: %j',
  (body) => {
    const headers = { 'x-request-id': 'r2' }
    const response = new Response('', { status: 502, headers })
    expect(failureOf(response, body, about)).toMatchObject({
      source: 'transport',
      code: 'unexpected_response',
      treatment: 'wait',
      status: 502,
      requestId: 'r2',
    })
  },
)
