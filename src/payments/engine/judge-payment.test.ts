import { describe, expect, test } from 'vitest'
import type { Fees } from '#ports/payment-node.ts'
import {
  attemptAt,
  executed,
  expected,
  final,
  log,
  mined,
  paymentIn,
  receipt,
  reverted,
  type SeenLane,
  type SeenPayment,
  seen,
  settings,
  unmined,
} from '#test/simulator/situations.ts'
import type { SignedAttempt } from './attempt.ts'
import { judgePayment } from './judge-payment.ts'
import type { Situation } from './judgement.ts'
import type { LaneView, PaymentView } from './lane.ts'

const marketOf = (fees: Fees, ceiling = 1_000_000n): SeenLane => ({
  ...unmined,
  market: { outcome: 'known', fees, ceiling },
})

const judge = (change: Partial<Situation> & Pick<Situation, 'view'>) =>
  judgePayment({
    payment: paymentIn('broadcast'),
    evidence: undefined,
    nowMs: 1_000,
    finalizedFloor: 0,
    isChainAhead: false,
    settings,
    ...change,
  })

describe('a payment whose log is final', () => {
  test.each(['broadcast', 'reconciling'] as const)('is confirmed from %s', (state) => {
    const verdict = judge({ payment: paymentIn(state), view: final, evidence: executed })
    expect(verdict).toEqual({ do: 'confirm', log })
  })

  test('goes through reconciling when its answer was lost', () => {
    const payment = paymentIn('submitting')
    expect(judge({ payment, view: final, evidence: executed })).toEqual({ do: 'lose' })
  })

  test('is confirmed whoever sent the transaction: the log decides', () => {
    const evidence = seen({ isExecuted: true, logs: [{ ...log, transactionHash: '0xbundler' }] })
    expect(judge({ view: final, evidence }).do).toBe('confirm')
  })

  test.each(Object.keys(expected))('is blocked when the log has another %s', (field) => {
    const evidence = seen({ isExecuted: true, logs: [{ ...log, [field]: 'another' } as never] })
    const verdict = judge({ view: final, evidence })
    expect(verdict).toEqual({ do: 'block', code: 'execution_mismatch' })
  })

  test('is confirmed when the log lists the same approvers and digests', () => {
    const logs = [{ ...log, ...structuredClone(expected) }]
    expect(judge({ view: final, evidence: seen({ isExecuted: true, logs }) }).do).toBe('confirm')
  })

  test.each<[string, (list: string[]) => string[]]>([
    ['in another order', (list) => list.toReversed()],
    ['with one fewer', (list) => list.slice(1)],
    ['with one more', (list) => [...list, '0xff']],
    ['with one twice', ([first = '']) => [first, first]],
    ['without any', () => []],
  ])('is blocked when the log lists approvers or digests %s', (_how, change) => {
    for (const field of ['approvalDigests', 'approverAddresses'] as const) {
      const logs = [{ ...log, [field]: change(expected[field]) }]
      const verdict = judge({ view: final, evidence: seen({ isExecuted: true, logs }) })
      expect(verdict).toEqual({ do: 'block', code: 'execution_mismatch' })
    }
  })

  test('is blocked when one of two logs differs', () => {
    const evidence = seen({ isExecuted: true, logs: [log, { ...log, amount: 1n }] })
    expect(judge({ view: final, evidence }).do).toBe('block')
  })
})

describe('an inconclusive sign of success', () => {
  test.each<[string, SeenPayment]>([
    [
      'such as a successful receipt without a log',
      seen({ receipts: [receipt(attemptAt(7), 'success')] }),
    ],
    ['such as isExecuted without a log', seen({ isExecuted: true })],
    ['such as a log without isExecuted', seen({ logs: [log] })],
  ])('%s blocks the payment', (_name, evidence) => {
    const verdict = judge({ view: final, evidence })
    expect(verdict).toEqual({ do: 'block', code: 'execution_unexplained' })
  })
})

