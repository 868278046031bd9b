import { expect, test } from 'vitest'
import { endOf, healthyPermille, segmentsOf, startOf } from './segments.ts'

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

test('a change after the period says how it ended', () => {
  const shown = (...changes: Parameters<typeof segmentsOf>[0]) =>
    segmentsOf(changes, { ...period, now: 'degraded' }).map(({ severity, from, to }) => [
      severity,
      from,
      to,
    ])
  expect(shown(fell(1_200))).toEqual([['healthy', 0, 1_000]])
  expect(shown(fell(1_200), rose(500), fell(400))).toEqual([
    ['healthy', 0, 400],
    ['degraded', 400, 500],
    ['healthy', 500, 1_000],
  ])
})

test('the period ends when it was read, and no earlier than the newest change', () => {
  const changes = [rose(900), fell(600)]
  expect(endOf([], 1_000)).toBe(1_000)
  expect(endOf(changes, 1_000)).toBe(1_000)
  expect(endOf(changes, 800)).toBe(900)
  const end = endOf(changes, 800)
  expect(segmentsOf(changes, { start: 0, end, now: 'healthy' })).toHaveLength(2)
})

test('the period begins with the oldest change that was read, if there are older ones', () => {
  const changes = [rose(900), fell(600)]
  const period = { end: 1_000, ms: 800 }
  expect(startOf(changes, { ...period, goesOn: false })).toBe(200)
  expect(startOf(changes, { ...period, goesOn: true })).toBe(600)
  expect(startOf([fell(100)], { ...period, goesOn: true })).toBe(200)
  expect(startOf([], { ...period, goesOn: true })).toBe(1_000)
})
