import { expect, test } from 'vitest'
import { standingsOf } from './recipient-standings.ts'

const address = (byte: string): `0x${string}` => `0x${byte.repeat(20)}`
const [paid, waits, blocked, both] = ['11', '22', '33', '44'].map(address) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
]
const allowedFrom = '2026-11-18T00:00:00Z'
const policy = { recipientAddresses: [paid, waits, blocked, both] } as never

test('of the listed addresses, those that wait or are blocked are not paid', () => {
  const found = standingsOf({
    policy,
    pendingRecipients: [waits, both].map((one) => ({ address: one, allowedFrom })),
    blockedRecipientAddresses: [blocked, both],
  })
  expect(found).toEqual({
    payable: [paid],
    pending: [{ address: waits, allowedFrom }],
    blocked: [blocked, both],
  })
})

test('an address can be blocked without being listed', () => {
  const found = standingsOf({
    policy: null,
    pendingRecipients: [],
    blockedRecipientAddresses: [blocked],
  })
  expect(found).toEqual({ payable: [], pending: [], blocked: [blocked] })
})
