import { failureOf } from '@countersign/client/errors.ts'
import { RequestFailed } from '@countersign/client/result.ts'
import type { Query } from '@tanstack/react-query'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

// The client of the page asks for its origin as soon as it is loaded.
beforeAll(() => vi.stubGlobal('location', new URL('https://operators.example')))
afterAll(() => vi.unstubAllGlobals())

const failedWith = (code: string, status: number) => {
  const body = { error: { code, message: code, requestId: 'r' } }
  const about = { retryAfterMs: null, mayHaveTakenEffect: false }
  return new RequestFailed(failureOf(new Response(null, { status }), body, about))
}

test('a session that has ended replaces a page only if it shows nothing yet', async () => {
  const { createReadCache } = await import('./read-cache.ts')
  const { throwOnError } = createReadCache().getDefaultOptions().queries ?? {}
  const isThrown = (error: Error, data: unknown) =>
    typeof throwOnError === 'function' && throwOnError(error, { state: { data } } as Query)
  const ended = failedWith('unauthenticated', 401)
  expect(isThrown(ended, undefined)).toBe(true)
  expect(isThrown(ended, { subject: 'shown' })).toBe(false)
  expect(isThrown(failedWith('not_found', 404), undefined)).toBe(false)
})
