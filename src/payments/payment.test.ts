import { describe, expect, test } from 'vitest'
import type { BlockCode } from '#platform/block-codes.ts'
import { statesOf } from '#platform/machine.ts'
import { isInFlight, isLive, paymentMachine } from './payment.machine.ts'
import {
  automaticUntil,
  isForged,
  isReconcilable,
  mayHavePaid,
  needsNewSignature,
  type ReleaseStep,
  releaseStepOf,
  signatureRefusal,
} from './payment.ts'

describe('an automatic authorization', () => {
  const now = new Date('2026-05-01T12:00:00.000Z')

  test.each([
    ['lasts a day', '2026-06-01T00:00:00.000Z', '2026-05-02T12:00:00.000Z'],
    ['ends with its policy', '2026-05-02T11:59:59.000Z', '2026-05-02T11:59:59.000Z'],
  ])('%s', (_name, policyExpiresAt, deadline) => {
    expect(automaticUntil(now, policyExpiresAt)).toEqual({ kind: 'automatic', deadline })
  })
})

test('payments in flight are those that may have been sent and are open', () => {
  const inFlight = statesOf(paymentMachine).filter(isInFlight)
  expect(inFlight).toEqual(['submitting', 'broadcast', 'reconciling'])
})

test('live payments are unsent, in flight, or blocked with an attempt that may be mined', () => {
  const live = (hasUnclearedAttempt: boolean) =>
    statesOf(paymentMachine).filter((state) => isLive({ state, hasUnclearedAttempt }))
  const always = ['reserved', 'queued', 'submitting', 'broadcast', 'reconciling']
  expect(live(false)).toEqual(always)
  expect(live(true)).toEqual([...always, 'blocked'])
})

describe('a new signature is asked for', () => {
  const unsent = { mode: 'approved', hasOpenAttempt: false } as const
  const codes: readonly BlockCode[] = [
    'approval_expired',
    'approval_invalidated',
    'approval_superseded',
    'approver_revoked',
    'deadline_passed',
    'version_mismatch',
    'approver_not_allowed',
    'approval_is_invalidated',
    'approval_count_mismatch',
  ]

  test.each(codes)('after %s, where nothing was sent', (code) => {
    expect(needsNewSignature({ ...unsent, code })).toBe(true)
    expect(needsNewSignature({ ...unsent, mode: 'automatic', code })).toBe(false)
    expect(needsNewSignature({ ...unsent, hasOpenAttempt: true, code })).toBe(false)
  })

  test.each<BlockCode>(['insufficient_funds', 'nodes_disagree', 'evidence_mismatch'])(
    'not after %s',
    (code) => {
      expect(needsNewSignature({ ...unsent, code })).toBe(false)
    },
  )
})

const SIGNED = { requiredApprovals: 2, signatures: ['first', 'second'] }

const blocked = (hasOpenAttempt: boolean, blockCode: BlockCode | null) =>
  ({ state: 'blocked', hasOpenAttempt, blockCode, ...SIGNED }) as const

describe('a release', () => {
  test.each<[string, ReleaseStep]>([
    ['reserved', 'release'],
    ['queued', 'nothing'],
    ['submitting', 'nothing'],
    ['broadcast', 'nothing'],
    ['reconciling', 'nothing'],
    ['confirmed', 'nothing'],
    ['failed', 'release_again'],
  ])('of a payment that is %s: %s', (name, step) => {
    const state = statesOf(paymentMachine).find((one) => one === name) ?? 'confirmed'
    expect(releaseStepOf({ state, hasOpenAttempt: false, blockCode: null, ...SIGNED })).toBe(step)
  })

  test.each<BlockCode>(['nonce_used_elsewhere', 'execution_not_found', 'execution_unexplained'])(
    'gives up an open attempt that ended in %s',
    (code) => {
      expect(releaseStepOf(blocked(true, code))).toBe('give_up')
      expect(releaseStepOf(blocked(false, code))).toBe('release_again')
      const failed = { ...blocked(true, code), state: 'failed' } as const
      expect(releaseStepOf(failed)).toBe('nothing')
    },
  )

  test.each([
    [2, ['first'], 'wait'],
    [2, [], 'wait'],
    [1, ['first'], 'release'],
    [0, [], 'release'],
  ] as const)('of a reservation that needs %i signatures and has %j: %s', (needed, has, step) => {
    const reserved = { state: 'reserved', hasOpenAttempt: false, blockCode: null } as const
    const signed = { requiredApprovals: needed, signatures: has }
    expect(releaseStepOf({ ...reserved, ...signed })).toBe(step)
  })

  test('leaves another open attempt alone', () => {
    expect(releaseStepOf(blocked(true, 'nodes_disagree'))).toBe('nothing')
    expect(releaseStepOf(blocked(true, null))).toBe('nothing')
    expect(releaseStepOf(blocked(false, 'nodes_disagree'))).toBe('release_again')
  })
})

describe('to reconcile a payment', () => {
  test('it is in flight, or blocked and may have paid', () => {
    const reconcilable = (hasOpenAttempt: boolean, blockCode: BlockCode | null) =>
      statesOf(paymentMachine).filter((state) =>
        isReconcilable({ state, hasOpenAttempt, blockCode }),
      )
    const inFlight = ['submitting', 'broadcast', 'reconciling']
    expect(reconcilable(false, null)).toEqual(inFlight)
    expect(reconcilable(true, null)).toEqual([...inFlight, 'blocked'])
    expect(reconcilable(false, 'payment_already_executed')).toEqual([...inFlight, 'blocked'])
  })

  test.each<[boolean, BlockCode | null, boolean]>([
    [false, null, false],
    [false, 'nodes_disagree', false],
    [false, 'payment_already_executed', true],
    [true, null, true],
    [true, 'nodes_disagree', true],
  ])('open attempt %s, code %s: it may have paid: %s', (hasOpenAttempt, blockCode, may) => {
    expect(mayHavePaid({ hasOpenAttempt, blockCode })).toBe(may)
  })
})

test.each<[BlockCode | null, boolean]>([
  ['evidence_mismatch', true],
  ['signature_not_authentic', true],
  ['nodes_disagree', false],
  [null, false],
])('blocked for %s, its rows are forged: %s', (blockCode, isFound) => {
  expect(isForged({ blockCode })).toBe(isFound)
})

describe('a signature is refused', () => {
  const good = {
    deadline: '2026-05-01T12:00:00.000Z',
    now: '2026-05-01T11:59:59.999Z',
    isApprovalGood: true,
    policyVersion: 3,
    signedVersion: 3,
  }

  test.each<[string, Partial<typeof good> & { policyVersion?: number | null }, string | undefined]>(
    [
      ['never before its deadline', {}, undefined],
      ['at its deadline', { now: good.deadline }, 'expired'],
      ['when its approval has ended', { isApprovalGood: false }, 'ended'],
      ['under a newer policy', { policyVersion: 4 }, 'other_policy'],
    ],
  )('%s', (_name, change, refusal) => {
    expect(signatureRefusal({ ...good, ...change })).toBe(refusal)
  })
})
