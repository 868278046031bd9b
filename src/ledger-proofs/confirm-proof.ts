/** Confirms a proof with the hash that the claimer submits. The chain decides, not the caller. */
import { canonicalJson } from '@countersign/proof/digest.ts'
import type { Context } from '#context.ts'
import { AppError } from '#platform/errors.ts'
import { pollUntil } from '#platform/poll.ts'
import type { PreparedTransaction } from '#ports/chain.ts'
import { judgeDigest, judgeTransaction, type ProofFinding } from './judge-proof.ts'
import { type ProofRecord, toProofRecord } from './ledger-proof.ts'
import {
  findProof,
  lockProof,
  type ProofRow,
  updateProofObservation,
} from './ledger-proofs.store.ts'
import { moveProof } from './move-proof.ts'
import type { OperatorActor } from './prepare-proof.ts'
import { readIntent } from './proof-intent.ts'

type ConfirmContext = Pick<Context, 'db' | 'clock' | 'ids' | 'chain'>

export type ConfirmProof = {
  actor: OperatorActor
  organizationId: string
  proofId: string
  /** Lower case. */
  hash: string
}

export async function confirmProof(ctx: ConfirmContext, input: ConfirmProof): Promise<ProofRecord> {
  const { organizationId, proofId, hash, actor } = input
  const key = { organizationId, proofId }
  const scope = { organizationId }
  const found = await ctx.db.read(scope, (reader) => findProof(reader, key))
  const before = requireClaimed(found, input)
  if (before.state !== 'claimed') return toProofRecord(before)
  const { decision, errorCode, evidence } = await observeHash(ctx, before, hash)
  return ctx.db.transaction(scope, async (tx) => {
    const proof = requireClaimed(await lockProof(tx, key), input)
    if (proof.state !== 'claimed') return toProofRecord(proof)
    const at = ctx.clock.now()
    const { intentHash } = proof
    const evidenceJson = canonicalJson({ ...evidence, intentHash, checkedAt: at.toISOString() })
    if (decision === 'wait') {
      const sighting = { proof, givenHash: hash, evidenceJson, at }
      return toProofRecord(await updateProofObservation(tx, sighting))
    }
    const moved = await moveProof(ctx, tx, {
      proof,
      event: decision,
      actor,
      givenHash: hash,
      evidenceJson,
      ...(errorCode === undefined ? {} : { errorCode }),
    })
    return toProofRecord(moved)
  })
}

/** The caller has claimed the proof, or it ended with this same hash and nothing is left to do. */
function requireClaimed(proof: ProofRow | undefined, { actor, hash }: ConfirmProof): ProofRow {
  if (!proof) throw new AppError('not_found')
  if (proof.state === 'prepared') throw outOfOrder('Claim the proof first, then confirm it.')
  if (proof.claimedByAccountId !== actor.accountId) {
    throw new AppError('forbidden', {
      message: 'Another operator has claimed this proof. Prepare your own.',
    })
  }
  if (proof.state === 'claimed' || proof.givenHash === hash) return proof
  throw outOfOrder('This proof ended with another hash. Prepare a new one.')
}

const outOfOrder = (message: string) => new AppError('invalid_transition', { message })

async function observeHash(
  ctx: ConfirmContext,
  proof: ProofRow,
  hash: string,
): Promise<ProofFinding> {
  const intent = readIntent(proof.intentJson)
  if ('digest' in intent) return judgeDigest(intent.digest, hash)
  const { transaction } = intent
  let last: ProofFinding | undefined
  await pollUntil(async () => {
    last = await observeTransaction(ctx, transaction, hash)
    return last.decision === 'wait' ? undefined : last
  })
  // The chain gave no answer within the time that a caller waits.
  if (!last) throw new AppError('dependency_unavailable', { retryAfterSeconds: 2 })
  return last
}

async function observeTransaction(
  { chain }: ConfirmContext,
  prepared: PreparedTransaction,
  hash: string,
): Promise<ProofFinding> {
  const transaction = await chain.findTransaction(hash)
  const receipt = transaction?.receipt
  const { number: headNumber } = await chain.latestBlock()
  const canonical = receipt ? await chain.findBlock(receipt.blockNumber) : undefined
  const { confirmations } = chain
  const canonicalHash = canonical?.hash
  return judgeTransaction(prepared, { transaction, canonicalHash, headNumber, confirmations })
}
