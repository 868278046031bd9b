/** What the owner asked for, complete, to hold a prepared transaction against. */
import type { DecodedPolicy } from '@countersign/proof/owner-call.ts'
import type { RequestedCall } from '@countersign/proof/owner-call-comparison.ts'
import { getAddress, type Hex } from 'viem'
import { isRecipientsOnly, type PolicyDifference } from './policy-difference.ts'
import type { Policy } from './policy-terms.ts'

/** The policy as the vault takes it. */
export const chainTermsOf = (policy: Omit<Policy, 'recipientAddresses'>): DecodedPolicy => ({
  executor: getAddress(policy.executorAddress),
  // The contract stores whole seconds.
  expiresAt: BigInt(Math.trunc(Date.parse(policy.expiresAt) / 1000)),
  automaticEnabled: policy.automaticEnabled,
  paused: policy.paused,
  approvedCap: BigInt(policy.approvedCap),
  automaticCap: BigInt(policy.automaticCap),
  lifetimeCap: BigInt(policy.lifetimeCap),
  reserveFloor: BigInt(policy.reserveFloor),
  periodSeconds: policy.periodSeconds ?? 0,
  periodCap: BigInt(policy.periodCap ?? 0),
  automaticPeriodCap: BigInt(policy.automaticPeriodCap ?? 0),
  tiers: policy.tiers.map(({ above, approvals }) => ({ above: BigInt(above), approvals })),
  approvers: policy.approverAddresses.map((one) => getAddress(one)),
})

type Place = {
  chainId: number
  vaultAddress: string
  expectedVersion: number
  expectedRecipientsVersion: number
}

/** Which call it must be follows from what changes, computed in this page. */
export function requestedPolicy(
  policy: Policy,
  difference: PolicyDifference,
  { chainId, vaultAddress, expectedVersion, expectedRecipientsVersion }: Place,
): RequestedCall {
  const at = { chainId, to: getAddress(vaultAddress) }
  const list = difference.lists.find(({ field }) => field === 'recipientAddresses')
  const recipients = {
    expectedRecipientsVersion: BigInt(expectedRecipientsVersion),
    add: (list?.added ?? []).map((one) => getAddress(one)),
    remove: (list?.removed ?? []).map((one) => getAddress(one)),
  }
  if (isRecipientsOnly(difference)) return { name: 'changeRecipients', ...at, ...recipients }
  const change = { expectedVersion: BigInt(expectedVersion), policy: chainTermsOf(policy) }
  if (recipients.add.length + recipients.remove.length === 0) {
    return { name: 'configurePolicy', ...at, ...change }
  }
  return { name: 'configurePolicyAndRecipients', ...at, ...change, ...recipients }
}

/** The organization's hash is salted by the service: nobody but the service could compute it. */
export function requestedDeployment({
  chainId,
  ownerAddress,
  tokenAddress,
  organizationHash,
  changeDelaySeconds,
}: {
  chainId: number
  ownerAddress: string
  tokenAddress: string
  organizationHash: string
  changeDelaySeconds: number
}): RequestedCall {
  return {
    name: 'deployVault',
    chainId,
    to: null,
    owner: getAddress(ownerAddress),
    token: getAddress(tokenAddress),
    organizationHash: organizationHash as Hex,
    changeDelaySeconds,
  }
}
