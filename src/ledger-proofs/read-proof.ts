import type { Context } from '#context.ts'
import { recordOperatorRead } from '#journal/operator-read.ts'
import { AppError } from '#platform/errors.ts'
import { type ProofRecord, toProofRecord } from './ledger-proof.ts'
import { findProof } from './ledger-proofs.store.ts'
import type { OperatorActor } from './prepare-proof.ts'

export type ReadProof = { actor: OperatorActor; organizationId: string; proofId: string }

/** Looked for across tenants, and told where it was found; a look at nothing is told too. */
export async function readProof(
  ctx: Pick<Context, 'db' | 'observerDb' | 'clock' | 'ids'>,
  { actor, organizationId, proofId }: ReadProof,
): Promise<ProofRecord> {
  const proof = await findProof(ctx.observerDb, { organizationId, proofId })
  await recordOperatorRead(ctx, {
    actor,
    operation: 'getLedgerProof',
    organizationId: proof ? organizationId : null,
    aggregate: { type: 'ledger_proof', id: proofId },
  })
  if (!proof) throw new AppError('not_found')
  return toProofRecord(proof)
}
