import { AppError } from '#platform/errors.ts'
import { type ProofRecord, toProofRecord } from './ledger-proof.ts'
import { lockProof } from './ledger-proofs.store.ts'
import { moveProof, type ProofContext } from './move-proof.ts'
import type { OperatorActor } from './prepare-proof.ts'

export type ClaimProof = { actor: OperatorActor; organizationId: string; proofId: string }

/**
 * Only one operator can claim a proof: a concurrent second claim waits for the lock and gets 409.
 */
export async function claimProof(
  ctx: ProofContext,
  { actor, organizationId, proofId }: ClaimProof,
): Promise<ProofRecord> {
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const proof = await lockProof(tx, { organizationId, proofId })
    if (!proof) throw new AppError('not_found')
    const { accountId: claimedByAccountId } = actor
    const claim = { proof, event: 'claim', actor, claimedByAccountId } as const
    return toProofRecord(await moveProof(ctx, tx, claim))
  })
}
