/** What a vault calls a policy that waits. Pure. */
import { type Address, encodeAbiParameters, getAbiItem, type Hex, keccak256, slice } from 'viem'
import type { ChainPolicy } from './execution.ts'
import { vaultAbi } from './vault-artifact.ts'

const { inputs } = getAbiItem({ abi: vaultAbi, name: 'configurePolicy' })

/** A policy as the vault's functions take it. */
export const configOf = (policy: ChainPolicy) => ({
  executor: policy.executorAddress as Address,
  expiresAt: BigInt(policy.expiresAtSeconds),
  automaticEnabled: policy.automaticEnabled,
  paused: policy.paused,
  approvedCap: policy.approvedCap,
  automaticCap: policy.automaticCap,
  lifetimeCap: policy.lifetimeCap,
  reserveFloor: policy.reserveFloor,
  periodSeconds: policy.periodSeconds,
  periodCap: policy.periodCap,
  automaticPeriodCap: policy.automaticPeriodCap,
  tiers: policy.tiers,
  approvers: policy.approverAddresses.map((address) => address as Address),
})

/** keccak256(abi.encode(expectedVersion, config)): equal only for the same policy. */
export const proposalIdOf = (expectedVersion: number, policy: ChainPolicy): Hex =>
  keccak256(encodeAbiParameters(inputs, [BigInt(expectedVersion), configOf(policy)]))

/** Of the policy that `configurePolicy` or `activatePolicy` carry: the hash of the arguments. */
export const proposalIdIn = (data: Hex): Hex => keccak256(slice(data, 4))
