/** Transactions of an owner as the service prepares them, and what the owner requested. */
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import {
  type DecodedPolicy,
  decodeOwnerTransaction,
  type OwnerTransaction,
  toAddress,
} from '@countersign/proof/owner-call.ts'
import type { RequestedCall } from '@countersign/proof/owner-call-comparison.ts'
import { parseJsonTransaction } from '@countersign/proof/owner-call-input.ts'
import type { Hex } from 'viem'
import { encodeDeployment, encodePolicy, encodeRecipients } from '#adapters/chain/vault-codec.ts'
import type { RecipientsChange } from '#ports/chain.ts'

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
  automaticPeriodCap: 60_000_000n,
  tiers: [{ above: 80_000_000n, approvals: 2 }],
  approverAddresses: [address('5'), address('6')],
}

const place = { chainId: 8453, vaultAddress: VAULT, ownerAddress: OWNER }

/** What the owner changes in the list of recipients. */
export const recipientsChange = {
  expectedRecipientsVersion: 4,
  add: [address('7'), address('8')],
  remove: [address('9')],
}

export const policyTransaction = (more: Partial<ChainPolicy> = {}) =>
  encodePolicy({ ...place, expectedVersion: 3, policy: { ...terms, ...more }, recipients: null })

export const combinedTransaction = (more: Partial<RecipientsChange> = {}) =>
  encodePolicy({
    ...place,
    expectedVersion: 3,
    policy: terms,
    recipients: { ...recipientsChange, ...more },
  })

export const recipientsTransaction = (more: Partial<RecipientsChange> = {}) =>
  encodeRecipients({ ...place, ...recipientsChange, ...more })

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

const requestedPolicy: DecodedPolicy = {
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
  automaticPeriodCap: 60_000_000n,
  tiers: [{ above: 80_000_000n, approvals: 2 }],
  approvers: [address('6'), address('5')],
}
const requestedRecipients = {
  expectedRecipientsVersion: 4n,
  add: [address('8'), address('7')],
  remove: [address('9')],
}
const requestedPlace = { chainId: 8453, to: VAULT }

export const requested: Extract<RequestedCall, { name: 'configurePolicy' }> = {
  name: 'configurePolicy',
  ...requestedPlace,
  expectedVersion: 3n,
  policy: requestedPolicy,
}
export const requestedBoth: RequestedCall = {
  name: 'configurePolicyAndRecipients',
  ...requestedPlace,
  expectedVersion: 3n,
  policy: requestedPolicy,
  ...requestedRecipients,
}
export const requestedChange: RequestedCall = {
  name: 'changeRecipients',
  ...requestedPlace,
  ...requestedRecipients,
}
