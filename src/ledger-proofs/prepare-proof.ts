import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { type ProofRecord, toProofRecord } from './ledger-proof.ts'
import { insertProof } from './ledger-proofs.store.ts'
import { recordProof } from './move-proof.ts'
import { prepareIntent } from './prepare-intent.ts'
import { type ProofRequest, requireFields, sealIntent } from './proof-intent.ts'

/** The calling operator. */
export type OperatorActor = Actor & { accountId: string }

export type PrepareProof = { actor: OperatorActor; organizationId: string; request: ProofRequest }

export async function prepareProof(
  ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'chain'>,
  { actor, organizationId, request }: PrepareProof,
): Promise<ProofRecord> {
  requireFields(request)
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const id = ctx.ids.next()
    const intent = await prepareIntent(ctx, tx, { organizationId, proofId: id, request })
    const proof = await insertProof(tx, {
      ...sealIntent(intent),
      id,
      organizationId,
      accountId: actor.accountId,
      kind: request.kind,
      at: ctx.clock.now(),
    })
    await recordProof(ctx, tx, { proof, actor })
    return toProofRecord(proof)
  })
}
