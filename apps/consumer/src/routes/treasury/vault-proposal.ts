/** A policy that waits until it comes into force. */
import type { DataOf } from '@countersign/client/operation-types.ts'
import { proposalIdOf } from '@countersign/proof/proposal-id.ts'
import { chainTermsOf } from './requested-calls.ts'

export type Proposal = NonNullable<DataOf<'getVault'>['proposal']>

/** `due`: anybody may put it into force. `void`: nobody did in time. */
export function stageOf(
  { activatesAt, expiresAt }: Pick<Proposal, 'activatesAt' | 'expiresAt'>,
  now: Date,
): 'waiting' | 'due' | 'void' {
  if (now < new Date(activatesAt)) return 'waiting'
  return now < new Date(expiresAt) ? 'due' : 'void'
}

/** Whether the described policy is the one whose hash the vault keeps. */
export function isAsProposed({
  id,
  expectedVersion,
  policy,
}: Pick<Proposal, 'id' | 'expectedVersion' | 'policy'>): boolean {
  const { executor, expiresAt, approvers, tiers, ...terms } = chainTermsOf(policy)
  const computed = proposalIdOf(expectedVersion, {
    ...terms,
    tiers: [...tiers],
    executorAddress: executor,
    expiresAtSeconds: Number(expiresAt),
    approverAddresses: [...approvers],
  })
  return computed === id.toLowerCase()
}
