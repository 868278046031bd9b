import { expect, test, vi } from 'vitest'
import { markOfEvent } from './events.ts'

vi.mock('@lingui/core/macro', () => ({ msg: (parts: readonly string[]) => ({ id: parts.join() }) }))

test('an event has the mark of the state that its thing has entered', () => {
  const paid = { aggregateType: 'payment', targetState: 'confirmed' } as const
  expect(markOfEvent(paid)?.kind).toBe('done')
  expect(markOfEvent({ aggregateType: 'service', targetState: 'degraded' })?.kind).toBe('warning')
})

test('a state without words has no mark', () => {
  expect(markOfEvent({ aggregateType: 'integration', targetState: 'accepted' })).toBeUndefined()
  expect(markOfEvent({ aggregateType: 'payment', targetState: 'toString' })).toBeUndefined()
  expect(markOfEvent({ aggregateType: 'payment', targetState: null })).toBeUndefined()
})
