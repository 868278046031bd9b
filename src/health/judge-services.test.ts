import { describe, expect, test } from 'vitest'
import type { NodeState } from '#ports/chain.ts'
import {
  judgeAnalyst,
  judgeChain,
  judgeDatabase,
  judgeIdentity,
  judgeKeys,
  judgePush,
  judgeWalletProvider,
  judgeWorker,
  lagsOf,
} from './judge-services.ts'
import type { HealthVerdict } from './service-health.ts'

const said = ({ severity, code }: HealthVerdict) => [severity, code]

describe('the database', () => {
  test.each([
    [0, ['healthy', null]],
    [999, ['healthy', null]],
    [1_000, ['degraded', 'database_slow']],
  ])('that answers in %s ms is %s', (latencyMs, expected) => {
    const verdict = judgeDatabase({ latencyMs, withheldSeconds: 0, forgedPayments: 0 })
    expect(said(verdict)).toEqual(expected)
    expect(verdict.latencyMs).toBe(latencyMs)
  })

  test.each([
    [10, ['healthy', null]],
    [11, ['degraded', 'live_withheld']],
  ])('that withholds live events for %s s is %s', (withheldSeconds, expected) => {
    expect(said(judgeDatabase({ latencyMs: 1, withheldSeconds, forgedPayments: 0 }))).toEqual(
      expected,
    )
  })
})

describe('the worker', () => {
  const idle = { beatAgeSeconds: 0, due: 0, failed: 0, oldestDueSeconds: 0 }

  test.each([
    [{}, ['healthy', null]],
    [{ beatAgeSeconds: 10, due: 5, oldestDueSeconds: 60 }, ['healthy', null]],
    [{ beatAgeSeconds: 11 }, ['degraded', 'worker_late']],
    [{ beatAgeSeconds: 30 }, ['degraded', 'worker_late']],
    [{ beatAgeSeconds: 31 }, ['action_required', 'worker_away']],
    [{ beatAgeSeconds: null }, ['action_required', 'worker_away']],
    [{ due: 1, oldestDueSeconds: 61 }, ['degraded', 'queue_slow']],
    [{ due: 1, oldestDueSeconds: 600 }, ['degraded', 'queue_slow']],
    [{ due: 1, oldestDueSeconds: 601 }, ['action_required', 'queue_stuck']],
    [{ failed: 1 }, ['degraded', 'jobs_failed']],
    [{ failed: 1, beatAgeSeconds: null }, ['action_required', 'worker_away']],
  ])('with %j is %s', (facts, expected) => {
    expect(said(judgeWorker({ ...idle, ...facts }))).toEqual(expected)
  })
})

describe('the chain', () => {
  const node = (change: Partial<NodeState> = {}): NodeState => ({
    outcome: 'answers',
    latencyMs: 5,
    headNumber: 100,
    commonHash: '0xaa',
    ...change,
  })
  const silent = node({ outcome: 'silent', latencyMs: null, headNumber: null, commonHash: null })
  const other = node({ outcome: 'other_chain', commonHash: null })

  const cases: [string, NodeState[], number | null, unknown[]][] = [
    ['two nodes that agree', [node(), node({ headNumber: 80 })], 60, ['healthy', null]],
    ['a new database', [node()], null, ['healthy', null]],
    ['one of two silent', [node(), silent], 0, ['degraded', 'node_away']],
    ['all silent', [silent, silent], 0, ['action_required', 'chain_away']],
    ['another chain only', [other], 0, ['action_required', 'chain_away']],
    ['one of two on another chain', [node(), other], 0, ['degraded', 'node_of_other_chain']],
    [
      'two nodes that disagree',
      [node(), node({ commonHash: '0xbb' })],
      0,
      ['action_required', 'nodes_disagree'],
    ],
    ['one far behind', [node(), node({ headNumber: 79 })], 0, ['degraded', 'node_behind']],
    ['one that is slow', [node({ latencyMs: 2_001 })], 0, ['degraded', 'nodes_slow']],
    ['a follower that is late', [node()], 61, ['degraded', 'follower_behind']],
    ['a follower that is far behind', [node()], 301, ['action_required', 'follower_behind']],
  ]
  test.each(cases)('with %s', (_what, nodes, followerAgeSeconds, expected) => {
    expect(said(judgeChain({ nodes, followerAgeSeconds }))).toEqual(expected)
  })

  test('has the latency of its slowest node', () => {
    const nodes = [node({ latencyMs: 7 }), node({ latencyMs: 40 }), silent]
    expect(judgeChain({ nodes, followerAgeSeconds: 0 }).latencyMs).toBe(40)
  })
})

test("a node's lag is counted from the highest head of those that answer", () => {
  const node = { latencyMs: 1, commonHash: null }
  const nodes: NodeState[] = [
    { ...node, outcome: 'answers', headNumber: 90 },
    { ...node, outcome: 'answers', headNumber: 100 },
    { ...node, outcome: 'other_chain', headNumber: 5_000 },
    { ...node, outcome: 'silent', headNumber: null },
  ]
  expect(lagsOf(nodes)).toEqual([10, 0, null, null])
  expect(lagsOf([])).toEqual([])
})

describe('identity', () => {
  test.each([
    ['usable', 'usable', ['healthy', null]],
    ['unreachable', 'usable', ['degraded', 'key_set_away']],
    ['usable', 'unreachable', ['degraded', 'key_set_away']],
    ['unreachable', 'unreachable', ['action_required', 'identity_away']],
    ['unusable', 'usable', ['action_required', 'key_set_unusable']],
    ['unreachable', 'unusable', ['action_required', 'key_set_unusable']],
  ] as const)('with %s and %s key sets', (consumer, admin, expected) => {
    const verdict = judgeIdentity({ states: { consumer, admin }, latencyMs: 3 })
    expect(said(verdict)).toEqual(expected)
  })
})

describe('the analyst', () => {
  test.each([
    [false, [], ['healthy', 'rules_only']],
    [true, [], ['healthy', null]],
    [true, [true, false, false, false, false, false], ['healthy', null]],
    [true, [false, true], ['degraded', 'model_away']],
    [true, [false, false, false, false], ['degraded', 'model_away']],
    [true, [false, false, false, false, false, true], ['action_required', 'model_away']],
  ])('with model %s and answers %j', (isConfigured, answered, expected) => {
    expect(said(judgeAnalyst(isConfigured, answered))).toEqual(expected)
  })
})

test('push is healthy whether configured or not', () => {
  expect(said(judgePush(false))).toEqual(['healthy', 'not_configured'])
  expect(said(judgePush(true))).toEqual(['healthy', null])
})

test('keys that cannot be opened need action', () => {
  expect(said(judgeKeys(undefined))).toEqual(['healthy', null])
  expect(said(judgeKeys(true))).toEqual(['healthy', null])
  expect(said(judgeKeys(false))).toEqual(['action_required', 'keys_unreadable'])
})

test('a wallet provider that rejects our credentials needs action, a silent one degrades', () => {
  expect(judgeWalletProvider('ready')).toBeUndefined()
  expect(judgeWalletProvider('rejects_credentials')).toMatchObject({
    severity: 'action_required',
    code: 'wallet_provider_refuses',
  })
  expect(judgeWalletProvider('silent')).toMatchObject({
    severity: 'degraded',
    code: 'wallet_provider_unavailable',
  })
})
