import { describe, expect, test } from 'vitest'
import type { ChainTransaction, PreparedTransaction } from '#ports/chain.ts'
import { judgeDigest, judgeTransaction } from './judge-proof.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const prepared: PreparedTransaction = {
  chainId: 31_337,
  from: address('a'),
  to: address('b'),
  data: '0x1234',
  value: '0x0',
  gas: '0x5208',
}
const receipt = {
  status: 'success' as const,
  blockNumber: 10,
  blockHash: '0xaa',
  contractAddress: null,
  events: [],
}
const sent: ChainTransaction = { ...prepared, hash: '0x01', value: 0n, receipt }

const judged = (
  transaction: ChainTransaction | undefined,
  { canonicalHash = '0xaa', headNumber = 12, confirmations = 3 } = {},
) => judgeTransaction(prepared, { transaction, canonicalHash, headNumber, confirmations })

describe('a transaction', () => {
  test('as prepared, final and successful confirms the proof', () => {
    const { decision, evidence } = judged(sent)
    expect([decision, evidence.outcome, evidence.confirmations]).toEqual(['confirm', 'final', 3])
  })

  test('is compared case-insensitively', () => {
    const data = prepared.data.toUpperCase().replace('0X', '0x')
    expect(judged({ ...sent, data, from: address('A') }).decision).toBe('confirm')
  })

  test.each([
    ['chain', { chainId: 1 }],
    ['sender', { from: address('c') }],
    ['target', { to: address('c') }],
    ['target', { to: null }],
    ['data', { data: '0x123456' }],
    ['value', { value: 1n }],
  ])('with a different %s fails, mined or not', (name, change) => {
    for (const of of [sent, { ...sent, receipt: null }]) {
      const { decision, errorCode, evidence } = judged({ ...of, ...change })
      expect([decision, errorCode]).toEqual(['fail', 'transaction_mismatch'])
      expect(evidence.differences).toEqual([name])
    }
  })

  test('that reverted fails once it is final', () => {
    const reverted = { ...sent, receipt: { ...receipt, status: 'reverted' as const } }
    expect(judged(reverted, { headNumber: 11 }).decision).toBe('wait')
    const { decision, errorCode } = judged(reverted)
    expect([decision, errorCode]).toEqual(['fail', 'transaction_reverted'])
  })

  test.each([
    ['that no node knows', undefined, {}, 'unseen'],
    ['that is not mined', { ...sent, receipt: null }, {}, 'waiting'],
    ['one block short of final', sent, { headNumber: 11 }, 'waiting'],
    ['whose block was replaced', sent, { canonicalHash: '0xbb' }, 'unseen'],
  ])('%s waits', (_what, transaction, at, outcome) => {
    const { decision, evidence } = judged(transaction, at)
    expect([decision, evidence.outcome]).toEqual(['wait', outcome])
  })
})

test('an approval is confirmed by its digest and failed by any other', () => {
  expect(judgeDigest('0x01', '0x01')).toMatchObject({ decision: 'confirm' })
  expect(judgeDigest('0x01', '0x02')).toMatchObject({
    decision: 'fail',
    errorCode: 'digest_mismatch',
  })
})
