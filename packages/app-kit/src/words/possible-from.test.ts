import { expect, test } from 'vitest'
import { possibleFromOf } from './possible-from.ts'

const code = 'policy_violation'

test('reads when an exhausted period ends', () => {
  const message = 'Only 5 of the period cap of 9 remains. Possible again from 2026-11-18T00:00:00Z.'
  expect(possibleFromOf({ code, message })).toBe('2026-11-18T00:00:00Z')
  expect(possibleFromOf({ code: 'state_conflict', message })).toBeNull()
})

test('leaves every other refusal as it is', () => {
  expect(possibleFromOf({ code, message: 'The amount exceeds the period cap of 9.' })).toBeNull()
  expect(possibleFromOf({ code, message: 'Possible again from tomorrow.' })).toBeNull()
})
