import { describe, expect, test } from 'vitest'
import {
  attemptAt,
  final,
  mined,
  paymentIn,
  receipt,
  reverted,
  seen,
  settings,
  unmined,
} from '#test/simulator/situations.ts'
import { judgePayment } from './judge-payment.ts'
import type { Situation } from './judgement.ts'

const judge = (change: Partial<Situation> & Pick<Situation, 'payment' | 'view'>) =>
  judgePayment({
    evidence: undefined,
    nowMs: 1_000,
    finalizedFloor: 0,
    isChainAhead: false,
    settings,
    ...change,
  })

describe('a transaction proven by its receipt', () => {
  const deposit = { ...paymentIn('broadcast', [attemptAt(7), attemptAt(7, 1)]), expected: null }

  test('is confirmed by a successful receipt of any attempt in a final block', () => {
    const mine = receipt(attemptAt(7, 1), 'success')
    const evidence = seen({ receipts: [mine] })
    const confirmed = { do: 'confirm', receipt: mine }
    expect(judge({ payment: deposit, view: final, evidence })).toEqual(confirmed)
    expect(judge({ payment: deposit, view: mined, evidence }).do).not.toBe('confirm')
  })

  test('fails when it reverted, and is blocked when another transaction used its nonce', () => {
    const failed = { do: 'fail', code: 'transaction_reverted' }
    expect(judge({ payment: deposit, view: final, evidence: reverted })).toEqual(failed)
    const taken = { do: 'block', code: 'nonce_used_elsewhere' }
    expect(judge({ payment: deposit, view: final, evidence: seen() })).toEqual(taken)
  })

  test('is replaced like a payment while its nonce is unused', () => {
    const payment = { ...deposit, attempts: [attemptAt(7)] }
    const nowMs = settings.replaceAfterMs
    expect(judge({ payment, view: unmined, nowMs }).do).toBe('replace')
  })
})
