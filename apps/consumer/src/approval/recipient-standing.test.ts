import { expect, test } from 'vitest'
import { recipientStanding } from './recipient-standing.ts'

const [listed, later, blocked, approver, executor, stranger] = ['1', '2', '3', '4', '5', '6'].map(
  (digit) => `0xA${digit.repeat(39)}`,
) as [string, string, string, string, string, string]
const from = '2026-11-18T00:00:00.000Z'

const vault = {
  policy: {
    executorAddress: executor,
    approverAddresses: [approver],
    recipientAddresses: [listed, later, blocked],
  },
  pendingRecipients: [{ address: later, allowedFrom: from }],
  blockedRecipientAddresses: [blocked],
} as unknown as Parameters<typeof recipientStanding>[0]

test.each([
  [listed, { kind: 'payable' }],
  [later, { kind: 'later', from }],
  [blocked, { kind: 'blocked' }],
  [approver, { kind: 'has_role' }],
  [executor, { kind: 'has_role' }],
  [stranger, { kind: 'unlisted' }],
])('%s, in any case of letters: %o', (address, standing) => {
  expect(recipientStanding(vault, address.toLowerCase())).toEqual(standing)
})

test('nothing is said of a vault without a policy', () => {
  expect(recipientStanding({ ...vault, policy: null }, listed)).toBeNull()
})
