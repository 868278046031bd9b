import { failureOf, transportFailure } from '@countersign/client/errors.ts'
import { expect, test } from 'vitest'
import { mayHaveBeenSent } from './lost-answer.ts'

const refusedWith = (status: number, code: string) =>
  failureOf(
    new Response(null, { status }),
    { error: { code, message: code, requestId: 'r' } },
    { retryAfterMs: null, mayHaveTakenEffect: true },
  )

test('an answer whose confirmation was lost may have been sent', () => {
  expect(mayHaveBeenSent(transportFailure('timeout'))).toBe(true)
  expect(mayHaveBeenSent(transportFailure('network', { mayHaveTakenEffect: false }))).toBe(false)
})

test('so may one that the gateway knows nothing of, but none that was refused', () => {
  expect(mayHaveBeenSent(refusedWith(503, 'dependency_unavailable'))).toBe(true)
  expect(mayHaveBeenSent(refusedWith(500, 'internal'))).toBe(true)
  expect(mayHaveBeenSent(refusedWith(409, 'invalid_transition'))).toBe(false)
  expect(mayHaveBeenSent(refusedWith(401, 'unauthenticated'))).toBe(false)
})
