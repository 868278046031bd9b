/** Verdicts for generated situations, likely or not. */
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import {
  attemptAt,
  executed,
  log,
  paymentIn,
  receipt,
  settings,
  unmined,
} from '#test/simulator/situations.ts'
import { judgePayment } from './judge-payment.ts'
import type { Situation } from './judgement.ts'
import type { LanePayment } from './lane.ts'

const nonce = fc.nat(2)
const anyAttempts = fc
  .array(fc.tuple(nonce, fc.nat(2)), { minLength: 1, maxLength: 5 })
  .map((places) => places.map(([at, rank]) => attemptAt(at, rank)))
const anyState = fc.constantFrom('submitting', 'broadcast', 'reconciling', 'blocked')
const anyUnsure = fc.constantFrom({ outcome: 'unavailable' }, { outcome: 'disagree' })
const anyView = fc.record({
  outcome: fc.constant('seen'),
  finalizedNumber: fc.integer({ min: 95, max: 105 }),
  finalizedNonce: fc.nat(4),
  headNonce: fc.record({ common: fc.nat(5), highest: fc.nat(5) }),
  market: fc.constant(unmined.market),
  gasBalance: fc.constant(10n ** 18n),
})
const anyLog = fc.constantFrom(log, { ...log, amount: 1n }, { ...log, recipientAddress: '0xx' })
const anyEvidence = fc.record({
  outcome: fc.constant('seen'),
  isExecuted: fc.boolean(),
  logs: fc.array(anyLog, { maxLength: 2 }),
  receipts: fc.array(
    fc
      .tuple(nonce, fc.nat(2), fc.constantFrom('success', 'reverted', 'reverted'))
      .map(([at, rank, status]) => receipt(attemptAt(at, rank), status as 'reverted')),
    { maxLength: 8 },
  ),
})
const places = [0, 1, 2].flatMap((at) => [0, 1, 2].map((rank) => attemptAt(at, rank)))
/** Most attempts reverted: chance alone would rarely prove a failure. */
const mostlyReverted = fc.record({
  outcome: fc.constant('seen'),
  isExecuted: fc.constant(false),
  logs: fc.constant([]),
  receipts: fc
    .subarray(places, { minLength: 3 })
    .map((attempts) => attempts.map((attempt) => receipt(attempt, 'reverted'))),
})
const anySituation = fc.record({
  payment: fc
    .tuple(anyState, anyAttempts)
    .map(([state, attempts]) => paymentIn(state as LanePayment['state'], attempts)),
  view: fc.oneof({ weight: 8, arbitrary: anyView }, { weight: 1, arbitrary: anyUnsure }),
  evidence: fc.oneof(
    { weight: 5, arbitrary: anyEvidence },
    { weight: 5, arbitrary: mostlyReverted },
    { weight: 2, arbitrary: fc.constant(executed) },
    { weight: 1, arbitrary: anyUnsure },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
  nowMs: fc.nat(300_000),
  finalizedFloor: fc.integer({ min: 95, max: 105 }),
  isChainAhead: fc.boolean(),
  settings: fc.constant(settings),
}) as fc.Arbitrary<Situation>

const signedOf = ({ attempts }: LanePayment) => attempts.filter((a) => a.kind === 'signed')
const isPassed = ({ payment, view }: Situation): boolean =>
  view.outcome === 'seen' && signedOf(payment).every((a) => a.nonce < view.finalizedNonce)
const runs = { numRuns: 2_000 }

describe('in any situation', () => {
  test('every verdict occurs', () => {
    const verdicts = fc
      .sample(anySituation, { numRuns: 4_000, seed: 1 })
      .map((any) => judgePayment(any).do)
    const counts = Map.groupBy(verdicts, (verdict) => verdict)
    const all = ['wait', 'lose', 'resend', 'replace', 'confirm', 'fail', 'block', 'reconcile']
    const rare = all.filter((verdict) => (counts.get(verdict as 'wait')?.length ?? 0) < 20)
    expect(rare).toEqual([])
  })

  property.prop([anySituation], runs)('an end needs every nonce passed and no lag', (situation) => {
    const { do: verdict } = judgePayment(situation)
    if (verdict !== 'confirm' && verdict !== 'fail') return
    const { view, finalizedFloor } = situation
    expect(isPassed(situation)).toBe(true)
    expect(view.outcome === 'seen' && view.finalizedNumber).toBeGreaterThanOrEqual(finalizedFloor)
  })

  property.prop([anySituation], runs)('confirmed needs logs, all of them equal', (situation) => {
    const verdict = judgePayment(situation)
    if (verdict.do !== 'confirm') return
    const logs = situation.evidence?.outcome === 'seen' ? situation.evidence.logs : []
    expect(logs.length).toBeGreaterThan(0)
    for (const found of logs) expect(found).toEqual(log)
  })

  property.prop([anySituation], runs)('failed needs our revert at every nonce', (situation) => {
    const verdict = judgePayment(situation)
    if (verdict.do !== 'fail') return
    expect(situation.isChainAhead).toBe(false)
    const { payment, evidence } = situation
    if (evidence?.outcome !== 'seen') throw new Error('failed on no evidence')
    const { isExecuted, logs, receipts } = evidence
    expect([isExecuted, logs]).toEqual([false, []])
    expect(receipts.filter(({ status }) => status === 'success')).toEqual([])
    const hashes = receipts.map(({ transactionHash }) => transactionHash)
    const attempts = signedOf(payment)
    const proven = attempts.filter((a) => hashes.includes(a.transactionHash))
    const provenNonces = new Set(proven.map((attempt) => attempt.nonce))
    expect(attempts.filter((attempt) => !provenNonces.has(attempt.nonce))).toEqual([])
  })

  property.prop([anySituation], runs)('time alone ends nothing', (situation) => {
    const ends = ['confirm', 'fail', 'block']
    const now = judgePayment(situation)
    const later = judgePayment({ ...situation, nowMs: situation.nowMs + 10 ** 9 })
    expect(ends.includes(later.do)).toBe(ends.includes(now.do))
    if (ends.includes(now.do)) expect(later).toEqual(now)
  })

  property.prop([anySituation], runs)('lagging nodes change no end', (situation) => {
    const finalizedFloor = 1_000
    const { do: verdict } = judgePayment({ ...situation, finalizedFloor })
    expect(['confirm', 'fail']).not.toContain(verdict)
  })

  property.prop([anySituation], runs)('only the newest nonce is sent or replaced', (situation) => {
    const verdict = judgePayment(situation)
    if (verdict.do !== 'resend' && verdict.do !== 'replace') return
    const attempt = verdict.do === 'resend' ? verdict.attempt : verdict.replaced
    expect(attempt).toBe(situation.payment.attempts.at(-1))
    if (verdict.do !== 'replace') return
    const first = signedOf(situation.payment).find((a) => a.nonce === attempt.nonce) ?? attempt
    const { maxFeePerGas } = verdict.fees
    expect(maxFeePerGas * 8n).toBeGreaterThanOrEqual(attempt.fees.maxFeePerGas * 9n)
    expect(maxFeePerGas).toBeLessThanOrEqual(first.fees.maxFeePerGas * 5n)
  })
})
