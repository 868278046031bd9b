/** What the owner asked for, complete, to hold a prepared transaction against. */
import type { RequestedCall } from '@countersign/proof/owner-call-comparison.ts'
import { getAddress, type Hex } from 'viem'
import type { Policy } from './policy-terms.ts'

export function requestedPolicy(
  policy: Policy,
  {
    chainId,
    vaultAddress,
    expectedVersion,
  }: {
    chainId: number
    vaultAddress: string
    expectedVersion: number
  },
): RequestedCall {
  return {
    name: 'configurePolicy',
    chainId,
    to: getAddress(vaultAddress),
    expectedVersion: BigInt(expectedVersion),
    policy: {
      executor: getAddress(policy.executorAddress),
      // The contract stores whole seconds.
      expiresAt: BigInt(Math.trunc(Date.parse(policy.expiresAt) / 1000)),
      automaticEnabled: policy.automaticEnabled,
      paused: policy.paused,
      approvedCap: BigInt(policy.approvedCap),
      automaticCap: BigInt(policy.automaticCap),
      lifetimeCap: BigInt(policy.lifetimeCap),
      reserveFloor: BigInt(policy.reserveFloor),
      approvers: policy.approverAddresses.map((one) => getAddress(one)),
      recipients: policy.recipientAddresses.map((one) => getAddress(one)),
    },
  }
}

/** The organization's hash is salted by the service: nobody but the service could compute it. */
export function requestedDeployment({
  chainId,
  ownerAddress,
  tokenAddress,
  organizationHash,
}: {
  chainId: number
  ownerAddress: string
  tokenAddress: string
  organizationHash: string
}): RequestedCall {
  return {
    name: 'deployVault',
    chainId,
    to: null,
    owner: getAddress(ownerAddress),
    token: getAddress(tokenAddress),
    organizationHash: organizationHash as Hex,
  }
}
