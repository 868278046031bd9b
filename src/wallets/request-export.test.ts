import { describe, expect, test } from 'vitest'
import { requireNotLocked } from './request-export.ts'

const UNTIL = '2026-05-02T12:00:00.000Z'
const end = Date.parse(UNTIL)
const at = (ms: number) => ({ clock: { now: () => new Date(ms) } })

describe('exports of a wallet that is locked', () => {
  test.each([
    ['a day before the end', end - 86_400_000, 86_400],
    ['a second and a half before', end - 1_500, 2],
    ['in the last millisecond', end - 1, 1],
  ])('%s are refused, with the seconds to wait', (_name, now, retryAfterSeconds) => {
    let refusal: unknown
    try {
      requireNotLocked(at(now), { lockedUntil: UNTIL })
    } catch (error) {
      refusal = error
    }
    expect(refusal).toMatchObject({ code: 'rate_limited', retryAfterSeconds })
  })

  test('are allowed again at the very end', () => {
    expect(() => requireNotLocked(at(end), { lockedUntil: UNTIL })).not.toThrow()
  })
})

test('exports of a wallet that was never locked are allowed', () => {
  expect(() => requireNotLocked(at(end), { lockedUntil: null })).not.toThrow()
})
