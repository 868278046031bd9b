import { checkOwnerTransaction } from '@countersign/client/owner-transactions.ts'
import { type Address, getAddress, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { type OwnCall, ownCall, placeOf } from './vault-calls.ts'

const address = (byte: string): Address => getAddress(`0x${byte.repeat(20)}`)
const hash = (byte: string): Hex => `0x${byte.repeat(32)}`
const vault = { chainId: 31_337, address: address('33'), tokenAddress: address('44') }
const policy = {
  executor: address('aa'),
  expiresAt: 1_900_000_000n,
  automaticEnabled: false,
  paused: false,
  approvedCap: 5_000n,
  automaticCap: 0n,
  lifetimeCap: 9_000n,
  reserveFloor: 1n,
  periodSeconds: 86_400,
  periodCap: 700n,
  automaticPeriodCap: 0n,
  tiers: [{ above: 100n, approvals: 2 }],
  approvers: [address('11'), address('22')],
}

/** Each with another call of the same function, which must not pass for it. */
const CALLS: [OwnCall, OwnCall][] = [
  [
    { name: 'withdraw', amount: 5n },
    { name: 'withdraw', amount: 6n },
  ],
  [
    { name: 'rescue', token: address('55'), amount: 5n },
    { name: 'rescue', token: address('56'), amount: 5n },
  ],
  [
    { name: 'unpause', pauseNumber: 3n },
    { name: 'unpause', pauseNumber: 4n },
  ],
  [
    { name: 'veto', proposalId: hash('ab') },
    { name: 'veto', proposalId: hash('ac') },
  ],
  [
    { name: 'activatePolicy', expectedVersion: 7n, policy },
    { name: 'activatePolicy', expectedVersion: 7n, policy: { ...policy, tiers: [] } },
  ],
  [
    { name: 'blockRecipient', recipient: address('66') },
    { name: 'unblockRecipient', recipient: address('66') },
  ],
  [
    { name: 'unblockRecipient', recipient: address('66') },
    { name: 'unblockRecipient', recipient: address('67') },
  ],
  [
    { name: 'revokeApprover', approver: address('11') },
    { name: 'revokeApprover', approver: address('22') },
  ],
  [
    { name: 'invalidateApproval', digest: hash('ab') },
    { name: 'invalidateApproval', digest: hash('ac') },
  ],
  [{ name: 'emergencyPause' }, { name: 'unpause', pauseNumber: 1n }],
  [
    { name: 'approve', spender: vault.address, amount: 5n },
    { name: 'approve', spender: address('66'), amount: 5n },
  ],
]

describe.each(CALLS)('a call that the page makes up: $name', (call, other) => {
  const { transaction, requested } = ownCall(call, placeOf(vault))

  test('is decoded as what was asked for', () => {
    expect(checkOwnerTransaction({ ...transaction, value: '0x0' }, requested)).toMatchObject({
      ok: true,
      decoded: { call },
    })
  })

  test('goes to the vault, or to the token that is allowed', () => {
    const to = call.name === 'approve' ? vault.tokenAddress : vault.address
    expect(transaction.to).toBe(to)
  })

  test('is not taken for another', () => {
    const swapped = ownCall(other, placeOf(vault)).transaction
    expect(checkOwnerTransaction({ ...swapped, value: '0x0' }, requested).ok).toBe(false)
  })
})
