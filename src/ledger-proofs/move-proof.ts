/** The only writer of a proof's state. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { type AuditAction, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { next } from '#platform/machine.ts'
import { type ProofEvent, proofMachine } from './ledger-proof.machine.ts'
import { type ProofRow, updateProofState } from './ledger-proofs.store.ts'

export type ProofContext = Pick<Context, 'db' | 'clock' | 'ids'>

export type MoveProof = {
  proof: ProofRow
  event: ProofEvent
  actor: Actor
  claimedByAccountId?: string
  givenHash?: string
  errorCode?: string
  evidenceJson?: string
}

export async function moveProof(ctx: ProofContext, tx: Tx, move: MoveProof): Promise<ProofRow> {
  const { proof, event, actor } = move
  const to = next(proofMachine, { from: proof.state, event })
  const moved = await updateProofState(tx, {
    proof,
    to,
    claimedByAccountId: move.claimedByAccountId ?? proof.claimedByAccountId,
    givenHash: move.givenHash ?? proof.givenHash,
    errorCode: move.errorCode ?? null,
    evidenceJson: move.evidenceJson ?? proof.evidenceJson,
    at: ctx.clock.now(),
  })
  await recordProof(ctx, tx, { proof: moved, actor })
  return moved
}

/** Recorded in the organization's own trail, because it concerns its vaults and payments. */
export async function recordProof(
  ctx: ProofContext,
  tx: Tx,
  { proof, actor }: { proof: ProofRow; actor: Actor },
): Promise<void> {
  const { organizationId, id, kind, state, intentHash, givenHash, errorCode } = proof
  const action: AuditAction = `ledger_proof.${state}`
  await recordChange(ctx, tx, {
    organizationId,
    actor,
    action,
    aggregateType: 'ledger_proof',
    aggregateId: id,
    data: { kind, intentHash, givenHash, errorCode },
  })
}