describe('the finality rule', () => {
  test('fails a payment whose own transaction took the nonce and reverted', () => {
    const verdict = judge({ view: final, evidence: reverted })
    expect(verdict).toEqual({ do: 'fail', code: 'transaction_reverted' })
  })

  test('blocks when a foreign transaction took the nonce', () => {
    const verdict = judge({ view: final, evidence: seen() })
    expect(verdict).toEqual({ do: 'block', code: 'nonce_used_elsewhere' })
  })

  test('fails it once a member has given it up', () => {
    const payment = { ...paymentIn('reconciling'), isGivenUp: true }
    const verdict = judge({ payment, view: final, evidence: seen() })
    expect(verdict).toEqual({ do: 'fail', code: 'nonce_used_elsewhere' })
  })

  test('ignores that when the vault has paid', () => {
    const payment = { ...paymentIn('reconciling'), isGivenUp: true }
    const verdict = judge({ payment, view: final, evidence: executed })
    expect(verdict).toEqual({ do: 'confirm', log })
  })

  test("proves nothing while the chain's nonce is ahead: attempts may be missing", () => {
    const ahead = { view: final, isChainAhead: true }
    expect(judge({ ...ahead, evidence: reverted })).toEqual({ do: 'wait' })
    expect(judge({ ...ahead, evidence: executed })).toEqual({ do: 'confirm', log })
    expect(judge({ ...ahead, evidence: seen() }).do).toBe('block')
  })

  test('needs one of several replacements for their nonce', () => {
    const payment = paymentIn('reconciling', [attemptAt(7), attemptAt(7, 1), attemptAt(7, 2)])
    const evidence = seen({ receipts: [receipt(attemptAt(7, 1), 'reverted')] })
    expect(judge({ payment, view: final, evidence }).do).toBe('fail')
  })

  test('covers the nonces of every release', () => {
    const payment = paymentIn('reconciling', [attemptAt(3), attemptAt(7)])
    const both = seen({ receipts: [3, 7].map((n) => receipt(attemptAt(n), 'reverted')) })
    expect(judge({ payment, view: final, evidence: both }).do).toBe('fail')
    expect(judge({ payment, view: final, evidence: reverted })).toEqual({
      do: 'block',
      code: 'nonce_used_elsewhere',
    })
  })
})

describe('before its nonce is taken in a final block', () => {
  test.each(['submitting', 'broadcast', 'reconciling'] as const)('%s never ends', (state) => {
    for (const evidence of [executed, reverted, seen()]) {
      for (const view of [unmined, mined]) {
        const verdict = judge({ payment: paymentIn(state), view, evidence, nowMs: 10 ** 9 })
        expect(['confirm', 'fail', 'block']).not.toContain(verdict.do)
      }
    }
  })

  test('a mined one waits, however long finality takes', () => {
    expect(judge({ view: mined, nowMs: 10 ** 9 })).toEqual({ do: 'wait' })
  })

  test('a used nonce shows that a submitting one lost its answer', () => {
    expect(judge({ payment: paymentIn('submitting'), view: mined })).toEqual({ do: 'lose' })
  })

  test('nodes below the block of an earlier decision decide nothing', () => {
    const late = { view: final, evidence: reverted, finalizedFloor: 101 }
    expect(judge(late)).toEqual({ do: 'wait' })
    expect(judge({ ...late, finalizedFloor: 100 }).do).toBe('fail')
  })
})

describe('an unmined one', () => {
  test('is resent when not sent for 5 s, or possibly never sent', () => {
    const attempt = attemptAt(7)
    expect(judge({ view: unmined, nowMs: 4_999 })).toEqual({ do: 'wait' })
    expect(judge({ view: unmined, nowMs: 5_000 })).toEqual({ do: 'resend', attempt })
    const unsent = attemptAt(7, 0, { sentAtMs: null })
    const payment = paymentIn('submitting', [unsent])
    expect(judge({ payment, view: unmined, nowMs: 0 })).toEqual({ do: 'resend', attempt: unsent })
  })

  test('is resent while only one node has seen it mined, but not replaced', () => {
    const view = { ...mined, headNonce: { common: 7, highest: 8 } }
    expect(judge({ view, nowMs: 50_000 }).do).toBe('resend')
  })

  test('is resent in its newest version', () => {
    const newest = attemptAt(7, 1)
    const payment = paymentIn('broadcast', [attemptAt(7), newest])
    expect(judge({ payment, view: unmined, nowMs: 6_000 })).toEqual({
      do: 'resend',
      attempt: newest,
    })
  })

  test.each(['submitting', 'broadcast'] as const)('is lost from %s after a minute', (state) => {
    const payment = paymentIn(state)
    expect(judge({ payment, view: unmined, nowMs: 59_999 }).do).not.toBe('lose')
    expect(judge({ payment, view: unmined, nowMs: 60_000 })).toEqual({ do: 'lose' })
    const view = { outcome: 'unavailable' as const }
    expect(judge({ payment, view, nowMs: 59_999 })).toEqual({ do: 'wait' })
    expect(judge({ payment, view, nowMs: 60_000 })).toEqual({ do: 'lose' })
  })
})

