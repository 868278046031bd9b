import { expect, test } from 'vitest'
import { depositStep, wayOutOf } from './deposit-steps.ts'

const start = { amount: 100n, allowance: 0n, allowed: null, deposited: null } as const

test.each([
  [start, 'allow'],
  [{ ...start, allowance: 100n }, 'deposit'],
  [{ ...start, allowed: 'waiting' as const }, 'allowing'],
  [{ ...start, allowed: 'done' as const, allowance: 100n }, 'deposit'],
  [{ ...start, allowed: 'done' as const, allowance: 99n }, 'allow'],
  [{ ...start, allowed: 'reverted' as const }, 'failed'],
  [{ ...start, allowed: 'done' as const, deposited: 'waiting' as const }, 'depositing'],
  [{ ...start, deposited: 'done' as const }, 'done'],
  [{ ...start, deposited: 'reverted' as const }, 'failed'],
])('%o: %s', (facts, step) => {
  expect(depositStep(facts)).toBe(step)
})

test.each([
  ['allow', 'another_amount'],
  ['allowing', 'another_amount'],
  ['deposit', 'another_amount'],
  ['depositing', 'look_first'],
  ['failed', 'start_again'],
  ['done', null],
] as const)('out of %s: %s', (step, way) => {
  expect(wayOutOf(step)).toBe(way)
})
