import { describe, expect, test } from 'vitest'
import type { ChainReceipt, ChainTransaction, PreparedTransaction } from '#ports/chain.ts'
import { judge, type MinedEvidence } from './judge-transaction.ts'

const OWNER = `0x${'Aa'.repeat(20)}`
const VAULT = `0x${'Bb'.repeat(20)}`

const prepared: PreparedTransaction = {
  chainId: 31_337,
  from: OWNER,
  to: VAULT,
  data: '0xDEADbeef',
  value: '0x0',
  gas: '0x5208',
}

const receipt: ChainReceipt = {
  status: 'success',
  blockNumber: 100,
  blockHash: '0xaa',
  contractAddress: null,
  events: [],
}

const transaction: ChainTransaction = {
  hash: '0x01',
  chainId: 31_337,
  from: OWNER.toLowerCase(),
  to: VAULT.toLowerCase(),
  data: '0xdeadbeef',
  value: 0n,
  receipt,
}

const verdict = (evidence: Partial<MinedEvidence> = {}) =>
  judge(prepared, {
    transaction,
    canonicalHash: '0xaa',
    headNumber: 100,
    confirmations: 1,
    ownerIsContract: false,
    ...evidence,
  }).outcome

const other = (change: Partial<ChainTransaction>) => ({
  transaction: { ...transaction, ...change },
})
const withReceipt = (change: Partial<ChainReceipt>) => other({ receipt: { ...receipt, ...change } })

describe('a transaction that matches the prepared one', () => {
  test('is final at its depth and compares hex case-insensitively', () => {
    expect(verdict()).toBe('final')
  })

  test.each([
    [1, 100, 'final'],
    [2, 100, 'waiting'],
    [2, 101, 'final'],
    [12, 110, 'waiting'],
    [12, 111, 'final'],
    [12, 99, 'waiting'],
  ])('with %i confirmations at head %i is %s', (confirmations, headNumber, outcome) => {
    expect(verdict({ confirmations, headNumber })).toBe(outcome)
  })

  test('is waiting without a receipt', () => {
    expect(verdict(other({ receipt: null }))).toBe('waiting')
  })

  test('is unseen when its block was reorganised away', () => {
    expect(verdict({ canonicalHash: '0xbb' })).toBe('unseen')
    expect(verdict({ canonicalHash: undefined })).toBe('unseen')
    expect(verdict({ ...withReceipt({ status: 'reverted' }), canonicalHash: '0xbb' })).toBe(
      'unseen',
    )
  })

  test('is reverted only once it is final', () => {
    const reverted = withReceipt({ status: 'reverted' })
    expect(verdict({ ...reverted, confirmations: 2 })).toBe('waiting')
    expect(verdict(reverted)).toBe('reverted')
  })
})

test('a transaction that no node knows is unseen', () => {
  expect(verdict({ transaction: undefined })).toBe('unseen')
})

describe('a transaction that differs from the prepared one', () => {
  const differences: [string, Partial<ChainTransaction>][] = [
    ['chain', { chainId: 1 }],
    ['sender', { from: VAULT.toLowerCase() }],
    ['target', { to: OWNER.toLowerCase() }],
    ['target, for a deployment', { to: null }],
    ['data', { data: '0xdeadbeee' }],
    ['data, one byte longer', { data: '0xdeadbeef00' }],
    ['data, none', { data: '0x' }],
    ['value', { value: 1n }],
  ]

  test.each(differences)('by its %s is a mismatch, mined or not', (_name, change) => {
    expect(verdict(other(change))).toBe('mismatch')
    expect(verdict(other({ ...change, receipt: null }))).toBe('mismatch')
  })

  test.each(differences)(
    'in its %s is judged by the log when the owner is a contract',
    (_n, change) => {
      expect(verdict({ ...other(change), ownerIsContract: true })).toBe('final')
    },
  )

  test('has a target, which a deployment does not', () => {
    const deployment = { ...prepared, to: null }
    const evidence = {
      canonicalHash: '0xaa',
      headNumber: 100,
      confirmations: 1,
      ownerIsContract: false,
    }
    const sent = { ...transaction, to: null }
    expect(judge(deployment, { ...evidence, transaction: sent }).outcome).toBe('final')
    expect(judge(deployment, { ...evidence, transaction }).outcome).toBe('mismatch')
  })
})
