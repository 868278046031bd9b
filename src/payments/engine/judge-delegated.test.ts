import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { executed, log, paymentIn, seen, settings, unmined } from '#test/simulator/situations.ts'
import type { DelegatedAttempt, ReportedStatus } from './attempt.ts'
import { eventOf } from './judge-delegated.ts'
import { isEvidenceDue, judgePayment } from './judge-payment.ts'
import type { Situation } from './judgement.ts'
import type { LanePayment } from './lane.ts'

const HASH = '0xha'
const ENDS = {
  denied: { do: 'deny', code: 'provider_denied' },
  refused: { do: 'deny', code: 'provider_refused' },
  failed: { do: 'fail', code: 'provider_failed' },
  cancelled: { do: 'fail', code: 'provider_cancelled' },
} as const
const ended = Object.keys(ENDS) as (keyof typeof ENDS)[]
const reports: ReportedStatus[] = ['accepted', 'sent', 'stuck', 'mined', ...ended]

/** Reported at block 100, which is final in `unmined`. */
const attemptWith = (status: ReportedStatus | null, change: Partial<DelegatedAttempt> = {}) => ({
  kind: 'entrusted' as const,
  id: 'attempt',
  idempotencyKey: 'key',
  providerReference: status === null ? null : 'reference',
  status,
  reportedAtMs: status === null ? null : 0,
  reportedBlock: status === null ? null : 100,
  transactionHash: null,
  isSameCall: true,
  writtenAtMs: 0,
  sentAtMs: null,
  ...change,
})

const poll = async () => Promise.reject(new Error('not in here'))
const provider = { poll, repeatAfterMs: 5_000 }
const receipt = { transactionHash: HASH, blockNumber: 90, blockHash: '0xb90' }
const minedIn = (status: 'success' | 'reverted') => seen({ receipts: [{ ...receipt, status }] })

type Change = Partial<Omit<Situation, 'payment'>> & { payment?: Partial<LanePayment> }

const situationOf = (
  state: LanePayment['state'],
  attempt: DelegatedAttempt,
  { payment, ...change }: Change = {},
): Situation => ({
  payment: { ...paymentIn(state), attempts: [attempt], ...payment },
  view: unmined,
  evidence: seen(),
  nowMs: 1_000,
  finalizedFloor: 0,
  isChainAhead: false,
  settings,
  provider,
  ...change,
})

const judge = (...input: Parameters<typeof situationOf>) => judgePayment(situationOf(...input))

describe("the vault's log decides, whatever the provider reports:", () => {
  test.each(reports)('%s, but paid, is confirmed', (status) => {
    const attempt = attemptWith(status)
    const evidence = seen({ isExecuted: true, logs: [{ ...log, transactionHash: '0xbundler' }] })
    expect(judge('reconciling', attempt, { evidence }).do).toBe('confirm')
    // Through reconciling, so that a member sees that it continues.
    expect(judge('submitting', attempt, { evidence })).toEqual({ do: 'lose' })
    expect(judge('blocked', attempt, { evidence })).toEqual({ do: 'reconcile' })
  })

  test.each(reports)('%s, but paid differently, is blocked', (status) => {
    const evidence = seen({ isExecuted: true, logs: [{ ...log, amount: 1n }] })
    const verdict = judge('reconciling', attemptWith(status), { evidence })
    expect(verdict).toEqual({ do: 'block', code: 'execution_mismatch' })
  })

  test('executed without a log is blocked', () => {
    const verdict = judge('broadcast', attemptWith('sent'), {
      evidence: seen({ isExecuted: true }),
    })
    expect(verdict).toEqual({ do: 'block', code: 'execution_unexplained' })
  })

  test.each([{ view: { outcome: 'disagree' } }, { evidence: { outcome: 'disagree' } }] as const)(
    'nodes that disagree decide nothing (%o)',
    (change) => {
      const verdict = judge('broadcast', attemptWith('failed'), change)
      expect(verdict).toEqual({ do: 'block', code: 'nodes_disagree' })
      const payment = { blockCode: 'nodes_disagree' } as const
      expect(judge('blocked', attemptWith('failed'), { ...change, payment })).toEqual({
        do: 'wait',
      })
      expect(judge('blocked', attemptWith('sent'), { payment })).toEqual({ do: 'reconcile' })
    },
  )
})

