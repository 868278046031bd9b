import { expect, test } from 'vitest'
import {
  currentOf,
  isOldNews,
  isOpen,
  isOvertaken,
  isTransactionHash,
  nextOf,
  stepsOf,
} from './intent-steps.ts'

const intent = (
  state: Parameters<typeof stepsOf>[0]['state'],
  failureCode: string | null = null,
) => ({
  state,
  failureCode,
  transactionHash: null,
})

test.each([
  ['prepared', ['past', 'now', 'next']],
  ['submitted', ['past', 'past', 'now']],
  ['reconciling', ['past', 'past', 'now']],
  ['confirmed', ['past', 'past', 'past']],
  ['rejected', ['past', 'past', 'failed']],
  ['failed', ['past', 'past', 'failed']],
] as const)('%s is shown as %o', (state, steps) => {
  expect(Object.values(stepsOf(intent(state)))).toEqual(steps)
})

test.each([
  [intent('prepared'), null, 'sign'],
  [intent('prepared'), '0xab', 'resume'],
  [intent('submitted'), null, 'wait'],
  [{ ...intent('submitted'), activatesAt: '2026-11-18T00:00:00Z' }, null, 'proposed'],
  [intent('reconciling'), null, 'lost'],
  [intent('confirmed'), null, 'done'],
  [intent('rejected', 'transaction_mismatch'), null, 'prepare_again'],
  [intent('failed', 'superseded'), null, 'prepare_again'],
  [intent('failed', 'transaction_not_found'), null, 'another_hash'],
] as const)('%o with %s: %s', (given, kept, next) => {
  expect(nextOf(given, kept)).toBe(next)
})

test('what is under way stays in sight', () => {
  expect(isOpen(intent('submitted'))).toBe(true)
  expect(isOpen(intent('failed', 'transaction_not_found'))).toBe(true)
  expect(isOpen(intent('failed', 'superseded'))).toBe(false)
  // A policy that waits for days must not keep its owner from preparing another.
  expect(isOpen({ ...intent('submitted'), activatesAt: '2026-11-18T00:00:00Z' })).toBe(false)
})

test('a lost one makes room once it was put aside, whatever was put aside before', () => {
  const one = (id: string, of: ReturnType<typeof intent>) => ({ ...of, id })
  const lost = one('lost', intent('failed', 'transaction_not_found'))
  const earlier = { ...lost, id: 'earlier' }
  const rows = [lost, earlier]
  expect(currentOf(rows, { keptId: undefined, dismissed: [] })).toBe(lost)
  expect(currentOf(rows, { keptId: undefined, dismissed: ['lost'] })).toBe(earlier)
  expect(currentOf(rows, { keptId: undefined, dismissed: ['earlier', 'lost'] })).toBeUndefined()
  const alive = one('lost', intent('submitted'))
  expect(currentOf([alive], { keptId: undefined, dismissed: ['lost'] })).toBe(alive)
})

test('what this browser works on comes first', () => {
  const rows = [
    { ...intent('submitted'), id: 'open' },
    { ...intent('prepared'), id: 'own' },
  ]
  expect(currentOf(rows, { keptId: 'own', dismissed: [] })?.id).toBe('own')
  expect(currentOf(rows, { keptId: undefined, dismissed: [] })?.id).toBe('open')
})

test('a hash has thirty-two bytes', () => {
  expect(isTransactionHash(`0x${'aB'.repeat(32)}`)).toBe(true)
  expect(isTransactionHash(`0x${'ab'.repeat(31)}`)).toBe(false)
})

test('a success is shown for some minutes', () => {
  const at = { ...intent('confirmed'), updatedAt: '2026-11-16T12:00:00Z' }
  expect(isOldNews(at, new Date('2026-11-16T12:05:00Z'))).toBe(false)
  expect(isOldNews(at, new Date('2026-11-16T12:11:00Z'))).toBe(true)
  const waits = { ...at, state: 'submitted' as const, activatesAt: '2026-11-18T00:00:00Z' }
  expect(isOldNews(waits, new Date('2026-11-16T12:11:00Z'))).toBe(true)
  expect(isOldNews({ ...at, state: 'failed' }, new Date('2026-11-16T12:11:00Z'))).toBe(false)
})

test('a policy that was prepared before the one in force cannot be sent any more', () => {
  const at = (state: 'prepared' | 'confirmed', minute: number) => {
    const time = `2026-11-16T12:0${minute}:00Z`
    return { state, createdAt: time, updatedAt: time }
  }
  const all = [at('prepared', 3), at('confirmed', 2), at('prepared', 1)]
  expect(all.map((one) => isOvertaken(one, all))).toEqual([false, false, true])
})
