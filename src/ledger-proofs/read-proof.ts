import type { Context } from '#context.ts'
import { recordRead } from '#journal/record-read.ts'
import { findOrganizationExists } from '#organizations/members.store.ts'
import { AppError } from '#platform/errors.ts'
import { type Page, type Paged, toPaged } from '#platform/paging.ts'
import { type ProofRecord, toProofRecord } from './ledger-proof.ts'
import { findProof, listProofs } from './ledger-proofs.store.ts'
import type { OperatorActor } from './prepare-proof.ts'

export type ReadProof = { actor: OperatorActor; organizationId: string; proofId: string }

/**
 * Reads across tenants and records the read in the organization's trail; a miss is recorded too.
 */
export async function readProof(
  ctx: Pick<Context, 'db' | 'observerDb' | 'clock' | 'ids'>,
  { actor, organizationId, proofId }: ReadProof,
): Promise<ProofRecord> {
  const proof = await findProof(ctx.observerDb, { organizationId, proofId })
  await recordRead(ctx, {
    operator: actor,
    operation: 'getLedgerProof',
    organizationId: proof ? organizationId : null,
    data: { proofId },
  })
  if (!proof) throw new AppError('not_found')
  return toProofRecord(proof)
}

/** An unknown organization is recorded in the service's trail. */
export async function readProofs(
  ctx: Pick<Context, 'db' | 'observerDb' | 'clock' | 'ids'>,
  { actor, organizationId, page }: Omit<ReadProof, 'proofId'> & { page: Page },
): Promise<Paged<ProofRecord>> {
  const rows = await ctx.observerDb.transaction({}, async (tx) =>
    (await findOrganizationExists(tx, organizationId))
      ? listProofs(tx, { organizationId, page })
      : undefined,
  )
  await recordRead(ctx, {
    operator: actor,
    operation: 'listLedgerProofs',
    organizationId: rows ? organizationId : null,
    ...(!rows && { data: { organizationId } }),
  })
  if (!rows) throw new AppError('not_found')
  return toPaged(rows.map(toProofRecord), { limit: page.limit, idOf: ({ id }) => id })
}
