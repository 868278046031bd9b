import { expect, test } from 'vitest'
import { type Control, type FundingAction, fixOf, isAlarm, outcomeOf } from './funding-state.ts'

const role = {
  id: 'r',
  walletId: 'w',
  address: '0x11',
  role: 'treasury_owner',
  active: true,
} as const

test('a signer is attached once a server wallet has the role', () => {
  expect(fixOf('control_missing', { walletRoles: [] })).toBe('wallet')
  expect(fixOf('control_missing', { walletRoles: [{ ...role, active: false }] })).toBe('wallet')
  expect(fixOf('control_missing', { walletRoles: [role] })).toBe('attach')
})

test.each([
  ['no_vault', 'deploy'],
  ['wallet_unfunded', 'fund'],
  ['provider_unavailable', 'wait'],
  ['signer_not_configured', 'none'],
] as const)('%s is mended by %s', (blocker, fix) => {
  expect(fixOf(blocker, { walletRoles: [role] })).toBe(fix)
})

test('a test that was not denied is an alarm', () => {
  expect(isAlarm({ failureCode: 'probe_not_denied' } as Control)).toBe(true)
  expect(isAlarm(null)).toBe(false)
})

const action = (part: Partial<FundingAction>) =>
  outcomeOf({ action: 'deposit', reconciliationState: 'pending', ...part } as FundingAction)

test('outcomes of deposits and tests', () => {
  expect(action({ state: 'requested' })).toBe('working')
  expect(action({ state: 'broadcast', reconciliationState: 'required' })).toBe('unknown')
  expect(action({ state: 'confirmed' })).toBe('good')
  expect(action({ state: 'denied' })).toBe('bad')
  expect(action({ action: 'withdraw_probe', state: 'denied' })).toBe('good')
  expect(action({ action: 'withdraw_probe', state: 'failed' })).toBe('bad')
})