describe('the finality rule ends it unpaid', () => {
  test.each(ended)('when it was %s and nothing was ever sent', (status) => {
    expect(judge('reconciling', attemptWith(status))).toEqual(ENDS[status])
  })

  test.each(ended)('when it was %s and what was sent is final', (status) => {
    const attempt = attemptWith(status, { transactionHash: HASH })
    expect(judge('reconciling', attempt, { evidence: minedIn('reverted') })).toEqual(ENDS[status])
    // A bundle succeeds although our call in it reverted.
    expect(judge('reconciling', attempt, { evidence: minedIn('success') })).toEqual(ENDS[status])
  })

  test.each(ended)('not when it was %s and what was sent may still be mined', (status) => {
    expect(judge('reconciling', attemptWith(status, { transactionHash: HASH }))).toEqual({
      do: 'wait',
    })
  })

  test.each(ended)('not when it was %s after the final block', (status) => {
    for (const reportedBlock of [101, null]) {
      expect(judge('reconciling', attemptWith(status, { reportedBlock }))).toEqual({ do: 'wait' })
    }
  })

  test.each([undefined, { outcome: 'unavailable' }] as const)(
    'not without evidence',
    (evidence) => {
      expect(judge('reconciling', attemptWith('failed'), { evidence })).toEqual({ do: 'wait' })
    },
  )

  test('and lagging nodes are not asked', () => {
    const { payment, view } = situationOf('reconciling', attemptWith('failed'))
    expect(isEvidenceDue({ payment, view, finalizedFloor: 100 })).toBe(true)
    expect(isEvidenceDue({ payment, view, finalizedFloor: 101 })).toBe(false)
  })
})

describe('a payment that cannot be found needs a member', () => {
  const attempt = attemptWith('failed', { transactionHash: HASH })
  const nowMs = settings.loseAfterMs * 60
  const isGivenUp = true

  test('after a long time', () => {
    const verdict = judge('reconciling', attempt, { nowMs })
    expect(verdict).toEqual({ do: 'block', code: 'execution_not_found' })
    expect(judge('blocked', attempt, { nowMs })).toEqual({ do: 'wait' })
  })

  test('when it is final and reported complete, but not paid', () => {
    const mined = attemptWith('mined', { transactionHash: HASH })
    const evidence = minedIn('success')
    const verdict = judge('broadcast', mined, { evidence })
    expect(verdict).toEqual({ do: 'block', code: 'execution_unexplained' })
    const payment = { isGivenUp }
    expect(judge('reconciling', mined, { evidence, payment }).do).toBe('fail')
  })

  test('who can give it up, unless the provider is working on it', () => {
    const payment = { isGivenUp }
    const failed = { do: 'fail', code: 'execution_not_found' }
    expect(judge('reconciling', attempt, { payment })).toEqual(failed)
    expect(judge('reconciling', attemptWith(null), { payment })).toEqual(failed)
    for (const status of ['accepted', 'sent', 'stuck'] as const) {
      const inHand = attemptWith(status, { reportedBlock: null })
      expect(judge('reconciling', inHand, { payment })).toEqual({ do: 'wait' })
    }
    expect(judge('reconciling', attempt, { payment, evidence: executed }).do).toBe('confirm')
  })
})

