import { describe, expect, it } from 'vitest'
import { monthsBetween, startOf } from './periods.ts'

const now = new Date('2026-02-14T23:30:00Z')

describe('periods', () => {
  it('begin with a whole month, across the turn of the year', () => {
    expect(startOf('3-months', now)).toBe('2025-12-01')
    expect(startOf('12-months', now)).toBe('2025-03-01')
    expect(startOf('year', now)).toBe('2026-01-01')
    expect(startOf('all', now)).toBeUndefined()
  })

  it('have every month', () => {
    expect(monthsBetween('2025-11', '2026-02')).toEqual([
      '2025-11',
      '2025-12',
      '2026-01',
      '2026-02',
    ])
    expect(monthsBetween('2026-02', '2026-02')).toEqual(['2026-02'])
    expect(monthsBetween('2026-03', '2026-02')).toEqual([])
  })
})
