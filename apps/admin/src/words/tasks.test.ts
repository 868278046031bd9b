import { expect, test, vi } from 'vitest'
import { markOfTask, titleOfTask } from './tasks.ts'

vi.mock('@lingui/core/macro', () => ({ msg: (parts: readonly string[]) => ({ id: parts.join() }) }))

const payment = (state: string, code: string | null = null) =>
  titleOfTask({ aggregateType: 'payment', state, code })?.id

test('a payment says why it needs somebody', () => {
  expect(payment('blocked', 'policy_paused')).toBe('The policy is paused.')
  expect(payment('failed', 'transaction_reverted')).toContain('The chain refused')
  expect(payment('reconciling')).toContain('went through')
  expect(payment('blocked', 'of_a_newer_service')).toBe('The payment cannot continue.')
})

test('a case keeps the subject that the customer wrote', () => {
  expect(titleOfTask({ aggregateType: 'support_case', state: 'open', code: null })).toBeUndefined()
})

test('what a newer service invents has no mark, and the words of the service', () => {
  const unknown = { aggregateType: 'payment', state: 'dreaming', code: null } as const
  expect([markOfTask(unknown), titleOfTask(unknown)]).toEqual([undefined, undefined])
  expect(markOfTask({ ...unknown, state: 'toString' })).toBeUndefined()
})
