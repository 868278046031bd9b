import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, encodeEventTopics, getAddress, type Hex, pad, parseAbi, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import type { VaultEvent } from '#ports/chain.ts'
import { type VaultEventName, vaultLogOf } from '#test/support/vault-log.ts'
import { decodeVaultEvent } from './vault-events.ts'

/** With letters, so that lower case is visible. */
const lower = (n: number): Address => `0x${n.toString(16).padStart(40, 'ab')}`
const address = (n: number): Address => getAddress(lower(n))
const hash = (n: number): Hex => pad(toHex(n), { size: 32 })

const config = {
  executor: address(1),
  expiresAt: 4_000_000_000n,
  automaticEnabled: true,
  paused: false,
  approvedCap: 10n,
  automaticCap: 5n,
  lifetimeCap: 100n,
  reserveFloor: 7n,
  periodSeconds: 86_400,
  periodCap: 50n,
  automaticPeriodCap: 20n,
  tiers: [
    { above: 6n, approvals: 2 },
    { above: 8n, approvals: 3 },
  ],
  approvers: [address(2), address(3), address(4)],
}
const policy = {
  executorAddress: lower(1),
  expiresAtSeconds: 4_000_000_000,
  automaticEnabled: true,
  paused: false,
  approvedCap: 10n,
  automaticCap: 5n,
  lifetimeCap: 100n,
  reserveFloor: 7n,
  periodSeconds: 86_400,
  periodCap: 50n,
  automaticPeriodCap: 20n,
  tiers: [
    { above: 6n, approvals: 2 },
    { above: 8n, approvals: 3 },
  ],
  approverAddresses: [lower(2), lower(3), lower(4)],
}

type Case = { args: Record<string, unknown>; event: VaultEvent | undefined }

/** Every event of the vault, and what the service reads in it. */
const cases: Record<VaultEventName, Case> = {
  VaultCreated: {
    args: {
      owner: address(1),
      token: address(2),
      organizationHash: hash(3),
      changeDelaySeconds: 172_800,
    },
    event: {
      name: 'VaultCreated',
      ownerAddress: lower(1),
      tokenAddress: lower(2),
      organizationHash: hash(3),
      changeDelaySeconds: 172_800,
    },
  },
  PolicyConfigured: {
    args: { version: 4n, executor: address(1), config },
    event: { name: 'PolicyConfigured', version: 4, policy },
  },
  PolicyProposed: {
    args: { proposal: hash(9), expectedVersion: 4n, activatesAt: 1_800_000_000n, config },
    event: {
      name: 'PolicyProposed',
      proposalId: hash(9),
      expectedVersion: 4,
      activatesAtSeconds: 1_800_000_000,
      policy,
    },
  },
  PolicyVetoed: {
    args: { proposal: hash(9), by: address(2) },
    event: { name: 'PolicyVetoed', proposalId: hash(9), by: lower(2) },
  },
  RecipientsChanged: {
    args: {
      version: 3n,
      allowedFrom: 1_800_000_000n,
      added: [address(5), address(6)],
      removed: [address(7)],
    },
    event: {
      name: 'RecipientsChanged',
      recipientsVersion: 3,
      allowedFromSeconds: 1_800_000_000,
      added: [lower(5), lower(6)],
      removed: [lower(7)],
    },
  },
  RecipientBlocked: {
    args: { recipient: address(5), by: address(2) },
    event: { name: 'RecipientBlocked', recipientAddress: lower(5), by: lower(2) },
  },
  RecipientUnblocked: {
    args: { recipient: address(5) },
    event: { name: 'RecipientUnblocked', recipientAddress: lower(5) },
  },
  ApproverRevoked: {
    args: { version: 4n, approver: address(2) },
    event: { name: 'ApproverRevoked', version: 4, approverAddress: lower(2) },
  },
  EmergencyPaused: {
    args: { version: 4n, by: address(2), pauseNumber: 6n },
    event: { name: 'EmergencyPaused', version: 4, by: lower(2), pauseNumber: 6 },
  },
  Unpaused: {
    args: { version: 4n, pauseNumber: 6n },
    event: { name: 'Unpaused', version: 4, pauseNumber: 6 },
  },
  PaymentExecuted: {
    args: {
      paymentId: hash(1),
      recipient: address(5),
      mode: 0,
      amount: 9n,
      policyVersion: 4n,
      reportHash: hash(2),
      expenseVersionHash: hash(3),
      approvalDigests: [hash(4), hash(5)],
      approvers: [address(2), address(3)],
      spentTotal: 90n,
    },
    event: {
      name: 'PaymentExecuted',
      chainPaymentId: hash(1),
      recipientAddress: lower(5),
      mode: 'approved',
      amount: 9n,
      policyVersion: 4,
      reportHash: hash(2),
      expenseVersionHash: hash(3),
      approvalDigests: [hash(4), hash(5)],
      approverAddresses: [lower(2), lower(3)],
      spentTotal: 90n,
    },
  },
  ApprovalInvalidated: {
    args: { digest: hash(4), invalidator: address(2) },
    event: { name: 'ApprovalInvalidated', digest: hash(4), invalidator: lower(2) },
  },
  // The token's transfers cover these; another token's are none of the service's business.
  Deposited: { args: { from: address(1), amount: 5n }, event: undefined },
  Withdrawn: { args: { to: address(1), amount: 5n }, event: undefined },
  Rescued: { args: { token: address(1), amount: 5n }, event: undefined },
  EIP712DomainChanged: { args: {}, event: undefined },
}

describe('a log of the vault', () => {
  test.for(Object.entries(cases))('%s is read field by field', ([name, { args, event }]) => {
    expect(decodeVaultEvent(vaultLogOf(name as VaultEventName, args))).toEqual(event)
  })

  test('that the contract can write has a case here', () => {
    const names = vaultAbi.flatMap((item) => (item.type === 'event' ? [item.name] : []))
    expect(Object.keys(cases).sort()).toEqual([...names].sort())
  })

  test('of an automatic payment names no approver', () => {
    const { args } = cases.PaymentExecuted
    const automatic = { ...args, mode: 1, approvalDigests: [], approvers: [] }
    expect(decodeVaultEvent(vaultLogOf('PaymentExecuted', automatic))).toMatchObject({
      mode: 'automatic',
      approvalDigests: [],
      approverAddresses: [],
    })
  })

  test('with malformed data or too few topics is ignored', () => {
    const log = vaultLogOf('PolicyConfigured', cases.PolicyConfigured.args)
    expect(decodeVaultEvent({ ...log, data: log.data.slice(0, 200) as Hex })).toBeUndefined()
    expect(decodeVaultEvent({ ...log, topics: log.topics.slice(0, 1) })).toBeUndefined()
  })
})

test('a log of another contract is ignored', () => {
  const other = parseAbi(['event Paid(address indexed to, uint256 amount)'])
  const topics = encodeEventTopics({ abi: other, args: { to: address(1) } }) as Hex[]
  expect(decodeVaultEvent({ topics, data: hash(1) })).toBeUndefined()
  expect(decodeVaultEvent({ topics: [], data: '0x' })).toBeUndefined()
})
