import { expect, it } from 'vitest'
import { countdown, isLock } from './export-limits.ts'

it('tells a lock of a day from the limit of an hour', () => {
  expect([null, 3_600_000, 3_600_001].map(isLock)).toEqual([false, false, true])
})

it('counts down to nothing', () => {
  const now = new Date('2026-01-01T10:00:00Z')
  expect(countdown('2026-01-01T10:04:31.500Z', now)).toBe('4:31')
  expect(countdown('2026-01-01T10:00:09Z', now)).toBe('0:09')
  expect(countdown('2026-01-01T09:00:00Z', now)).toBe('0:00')
})
