import { expect, it } from 'vitest'
import service from '../../../../src/wallets/request-export.ts?raw'
import { countdown, exportLimitOf } from './export-limits.ts'

/** As the service writes them. */
const LOCK = 'Export of this wallet is locked after three failed attempts. Wait for Retry-After.'
const HOURLY = 'An account may request at most five exports an hour. Wait for Retry-After.'
const limitOf = (message: string, code = 'rate_limited') => exportLimitOf({ code, message })

it('tells a lock of a day from the limit of an hour, however long the wait is', () => {
  for (const sentence of [LOCK, HOURLY]) expect(service).toContain(`'${sentence}'`)
  expect([limitOf(LOCK), limitOf(HOURLY)]).toEqual(['lock', 'hourly'])
})

it('leaves every other refusal as it is', () => {
  expect(limitOf('Too many requests. Wait as long as Retry-After says.')).toBeNull()
  expect(limitOf(LOCK, 'forbidden')).toBeNull()
})

it('counts down to nothing', () => {
  const now = new Date('2026-01-01T10:00:00Z')
  expect(countdown('2026-01-01T10:04:31.500Z', now)).toBe('4:31')
  expect(countdown('2026-01-01T10:00:09Z', now)).toBe('0:09')
  expect(countdown('2026-01-01T09:00:00Z', now)).toBe('0:00')
})