describe('the provider is asked again with the same key', () => {
  const unanswered = attemptWith(null)

  test('when it has not answered for long enough', () => {
    const due = { do: 'repeat', attempt: unanswered }
    expect(judge('submitting', unanswered, { nowMs: 4_999 })).toEqual({ do: 'wait' })
    expect(judge('submitting', unanswered, { nowMs: 5_000 })).toEqual(due)
    const asked = { ...unanswered, sentAtMs: 3_000 }
    expect(judge('submitting', asked, { nowMs: 7_999 })).toEqual({ do: 'wait' })
  })

  test('not when it can be polled, has ended it, or is not configured', () => {
    const nowMs = 30_000
    const cannotPoll = { provider: { ...provider, poll: undefined }, nowMs }
    expect(judge('submitting', attemptWith('accepted'), { nowMs }).do).toBe('wait')
    expect(judge('submitting', attemptWith('accepted'), cannotPoll).do).toBe('repeat')
    const waiting = { ...cannotPoll, evidence: undefined }
    expect(judge('reconciling', attemptWith('failed'), waiting).do).toBe('wait')
    expect(judge('submitting', unanswered, { nowMs, provider: undefined }).do).toBe('wait')
  })

  test('nor for a call that nobody has approved', () => {
    const changed = { ...unanswered, isSameCall: false }
    const verdict = judge('submitting', changed, { nowMs: 5_000 })
    expect(verdict).toEqual({ do: 'block', code: 'evidence_mismatch' })
  })

  test('and after a long silence the payment is lost', () => {
    const nowMs = settings.loseAfterMs
    expect(judge('broadcast', attemptWith('sent'), { nowMs })).toEqual({ do: 'lose' })
    expect(judge('broadcast', attemptWith('sent', { reportedAtMs: 1 }), { nowMs })).toEqual({
      do: 'wait',
    })
    expect(judge('broadcast', attemptWith('mined'), { nowMs })).toEqual({ do: 'wait' })
  })
})

test('a report advances the payment only where it is not there yet', () => {
  const states = ['submitting', 'broadcast', 'reconciling', 'blocked'] as const
  const moves = Object.fromEntries(
    reports.map((status) => [status, states.map((state) => eventOf(state, status))]),
  )
  const lost = ['lose', 'lose', null, null]
  expect(moves).toEqual({
    accepted: [null, null, null, null],
    sent: ['accept', null, 'accept', null],
    mined: ['accept', null, null, null],
    stuck: lost,
    denied: lost,
    refused: lost,
    failed: lost,
    cancelled: lost,
  })
})

describe('in any situation', () => {
  const anySituation = fc
    .record({
      state: fc.constantFrom('submitting', 'broadcast', 'reconciling', 'blocked'),
      status: fc.constantFrom(null, ...reports),
      reportedBlock: fc.constantFrom(null, 99, 100, 101),
      transactionHash: fc.constantFrom(null, HASH),
      evidence: fc.constantFrom(
        undefined,
        seen(),
        executed,
        minedIn('success'),
        minedIn('reverted'),
      ),
      nowMs: fc.nat(10_000_000),
    })
    .map(({ state, status, reportedBlock, transactionHash, ...change }) => {
      const attempt = attemptWith(status, { reportedBlock, transactionHash })
      return situationOf(state as LanePayment['state'], attempt, change)
    })
  const attemptOf = ({ payment }: Situation) => payment.attempts[0] as DelegatedAttempt

  property.prop([anySituation])(
    'an end needs a final report and evidence after it',
    (situation) => {
      const verdict = judgePayment(situation)
      const { evidence } = situation
      if (verdict.do === 'confirm') expect(evidence).toBe(executed)
      if (verdict.do !== 'fail' && verdict.do !== 'deny') return
      const { status, reportedBlock, transactionHash } = attemptOf(situation)
      expect(ended).toContain(status)
      expect(reportedBlock ?? 101).toBeLessThanOrEqual(100)
      if (evidence?.outcome !== 'seen') throw new Error('ended on no evidence')
      expect([evidence.isExecuted, evidence.logs]).toEqual([false, []])
      if (transactionHash !== null) expect(evidence.receipts).toMatchObject([{ transactionHash }])
    },
  )

  property.prop([anySituation])('time alone ends nothing', (situation) => {
    const ends = ['confirm', 'fail', 'deny']
    const now = judgePayment(situation)
    const later = judgePayment({ ...situation, nowMs: situation.nowMs + 10 ** 9 })
    expect(ends.includes(later.do)).toBe(ends.includes(now.do))
  })
})
