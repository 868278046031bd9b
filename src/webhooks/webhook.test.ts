import { describe, expect, test } from 'vitest'
import {
  ATTEMPTS_MAX,
  isWanted,
  retryDelaySeconds,
  type WebhookCandidate,
  type WebhookTarget,
} from './webhook.ts'

const webhook: WebhookTarget = {
  id: 'webhook',
  organizationId: 'acme',
  kinds: ['payment.changed'],
  createdAt: '2030-01-01T00:00:00.000Z',
}

const event: WebhookCandidate = {
  organizationId: 'acme',
  audience: 'both',
  kind: 'payment.changed',
  aggregateId: 'payment',
  code: null,
  occurredAt: '2030-01-01T00:00:00.000Z',
}

const ping = { kind: 'integration.changed', code: 'webhook_ping' }

describe('a webhook wants', () => {
  test.each<[string, Partial<WebhookCandidate>, boolean]>([
    ['events of its kinds', {}, true],
    ['events for members only', { audience: 'consumer' }, true],
    ['no events for operators', { audience: 'admin' }, false],
    ['no other kinds', { kind: 'expense.changed' }, false],
    ['no events of another organization', { organizationId: 'other' }, false],
    ['no events without an organization', { organizationId: null }, false],
    ['no events of before its creation', { occurredAt: '2029-12-31T23:59:59.999Z' }, false],
    ['its own ping, whatever its kinds', { ...ping, aggregateId: 'webhook' }, true],
    ['no ping of another webhook', { ...ping, aggregateId: 'another' }, false],
    ['no ping of another organization', { ...ping, organizationId: 'other' }, false],
  ])('%s', (_what, change, isExpected) => {
    expect(isWanted(webhook, { ...event, ...change })).toBe(isExpected)
  })

  test('no ping of another webhook even if it gets all integration events', () => {
    const all = { ...webhook, kinds: ['integration.changed'] }
    expect(isWanted(all, { ...event, ...ping, aggregateId: 'another' })).toBe(false)
  })
})

describe('the delay before the next attempt', () => {
  test('grows, and there is none after the last: about a day in all', () => {
    const waits = Array.from({ length: ATTEMPTS_MAX }, (_, n) => retryDelaySeconds(n + 1, null))
    expect(waits.at(-1)).toBeUndefined()
    const known = waits.slice(0, -1).map((wait) => wait ?? 0)
    expect(known).toEqual([...known].sort((one, other) => one - other))
    const hours = known.reduce((sum, wait) => sum + wait, 0) / 3_600
    expect(Math.round(hours)).toBe(24)
  })

  test.each([
    [1, 0, 5],
    [1, 90, 90],
    [2, 90, 300],
    [1, 86_401, 86_400],
  ])('after attempt %i with Retry-After %i is %i s', (attempt, asked, expected) => {
    expect(retryDelaySeconds(attempt, asked)).toBe(expected)
  })
})
