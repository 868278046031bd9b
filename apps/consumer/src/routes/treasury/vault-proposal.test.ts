import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { encodeAbiParameters, getAbiItem, getAddress, keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { chainTermsOf } from './requested-calls.ts'
import { isAsProposed, stageOf } from './vault-proposal.ts'

const address = (byte: string) => getAddress(`0x${byte.repeat(20)}`)
const policy = {
  approvedCap: '5000000000',
  automaticCap: '0',
  lifetimeCap: '300000000000',
  reserveFloor: '1000000',
  periodSeconds: 86_400,
  periodCap: '7000000000',
  automaticPeriodCap: '0',
  tiers: [{ above: '1000000000', approvals: 2 }],
  expiresAt: '2027-03-01T00:00:00.000Z',
  automaticEnabled: false,
  paused: false,
  executorAddress: address('aa'),
  approverAddresses: [address('22'), address('11')],
}
const { inputs } = getAbiItem({ abi: vaultAbi, name: 'configurePolicy' })
const id = keccak256(encodeAbiParameters(inputs, [7n, chainTermsOf(policy)]))
const proposal = { id, expectedVersion: 7, policy }

describe('a policy that waits', () => {
  test('is the one whose hash the vault keeps', () => {
    expect(isAsProposed(proposal)).toBe(true)
    expect(isAsProposed({ ...proposal, id: `0x${id.slice(2).toUpperCase()}` })).toBe(true)
  })
  test.each([
    ['another cap', { ...proposal, policy: { ...policy, approvedCap: '5000000001' } }],
    ['no tiers', { ...proposal, policy: { ...policy, tiers: [] } }],
    ['another executor', { ...proposal, policy: { ...policy, executorAddress: address('bb') } }],
    ['another version', { ...proposal, expectedVersion: 8 }],
  ])('is not described rightly with %s', (_what, described) => {
    expect(isAsProposed(described)).toBe(false)
  })
})

test.each([
  ['2026-11-18T11:59:59Z', 'waiting'],
  ['2026-11-18T12:00:00Z', 'due'],
  ['2026-11-25T11:59:59Z', 'due'],
  ['2026-11-25T12:00:00Z', 'void'],
])('at %s it is %s', (now, stage) => {
  const times = { activatesAt: '2026-11-18T12:00:00Z', expiresAt: '2026-11-25T12:00:00Z' }
  expect(stageOf(times, new Date(now))).toBe(stage)
})
