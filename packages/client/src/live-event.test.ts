import { expect, test } from 'vitest'
import { isLiveEvent, type LiveEvent } from './live-event.ts'

const event: LiveEvent = {
  id: '01975f0c-5f1e-7cc3-8e0b-4f8f4f0c2b11',
  cursor: 'AXwXVmEfPVy',
  organizationId: null,
  audience: 'both',
  kind: 'payment.changed',
  aggregateType: 'payment',
  aggregateId: '01975f0c-5f1e-7cc3-8e0b-4f8f4f0c2b12',
  targetState: 'confirmed',
  severity: 'healthy',
  code: null,
  occurredAt: '2030-01-01T00:00:00.000Z',
}

test('a live event is one, also of a kind that a newer service has', () => {
  expect(isLiveEvent(event)).toBe(true)
  expect(isLiveEvent({ ...event, kind: 'budget.changed', added: 1 })).toBe(true)
})

test.each([
  null,
  'text',
  [],
  {},
  { ...event, kind: 1 },
  { ...event, code: 1 },
  { ...event, id: null },
])('anything else is not: %j', (value) => {
  expect(isLiveEvent(value)).toBe(false)
})