describe('a replacement', () => {
  const recent = { stateSinceMs: 20_000 }
  const at = (nowMs: number, attempts: SignedAttempt[], view: SeenLane = unmined) =>
    judge({ payment: { ...paymentIn('broadcast', attempts), ...recent }, view, nowMs })

  test('comes after 30 s, then 60 s, then 120 s, at an eighth more', () => {
    const attempts = [attemptAt(7)]
    expect(at(29_999, attempts).do).toBe('resend')
    expect(at(30_000, attempts)).toEqual({
      do: 'replace',
      replaced: attempts[0],
      fees: { maxFeePerGas: 900n, maxPriorityFeePerGas: 90n },
    })
    const second = [attemptAt(7), attemptAt(7, 1, { writtenAtMs: 10_000 })]
    expect(at(69_999, second).do).toBe('resend')
    expect(at(70_000, second).do).toBe('replace')
  })

  test('follows the market up to five times the first fee, and then none comes', () => {
    const view = marketOf({ maxFeePerGas: 100_000n, maxPriorityFeePerGas: 10_000n })
    expect(at(30_000, [attemptAt(7)], view)).toMatchObject({
      fees: { maxFeePerGas: 4_000n, maxPriorityFeePerGas: 400n },
    })
    const dear = { fees: { maxFeePerGas: 4_000n, maxPriorityFeePerGas: 400n } }
    const attempts = [attemptAt(7), attemptAt(7, 1, dear)]
    expect(at(75_000, attempts, view).do).toBe('resend')
  })

  test('never exceeds the ceiling, whatever the market fee', () => {
    const dear = { maxFeePerGas: 3_000n, maxPriorityFeePerGas: 300n }
    expect(at(30_000, [attemptAt(7)], marketOf(dear, 3_000n))).toMatchObject({ fees: dear })
    expect(at(30_000, [attemptAt(7)], marketOf(dear, 900n))).toMatchObject({
      fees: { maxFeePerGas: 900n, maxPriorityFeePerGas: 300n },
    })
    // An eighth more than the first fee would exceed it.
    expect(at(30_000, [attemptAt(7)], marketOf(dear, 899n)).do).toBe('resend')
  })

  test('is only for the lowest nonce', () => {
    const view = { ...unmined, headNonce: { common: 6, highest: 6 } }
    expect(at(30_000, [attemptAt(7)], view).do).toBe('resend')
  })

  test.each(['disagree', 'above_ceiling'] as const)('waits while fees are %s', (outcome) => {
    const view: SeenLane = { ...unmined, market: { outcome, ceiling: 1_000_000n } }
    expect(at(30_000, [attemptAt(7)], view).do).toBe('resend')
  })
})

describe('nodes that disagree', () => {
  test('block payments in flight', () => {
    const block = { do: 'block', code: 'nodes_disagree' }
    expect(judge({ view: { outcome: 'disagree' } })).toEqual(block)
    expect(judge({ view: final, evidence: { outcome: 'disagree' } })).toEqual(block)
  })

  test('and silent ones leave them unchanged', () => {
    expect(judge({ view: final, evidence: { outcome: 'unavailable' } })).toEqual({ do: 'wait' })
    expect(judge({ view: final, evidence: undefined })).toEqual({ do: 'wait' })
  })
})

describe('a blocked one', () => {
  const payment = paymentIn('blocked')

  test.each<[string, LaneView, PaymentView | undefined]>([
    ['its log is final', final, executed],
    ['it is proven unpaid', final, reverted],
    ['the nodes agree again that it is not mined', unmined, undefined],
    ['the nodes agree again that it is not final', mined, undefined],
  ])('is reconciled when %s', (_name, view, evidence) => {
    expect(judge({ payment, view, evidence, nowMs: 10 ** 9 })).toEqual({ do: 'reconcile' })
  })

  test.each<[string, LaneView, PaymentView | undefined]>([
    ['the nodes disagree', { outcome: 'disagree' }, undefined],
    ['no node answers', { outcome: 'unavailable' }, undefined],
    ['its outcome is unknown', final, { outcome: 'unavailable' }],
    ['the nodes disagree about it', final, { outcome: 'disagree' }],
    ['a foreign transaction took its nonce', final, seen()],
  ])('stays while %s', (_name, view, evidence) => {
    expect(judge({ payment, view, evidence, nowMs: 10 ** 9 })).toEqual({ do: 'wait' })
  })

  test('without an attempt waits for its log only', () => {
    const restored = paymentIn('blocked', [])
    expect(judge({ payment: restored, view: final, evidence: executed }).do).toBe('reconcile')
    expect(judge({ payment: restored, view: final, evidence: seen() }).do).toBe('wait')
    expect(judge({ payment: restored, view: unmined }).do).toBe('wait')
  })
})
