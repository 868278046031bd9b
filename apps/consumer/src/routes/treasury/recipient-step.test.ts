import { expect, test } from 'vitest'
import { RECIPIENT_CHANGES_MAX, recipientsAfter } from './recipient-step.ts'

const address = (number: number): `0x${string}` => `0x${number.toString(16).padStart(40, '0')}`
const many = Array.from({ length: RECIPIENT_CHANGES_MAX + 20 }, (_, index) => address(index + 1))

test('a change that fits is made whole, whatever the service states', () => {
  const wanted = [address(1), address(2)]
  expect(recipientsAfter([address(1)], wanted, { added: [], removed: [] })).toEqual(wanted)
})

test('of a change that does not fit, the service chooses what comes first', () => {
  const first = many.slice(20)
  expect(recipientsAfter([], many, { added: first, removed: [] })).toEqual(first)
})

test('removed addresses are gone after the first transaction, in any letter case', () => {
  const added = many.slice(0, RECIPIENT_CHANGES_MAX - 1)
  const old = `0x${'Ab'.repeat(20)}` as const
  const removed = [old.toLowerCase() as `0x${string}`]
  expect(recipientsAfter([old], many, { added, removed })).toEqual(added)
})

test.each([
  ['an address that nobody asked for', [...many.slice(21), address(9_999)]],
  ['fewer changes than fit', many.slice(30)],
])('%s is not accepted as a first step', (_what, added) => {
  expect(recipientsAfter([], many, { added, removed: [] })).toEqual(many)
})
