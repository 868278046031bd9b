import { describe, expect, test } from 'vitest'
import type { ServiceHealth } from '#health/service-health.ts'
import { isKnown } from '#http/if-none-match.ts'
import type { Severity } from '#platform/severity.ts'
import { TRANSPORT_POLICY } from '#platform/transport-policy.ts'
import { entityTagOf } from './entity-tag.ts'
import type { LiveEvent } from './live-event.ts'
import { type LiveSnapshot, severityOf } from './snapshot.ts'
import { caseTask } from './tasks.ts'

const service = (changes: Partial<ServiceHealth> = {}): ServiceHealth => ({
  id: 'worker',
  service: 'Worker',
  environment: 'test',
  severity: 'healthy',
  summary: 'A worker is at work.',
  heartbeatAgeSeconds: 1,
  latencyMs: 2,
  code: null,
  checkedAt: '2026-05-04T12:00:00.000Z',
  provider: null,
  deployment: null,
  ...changes,
})

const task = caseTask(
  {
    id: 'a-case',
    organizationId: 'an-organization',
    organizationName: 'Acme',
    subject: 'Where is it?',
    priority: 2,
    state: 'open',
    updatedAt: '2026-05-04T12:00:00.000Z',
  },
  'operator',
)

const snapshot = (changes: Partial<LiveSnapshot> = {}): LiveSnapshot => ({
  serverTime: '2026-05-04T12:00:00.000Z',
  cursor: 'abcdefgh',
  scope: { realm: 'admin', organizationId: null },
  transportPolicy: TRANSPORT_POLICY,
  severity: 'healthy',
  tasks: [task],
  tasksTruncated: [],
  services: [service()],
  events: [],
  ...changes,
})

const tagOf = ({ services, cursor, tasks, tasksTruncated, events }: LiveSnapshot): string =>
  entityTagOf({ digest: JSON.stringify({ cursor, tasks, tasksTruncated, events }), services })

const later = '2026-05-04T12:00:15.000Z'

describe('the ETag of a snapshot', () => {
  test('is weak and quoted', () => {
    expect(tagOf(snapshot())).toMatch(/^W\/"[A-Za-z0-9_-]{27}"$/)
  })

  test.each<[string, Partial<LiveSnapshot>]>([
    ['time passes', { serverTime: later }],
    ['services are probed again', { services: [service({ checkedAt: later })] }],
    ['a worker sends a heartbeat', { services: [service({ heartbeatAgeSeconds: 0 })] }],
    ['an answer takes longer', { services: [service({ latencyMs: 900 })] }],
    ['a heartbeat is unknown', { services: [service({ heartbeatAgeSeconds: null })] }],
  ])('stays when %s', (_name, changes) => {
    expect(tagOf(snapshot(changes))).toBe(tagOf(snapshot()))
  })

  test.each<[string, Partial<LiveSnapshot>]>([
    ['an event happened', { cursor: 'abcdefgi' }],
    ['a task is done', { tasks: [] }],
    ['a task changed', { tasks: [{ ...task, updatedAt: later }] }],
    ['an action is gone', { tasks: [{ ...task, actions: [] }] }],
    ['a service is worse', { services: [service({ severity: 'degraded' })] }],
    ['a service has a code', { services: [service({ code: 'slow' })] }],
    ['a service is gone', { services: [] }],
  ])('changes when %s', (_name, changes) => {
    expect(tagOf(snapshot(changes))).not.toBe(tagOf(snapshot()))
  })
})

describe('If-None-Match', () => {
  test.each([
    ['W/"abc"', true],
    ['"abc"', true],
    ['"x", W/"abc" , "y"', true],
    ['*', true],
    [' * ', true],
    [undefined, false],
    ['', false],
    ['W/"abd"', false],
    ['abc', false],
    ['"ABC"', false],
    ['"xabc"', false],
    ['"', false],
  ])('%s matches W/"abc": %s', (header, expected) => {
    expect(isKnown(header, 'W/"abc"')).toBe(expected)
  })
})

describe('the overall severity', () => {
  const worst = (services: Severity[], ...tasks: (readonly [string, string])[]): Severity =>
    severityOf({
      events: [],
      services: services.map((severity) => service({ severity })),
      tasks: tasks.map(([group, state]) => ({ ...task, state, group }) as typeof task),
    })

  test('is the worst of the services', () => {
    expect(worst([])).toBe('healthy')
    expect(worst(['healthy', 'healthy'])).toBe('healthy')
    expect(worst(['healthy', 'degraded'])).toBe('degraded')
    expect(worst(['action_required', 'degraded'])).toBe('action_required')
  })

  test.each<[Severity[], Severity]>([
    [['healthy'], 'healthy'],
    [['healthy', 'degraded'], 'degraded'],
    [['action_required', 'healthy'], 'action_required'],
  ])('with the events %j is %s', (events, expected) => {
    const shown = events.map((severity) => ({ severity }) as LiveEvent)
    const healthy = [service({ severity: 'healthy' })]
    expect(severityOf({ services: healthy, tasks: [], events: shown })).toBe(expected)
  })

  test('is not raised by open tasks', () => {
    expect(worst([], ['needs_action', 'needs_review'], ['in_progress', 'executing'])).toBe(
      'healthy',
    )
  })

  test('is degraded while a payment is reconciling', () => {
    expect(worst([], ['in_progress', 'reconciling'])).toBe('degraded')
    expect(worst([], ['needs_action', 'reconciling'])).toBe('degraded')
  })

  test('is action_required when a task of the caller is stuck', () => {
    expect(worst(['degraded'], ['needs_action', 'blocked'])).toBe('action_required')
    expect(worst([], ['needs_action', 'failed'])).toBe('action_required')
    expect(worst([], ['in_progress', 'blocked'])).toBe('healthy')
  })
})
