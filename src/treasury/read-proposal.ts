/** Reads the policy that waits in a vault, with its difference to the one in force. */
import { checksummed } from '@countersign/proof/values.ts'
import type { Tx } from '#platform/database/database.ts'
import type { PolicyRow } from './policies.store.ts'
import type { PolicyTerms } from './policy.ts'
import { changesBetween, type PolicyChanges } from './policy-changes.ts'
import { type LimitsRecord, toLimitsRecord } from './policy-limits.ts'
import { termsOf } from './proposal.ts'
import { findActivationCode, findWaitingProposal } from './proposals.store.ts'

type Caps = 'approvedCap' | 'automaticCap' | 'lifetimeCap' | 'reserveFloor'

type ProposedTerms = Record<Caps, string> &
  LimitsRecord &
  Pick<
    PolicyTerms,
    'executorAddress' | 'approverAddresses' | 'expiresAt' | 'automaticEnabled' | 'paused'
  >

export type ProposalRecord = {
  id: string
  expectedVersion: number
  proposedAt: string
  activatesAt: string
  expiresAt: string
  transactionHash: string
  prepared: boolean
  activationCode: string | null
  policy: ProposedTerms
  changes: PolicyChanges
}

const toTermsRecord = (terms: PolicyTerms): ProposedTerms => ({
  executorAddress: checksummed(terms.executorAddress),
  approverAddresses: terms.approverAddresses.map(checksummed),
  approvedCap: terms.approvedCap.toString(),
  automaticCap: terms.automaticCap.toString(),
  lifetimeCap: terms.lifetimeCap.toString(),
  reserveFloor: terms.reserveFloor.toString(),
  ...toLimitsRecord(terms),
  expiresAt: terms.expiresAt,
  automaticEnabled: terms.automaticEnabled,
  paused: terms.paused,
})

/** Recipients never wait with a policy, so that its changes have none. */
export const changesOf = (inForce: PolicyTerms | undefined, proposed: PolicyTerms): PolicyChanges =>
  changesBetween(inForce, proposed, { added: [], removed: [] })

/** Null if no policy waits. */
export async function readProposal(
  tx: Tx,
  {
    organizationId,
    vaultId,
    policy: inForce,
  }: { organizationId: string; vaultId: string; policy: PolicyRow | undefined },
): Promise<ProposalRecord | null> {
  const proposal = await findWaitingProposal(tx, { organizationId, vaultId })
  if (!proposal) return null
  const terms = termsOf(proposal.policy)
  return {
    id: proposal.proposalId,
    expectedVersion: proposal.expectedVersion,
    proposedAt: proposal.proposedAt,
    activatesAt: proposal.activatesAt,
    expiresAt: proposal.expiresAt,
    transactionHash: proposal.transactionHash,
    prepared: proposal.isPrepared,
    activationCode: await findActivationCode(tx, { organizationId, id: proposal.id }),
    policy: toTermsRecord(terms),
    changes: changesOf(inForce, terms),
  }
}
