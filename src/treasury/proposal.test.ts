import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { proposalIdOf } from '@countersign/proof/proposal-id.ts'
import { describe, expect, test } from 'vitest'
import { fromStoredPolicy, isEncodable, termsOf, toStoredPolicy } from './proposal.ts'

const policy: ChainPolicy = {
  executorAddress: `0x${'e1'.repeat(20)}`,
  approverAddresses: [`0x${'a1'.repeat(20)}`, `0x${'a2'.repeat(20)}`],
  approvedCap: 2n ** 127n,
  automaticCap: 2n,
  lifetimeCap: 2n ** 128n - 1n,
  reserveFloor: 0n,
  periodSeconds: 86_400,
  periodCap: 7n,
  automaticPeriodCap: 5n,
  tiers: [{ above: 2n ** 100n, approvals: 2 }],
  expiresAtSeconds: 4_000_000_000,
  automaticEnabled: true,
  paused: false,
}

describe('a proposed policy', () => {
  test('survives its way through the database', () => {
    const stored = JSON.parse(JSON.stringify(toStoredPolicy(policy)))
    expect(fromStoredPolicy(stored)).toEqual(policy)
  })

  test('is shown with an expiry that a timestamp can hold', () => {
    expect(termsOf({ ...policy, expiresAtSeconds: 2 ** 60 }).expiresAt).toBe(
      '9999-12-31T23:59:59.000Z',
    )
  })
})

describe('encoding it again', () => {
  const proposed = { proposalId: proposalIdOf(3, policy), expectedVersion: 3, policy }

  test('is possible as it was proposed', () => {
    expect(isEncodable(proposed)).toBe(true)
  })

  test.each<[string, Partial<typeof proposed>]>([
    ['another policy', { policy: { ...policy, paused: true } }],
    ['other approvers', { policy: { ...policy, approverAddresses: [] } }],
    ['another version', { expectedVersion: 4 }],
    ['another id', { proposalId: `0x${'00'.repeat(32)}` }],
    ['an expiry that was rounded', { policy: { ...policy, expiresAtSeconds: 2 ** 60 } }],
  ])('is refused for %s', (_name, changed) => {
    expect(isEncodable({ ...proposed, ...changed })).toBe(false)
  })
})
