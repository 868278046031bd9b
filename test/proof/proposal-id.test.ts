import { proposalIdIn, proposalIdOf } from '@countersign/proof/proposal-id.ts'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { encodeActivation } from '#adapters/chain/vault-codec.ts'
import { policyTransaction, terms, VAULT } from '#test/support/owner-calls.ts'

test('is the hash of the arguments of the proposal and of its activation', () => {
  const id = proposalIdOf(3, terms)
  expect(proposalIdIn(policyTransaction().data as Hex)).toBe(id)
  const { data } = encodeActivation({ vaultAddress: VAULT, expectedVersion: 3, policy: terms })
  expect(proposalIdIn(data as Hex)).toBe(id)
})

test('is another for another version, term, tier or approver', () => {
  const { tiers, approverAddresses } = terms
  const others = [
    proposalIdOf(4, terms),
    proposalIdOf(3, { ...terms, paused: true }),
    proposalIdOf(3, { ...terms, periodCap: terms.periodCap + 1n }),
    proposalIdOf(3, { ...terms, tiers: tiers.map((tier) => ({ ...tier, approvals: 3 })) }),
    proposalIdOf(3, { ...terms, approverAddresses: approverAddresses.toReversed() }),
  ]
  expect(new Set([proposalIdOf(3, terms), ...others]).size).toBe(6)
})
