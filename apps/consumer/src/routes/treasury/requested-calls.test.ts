import { checkOwnerTransaction } from '@countersign/client/owner-transactions.ts'
import { vaultAbi, vaultCreationCode } from '@countersign/proof/vault-artifact.ts'
import { type Address, concatHex, encodeAbiParameters, encodeFunctionData, getAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { differenceOf } from './policy-difference.ts'
import type { Policy } from './policy-terms.ts'
import { requestedDeployment, requestedPolicy } from './requested-calls.ts'

const address = (byte: string): Address => getAddress(`0x${byte.repeat(20)}`)
const VAULT = address('33')
const policy: Policy = {
  approvedCap: '5000000000',
  automaticCap: '0',
  lifetimeCap: '300000000000',
  reserveFloor: '1000000',
  expiresAt: '2027-03-01T00:00:00.900Z',
  automaticEnabled: false,
  paused: false,
  periodSeconds: 86_400,
  periodCap: '7000000000',
  automaticPeriodCap: '0',
  tiers: [],
  executorAddress: address('aa'),
  approverAddresses: [address('11')],
  recipientAddresses: [address('22')],
}
const place = {
  chainId: 31_337,
  vaultAddress: VAULT.toLowerCase(),
  expectedVersion: 7,
  expectedRecipientsVersion: 4,
}
const inForce: Policy = { ...policy, approvedCap: '1000000000' }
const requested = requestedPolicy(policy, differenceOf(inForce, policy), place)

type Terms = Extract<typeof requested, { name: 'configurePolicy' }>['policy']

const prepared = (change: Partial<Terms> = {}, version = 7n, to: Address = VAULT) => {
  if (requested.name !== 'configurePolicy') throw new Error('another call')
  const args = [version, { ...requested.policy, ...change }] as const
  const data = encodeFunctionData({ abi: vaultAbi, functionName: 'configurePolicy', args })
  return { chainId: 31_337, to, data, value: '0x0' }
}

test('a first policy adds only the recipients that the vault does not list yet', () => {
  const [listed, extra, fresh] = [address('22'), address('44'), address('55')]
  const first = { ...policy, recipientAddresses: [listed, fresh] }
  const difference = differenceOf(null, first, [listed, extra])
  expect(requestedPolicy(first, difference, { ...place, expectedVersion: 0 })).toMatchObject({
    name: 'configurePolicyAndRecipients',
    expectedVersion: 0n,
    expectedRecipientsVersion: 4n,
    add: [fresh],
    remove: [extra],
  })
  const same = differenceOf(null, { ...policy, recipientAddresses: [listed] }, [listed])
  expect(requestedPolicy(policy, same, place).name).toBe('configurePolicy')
})

describe('a prepared policy', () => {
  test('is accepted as it was edited', () => {
    expect(checkOwnerTransaction(prepared(), requested).ok).toBe(true)
  })
  test.each([
    ['a longer period', prepared({ periodSeconds: 604_800 })],
    ['a higher cap of a period', prepared({ periodCap: 7_000_000_001n })],
    ['a higher automatic cap of a period', prepared({ automaticPeriodCap: 1n })],
    ['another tier', prepared({ tiers: [{ above: 4_000_000_000n, approvals: 2 }] })],
    ['another approver', prepared({ approvers: [address('66')] })],
    ['another executor', prepared({ executor: address('66') })],
    ['a higher cap', prepared({ approvedCap: 5_000_000_001n })],
    ['automatic payments', prepared({ automaticEnabled: true })],
    ['no reserve', prepared({ reserveFloor: 0n })],
    ['a later end', prepared({ expiresAt: 9_999_999_999n })],
    ['another version', prepared({}, 8n)],
    ['another vault', prepared({}, 7n, address('66'))],
    ['another chain', { ...prepared(), chainId: 1 }],
    ['money with it', { ...prepared(), value: '0x1' }],
    ['another statement', { transaction: prepared(), approvedCap: '1' }],
  ])('is refused with %s', (_what, transaction) => {
    expect(checkOwnerTransaction(transaction, requested).ok).toBe(false)
  })
})

describe('recipients', () => {
  const after = { ...inForce, recipientAddresses: [address('44')] }
  const listed = requestedPolicy(after, differenceOf(inForce, after), place)
  const change = (add: Address[], remove: Address[], version = 4n) => ({
    chainId: 31_337,
    to: VAULT,
    value: '0x0',
    data: encodeFunctionData({
      abi: vaultAbi,
      functionName: 'changeRecipients',
      args: [version, add, remove],
    }),
  })

  test('that change alone leave the policy and its version alone', () => {
    expect(listed.name).toBe('changeRecipients')
    const exact = change([address('44')], [address('22')])
    expect(checkOwnerTransaction(exact, listed).ok).toBe(true)
  })
  test.each([
    ['one more', change([address('44'), address('66')], [address('22')])],
    ['one that stays', change([address('44')], [])],
    ['another version of the list', change([address('44')], [address('22')], 5n)],
    ['a whole policy instead', prepared()],
  ])('are refused with %s', (_what, transaction) => {
    expect(checkOwnerTransaction(transaction, listed).ok).toBe(false)
  })
  test('that change with the policy make one call of both', () => {
    const both = { ...policy, recipientAddresses: [address('44')] }
    expect(requestedPolicy(both, differenceOf(inForce, both), place)).toMatchObject({
      name: 'configurePolicyAndRecipients',
      expectedVersion: 7n,
      expectedRecipientsVersion: 4n,
      add: [address('44')],
      remove: [address('22')],
    })
  })
})

describe('a prepared deployment', () => {
  const hash = `0x${'ab'.repeat(32)}` as const
  const asked = requestedDeployment({
    chainId: 31_337,
    ownerAddress: address('11'),
    tokenAddress: address('22'),
    organizationHash: hash,
    changeDelaySeconds: 3_600,
  })
  const deployment = (owner: Address, code = vaultCreationCode, delay = 3_600) => ({
    chainId: 31_337,
    to: null,
    value: '0x0',
    data: concatHex([
      code,
      encodeAbiParameters(
        [{ type: 'address' }, { type: 'address' }, { type: 'bytes32' }, { type: 'uint32' }],
        [owner, address('22'), hash, delay],
      ),
    ]),
  })
  test('is accepted for the own wallet', () => {
    expect(checkOwnerTransaction(deployment(address('11')), asked).ok).toBe(true)
  })
  test('is refused with another delay of changes', () => {
    const hasty = deployment(address('11'), vaultCreationCode, 0)
    expect(checkOwnerTransaction(hasty, asked).ok).toBe(false)
  })
  test('is refused for another owner or other code', () => {
    expect(checkOwnerTransaction(deployment(address('66')), asked).ok).toBe(false)
    expect(checkOwnerTransaction(deployment(address('11'), '0x6000'), asked).ok).toBe(false)
  })
})
