import { expect, test, vi } from 'vitest'
import { canLookAgain, canRelease } from './what-can-be-done.ts'

vi.mock('@lingui/core/macro', () => ({ msg: (parts: readonly string[]) => ({ id: parts.join() }) }))

const payment = (
  state: Parameters<typeof canRelease>[0]['state'],
  blockCode: string | null = null,
  signedApprovals = 1,
) => ({ state, blockCode, requiredApprovals: 1, signedApprovals })

test.each([
  [payment('blocked', 'insufficient_funds'), true],
  [payment('blocked', 'execution_not_found'), true],
  [payment('blocked', 'approval_expired'), false],
  [payment('blocked', 'evidence_mismatch'), false],
  [payment('blocked', 'nodes_disagree'), false],
  [payment('blocked', 'a_code_of_tomorrow'), false],
  [payment('failed', 'transaction_reverted'), true],
  [payment('failed', 'evidence_mismatch'), false],
  [payment('failed'), true],
  [payment('queued'), false],
  [payment('confirmed'), false],
])('a payment that stopped is released where that helps: %o, %s', (given, is) => {
  expect(canRelease(given, 'automatic')).toBe(is)
})

test('a payment that waits is released by hand where releases are manual, once it is signed', () => {
  expect(canRelease(payment('reserved'), 'manual')).toBe(true)
  expect(canRelease(payment('reserved'), 'automatic')).toBe(false)
  expect(canRelease(payment('reserved', null, 0), 'manual')).toBe(false)
})

test('only what may have been sent is looked for again', () => {
  const sent = [{ state: 'sent' as const }]
  expect(canLookAgain({ payment: { state: 'broadcast' }, attempts: sent })).toBe(true)
  expect(canLookAgain({ payment: { state: 'blocked' }, attempts: sent })).toBe(true)
  expect(canLookAgain({ payment: { state: 'blocked' }, attempts: [] })).toBe(false)
  expect(canLookAgain({ payment: { state: 'confirmed' }, attempts: sent })).toBe(false)
})
