import { expect, test, vi } from 'vitest'
import { nextStepOf } from './next-step.ts'

vi.mock('@lingui/core/macro', () => ({ msg: (parts: readonly string[]) => ({ id: parts.join() }) }))

const blocked = (blockCode: string | null) =>
  nextStepOf({ expense: { state: 'blocked', blockCode }, payment: null })

test('what members can free themselves, they are told', () => {
  expect(blocked('insufficient_funds')).toBe('tell')
  expect(blocked('analysis_failed')).toBe('tell')
})

test('an incident is investigated, and so is a code that nobody knows', () => {
  expect(blocked('signature_not_authentic')).toBe('investigate')
  expect(blocked('execution_mismatch')).toBe('investigate')
  expect(blocked('of_a_newer_service')).toBe('investigate')
})

test('an executor can be looked at again', () => {
  expect(blocked('executor_not_ready')).toBe('executor')
})

test('a payment that is being checked is waited for, and a paid one is done', () => {
  const expense = { state: 'reconciling', blockCode: null }
  expect(nextStepOf({ expense, payment: { state: 'reconciling', blockCode: null } })).toBe('wait')
  const paid = { state: 'paid', blockCode: null }
  expect(nextStepOf({ expense: paid, payment: { state: 'confirmed', blockCode: null } })).toBe(
    'nothing',
  )
})
