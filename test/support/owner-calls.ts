/** Transactions of an owner as the service prepares them, and what the owner requested. */
import {
  decodeOwnerTransaction,
  type OwnerTransaction,
  toAddress,
} from '@countersign/proof/owner-call.ts'
import type { RequestedCall } from '@countersign/proof/owner-call-comparison.ts'
import { parseJsonTransaction } from '@countersign/proof/owner-call-input.ts'
import type { Hex } from 'viem'
import { encodeDeployment, encodePolicy, encodeRecipients } from '#adapters/chain/vault-codec.ts'

export const address = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
export const [VAULT, OWNER, TOKEN, EXECUTOR] = ['1', '2', '3', '4'].map(address) as [
  Hex,
  Hex,
  Hex,
  Hex,
]
export const HASH: Hex = `0x${'ab'.repeat(32)}`

export const terms = {
  executorAddress: EXECUTOR,
  expiresAtSeconds: 1_893_456_000,
  automaticEnabled: true,
  paused: false,
  approvedCap: 100_000_000n,
  automaticCap: 20_000_000n,
  lifetimeCap: 400_000_000n,
  reserveFloor: 50_000_001n,
  periodSeconds: 86_400,
  periodCap: 200_000_000n,
  automaticPeriodCap: 40_000_000n,
  tiers: [{ above: 50_000_000n, approvals: 2 }],
  approverAddresses: [address('5'), address('6')],
}
export const recipients = {
  expectedRecipientsVersion: 5,
  add: [address('7'), address('8')],
  remove: [address('9')],
}
export const policyTransaction = (
  more: Partial<typeof terms> = {},
  change: typeof recipients | null = null,
) =>
  encodePolicy({
    chainId: 8453,
    vaultAddress: VAULT,
    ownerAddress: OWNER,
    expectedVersion: 3,
    policy: { ...terms, ...more },
    recipients: change,
  })
export const recipientsTransaction = (more: Partial<typeof recipients> = {}) =>
  encodeRecipients({
    chainId: 8453,
    vaultAddress: VAULT,
    ownerAddress: OWNER,
    ...recipients,
    ...more,
  })
export const deployment = () =>
  encodeDeployment({
    chainId: 8453,
    tokenAddress: TOKEN,
    ownerAddress: OWNER,
    organizationHash: HASH,
    changeDelaySeconds: 172_800,
  })
export const decodeJson = (value: unknown) =>
  decodeOwnerTransaction(parseJsonTransaction(value).transaction)
export const callTo = (data: Hex, more: Partial<OwnerTransaction> = {}) =>
  decodeOwnerTransaction({ chainId: 8453, from: OWNER, to: VAULT, data, value: 0n, ...more })

export const requested: Extract<RequestedCall, { name: 'configurePolicy' }> = {
  name: 'configurePolicy',
  chainId: 8453,
  to: VAULT,
  expectedVersion: 3n,
  policy: {
    executor: EXECUTOR,
    expiresAt: 1_893_456_000n,
    automaticEnabled: true,
    paused: false,
    approvedCap: 100_000_000n,
    automaticCap: 20_000_000n,
    lifetimeCap: 400_000_000n,
    reserveFloor: 50_000_001n,
    periodSeconds: 86_400,
    periodCap: 200_000_000n,
    automaticPeriodCap: 40_000_000n,
    tiers: [{ above: 50_000_000n, approvals: 2 }],
    approvers: [address('6'), address('5')],
  },
}
