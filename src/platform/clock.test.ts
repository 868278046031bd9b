import { isTimestamp, isUuid } from '@countersign/proof/values.ts'
import { describe, expect, test } from 'vitest'
import { addSeconds, createIds, systemClock, toTimestamp } from './clock.ts'

/** Returns these in turn. */
const giving = (...given: string[]) => {
  const left = [...given]
  return () => left.shift() ?? ''
}

const millisecondsOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

describe('ids', () => {
  test('are UUIDs of version 7 that carry their creation time', () => {
    const before = systemClock.now().getTime()
    const id = createIds().next()
    const after = systemClock.now().getTime()
    expect(isUuid(id)).toBe(true)
    expect(id[14]).toBe('7')
    expect(millisecondsOf(id)).toBeGreaterThanOrEqual(before)
    expect(millisecondsOf(id)).toBeLessThanOrEqual(after)
  })

  test('increase strictly, also within one millisecond', () => {
    const ids = createIds()
    const made = Array.from({ length: 20_000 }, () => ids.next())
    expect(made.every((id, index) => index === 0 || id > (made[index - 1] ?? ''))).toBe(true)
    expect(made.every((id) => isUuid(id) && id[14] === '7')).toBe(true)
  })

  test('increase strictly when the system clock goes back', () => {
    const given = ['0190a1b2-c3d4-7567-8abc-def012345678', '0190a1b2-c3d3-7fff-bfff-ffffffffffff']
    const ids = createIds(giving(...given, ...given))
    expect(Array.from({ length: 4 }, () => ids.next())).toEqual([
      '0190a1b2-c3d4-7567-8abc-def012345678',
      '0190a1b2-c3d4-7567-8abc-def012345679',
      '0190a1b2-c3d4-7567-8abc-def01234567a',
      '0190a1b2-c3d4-7567-8abc-def01234567b',
    ])
  })

  test('keep version and variant when the last digits overflow', () => {
    const full = '0190a1b2-c3d4-7567-8abc-ffffffffffff'
    const later = '0190a1b2-c3d5-7000-8000-000000000000'
    const ids = createIds(giving(full, full, full, later))
    expect(ids.next()).toBe(full)
    expect(ids.next()).toBe(later)
  })
})

describe('time', () => {
  test('the system clock returns the current time', () => {
    const before = Date.now()
    const now = systemClock.now().getTime()
    expect(now).toBeGreaterThanOrEqual(before)
    expect(now).toBeLessThanOrEqual(Date.now())
  })

  test('adding seconds does not change the original', () => {
    const at = new Date('2024-02-28T23:59:59.500Z')
    expect(addSeconds(at, 1).toISOString()).toBe('2024-02-29T00:00:00.500Z')
    expect(addSeconds(at, -86_400).toISOString()).toBe('2024-02-27T23:59:59.500Z')
    expect(at.toISOString()).toBe('2024-02-28T23:59:59.500Z')
  })

  test.each([
    ['2024-02-29 12:30:00+00', '2024-02-29T12:30:00.000Z'],
    ['2024-02-29 12:30:00.123456+00', '2024-02-29T12:30:00.123Z'],
    ['2024-02-29 14:30:00+02', '2024-02-29T12:30:00.000Z'],
    ['2024-02-29T12:30:00.5Z', '2024-02-29T12:30:00.500Z'],
  ])('%s from the database is formatted as %s', (stored, sent) => {
    expect(toTimestamp(stored)).toBe(sent)
    expect(isTimestamp(toTimestamp(stored))).toBe(true)
  })
})
