import { expect, test } from 'vitest'
import { healthyPermille, segmentsOf, startOf } from './segments.ts'

const period = { start: 0, end: 1_000 }
const at = (ms: number) => new Date(ms).toISOString()
const fell = (ms: number) => ({
  at: at(ms),
  from: 'healthy' as const,
  to: 'degraded' as const,
  code: 'slow',
})
const rose = (ms: number) => ({
  at: at(ms),
  from: 'degraded' as const,
  to: 'healthy' as const,
  code: null,
})

test('without a change it was all the time as it is now', () => {
  const segments = segmentsOf([], { ...period, now: 'degraded' })
  expect(segments).toEqual([{ severity: 'degraded', code: null, from: 0, to: 1_000 }])
  expect(healthyPermille(segments)).toBe(0)
})

test('changes divide the period, in whatever order they come', () => {
  const segments = segmentsOf([rose(750), fell(500)], { ...period, now: 'healthy' })
  expect(segments.map(({ severity, from, to }) => [severity, from, to])).toEqual([
    ['healthy', 0, 500],
    ['degraded', 500, 750],
    ['healthy', 750, 1_000],
  ])
  expect(healthyPermille(segments)).toBe(750)
})

test('the last change before the period says how it began', () => {
  const changes = [fell(200), rose(600)]
  const segments = segmentsOf(changes, { start: 400, end: 1_000, now: 'healthy' })
  expect(segments.map(({ severity, code }) => [severity, code])).toEqual([
    ['degraded', 'slow'],
    ['healthy', null],
  ])
})

test('the period begins with the oldest change that was read, if there are older ones', () => {
  const changes = [rose(900), fell(600)]
  const period = { end: 1_000, ms: 800 }
  expect(startOf(changes, { ...period, goesOn: false })).toBe(200)
  expect(startOf(changes, { ...period, goesOn: true })).toBe(600)
  expect(startOf([fell(100)], { ...period, goesOn: true })).toBe(200)
  expect(startOf([], { ...period, goesOn: true })).toBe(1_000)
})
