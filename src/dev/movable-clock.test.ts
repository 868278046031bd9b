import { expect, test } from 'vitest'
import { createMovableClock } from './movable-clock.ts'

test('runs on from the time it was moved to, until it catches up', () => {
  let system = new Date('2026-09-15T12:00:00Z')
  const clock = createMovableClock({ now: () => system })
  expect(clock.now()).toEqual(system)
  clock.moveTo(new Date('2026-06-01T08:00:00Z'))
  system = new Date('2026-09-15T12:00:05Z')
  expect(clock.now()).toEqual(new Date('2026-06-01T08:00:05Z'))
  expect(clock.behindSeconds()).toBe(106 * 86_400 + 4 * 3_600)
  clock.catchUp()
  expect(clock.now()).toEqual(system)
})

test('does not show a time that has not come yet', () => {
  const system = new Date('2026-09-15T12:00:00Z')
  const clock = createMovableClock({ now: () => system })
  clock.moveTo(new Date('2026-09-16T12:00:00Z'))
  expect(clock.now()).toEqual(system)
})
