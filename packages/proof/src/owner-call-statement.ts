/**
 * Compares a transaction with what the API's answer states about it: owner, token and hashes of a
 * vault deployment, or every term of a policy intent. Pure, and free of Node's modules.
 */
import { keccak256 } from 'viem'
import type { DecodedTransaction } from './owner-call.ts'
import type { Difference } from './owner-call-comparison.ts'
import type { Statement } from './owner-call-input.ts'
import { utcOf } from './owner-call-text.ts'
import { vaultArtifactHash } from './vault-artifact.ts'

/** The fields of the answer that follow from the transaction, as the answer must state them. */
function statable({ transaction, call }: DecodedTransaction): Record<string, unknown> {
  if (call.name === 'deployVault') {
    return {
      chainId: transaction.chainId,
      ownerAddress: call.owner,
      tokenAddress: call.token,
      organizationHash: call.organizationHash,
      artifactHash: vaultArtifactHash,
      constructorDataHash: keccak256(transaction.data),
    }
  }
  if (call.name !== 'configurePolicy') return {}
  const { policy } = call
  return {
    executorAddress: policy.executor,
    approverAddresses: policy.approvers,
    recipientAddresses: policy.recipients,
    approvedCap: policy.approvedCap,
    automaticCap: policy.automaticCap,
    lifetimeCap: policy.lifetimeCap,
    reserveFloor: policy.reserveFloor,
    expiresAt: utcOf(policy.expiresAt),
    automaticEnabled: policy.automaticEnabled,
    paused: policy.paused,
  }
}

/** Fractions of a second are cut off, as in the vault. Lists are compared in any order. */
function comparable(value: unknown): string {
  if (Array.isArray(value)) return value.map(comparable).sort().join()
  return String(value)
    .toLowerCase()
    .replace(/(?<=t\d\d:\d\d:\d\d)\.\d+z$/, 'z')
}

export function compareWithStatement(
  decoded: DecodedTransaction,
  statement: Statement,
): Difference[] {
  return Object.entries(statable(decoded))
    .filter(([field, actual]) => comparable(statement[field]) !== comparable(actual))
    .map(([field, actual]) => ({
      field,
      requested: String(statement[field] ?? 'nothing'),
      actual: String(actual),
    }))
}
