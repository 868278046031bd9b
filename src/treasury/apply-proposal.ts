/** Applies logs about policies that wait: proposed, vetoed, put into force. */
import { secondsToTimestamp } from '@countersign/proof/values.ts'
import type { Tx } from '#platform/database/database.ts'
import {
  type AppliedEvent,
  type ApplyContext,
  placeOf,
  recordLog,
  vaultKeyOf,
} from './applied-log.ts'
import { findPreparedPolicy, unlinkProposalsAbove } from './intents.store.ts'
import { enqueueFollowing, moveProposal } from './move-proposal.ts'
import { findPolicy } from './policies.store.ts'
import { termsOf } from './proposal.ts'
import {
  deleteProposalsAbove,
  findWaitingProposal,
  insertProposal,
  listEndedAbove,
  type ProposalRow,
} from './proposals.store.ts'
import { changesOf } from './read-proposal.ts'
import { enqueueSettlement } from './settle-intent.ts'

/** A new proposal replaces the one before. One that nobody prepared here is reported as drift. */
export async function applyProposal(
  ctx: ApplyContext,
  tx: Tx,
  applied: AppliedEvent<'PolicyProposed'>,
): Promise<void> {
  const key = vaultKeyOf(applied)
  const { organizationId } = key
  const { proposalId, expectedVersion, activatesAtSeconds, policy } = applied.event
  const { blockNumber, transactionHash } = applied.log
  const replaced = await findWaitingProposal(tx, key)
  if (replaced) {
    const move = { proposal: replaced, event: 'supersede', blockNumber, transactionHash } as const
    await moveProposal(ctx, tx, move)
  }
  const terms = termsOf(policy)
  const version = expectedVersion + 1
  const isPrepared = (await findPreparedPolicy(tx, { ...terms, ...key, version })) !== undefined
  const proposed = { proposalId, expectedVersion, policy, activatesAtSeconds, isPrepared }
  const id = ctx.ids.next()
  insertProposal(tx, { id, ...key, ...proposed, ...placeOf(applied), at: ctx.clock.now() })
  const inForce = await findPolicy(tx, { ...key, version: expectedVersion })
  const activatesAt = secondsToTimestamp(activatesAtSeconds)
  await recordLog(ctx, tx, {
    ...applied,
    action: 'policy.proposed',
    data: {
      proposalId,
      expectedVersion,
      activatesAt,
      prepared: isPrepared,
      changes: changesOf(inForce, terms),
    },
    targetState: 'proposed',
    code: isPrepared ? 'policy_proposed' : 'policy_proposal_drift',
    isExpected: isPrepared,
  })
  enqueueFollowing(tx, { organizationId, id }, activatesAt)
}

export async function applyVeto(
  ctx: ApplyContext,
  tx: Tx,
  applied: AppliedEvent<'PolicyVetoed'>,
): Promise<void> {
  const { proposalId, by } = applied.event
  const { blockNumber, transactionHash } = applied.log
  const proposal = await findWaitingProposal(tx, vaultKeyOf(applied))
  if (proposal?.proposalId !== proposalId) return
  await moveProposal(ctx, tx, { proposal, event: 'veto', blockNumber, transactionHash, by })
}

/** Ends the proposal that this policy was; undefined if it did not wait. */
export async function endActivated(
  ctx: ApplyContext,
  tx: Tx,
  applied: AppliedEvent<'PolicyConfigured'>,
): Promise<ProposalRow | undefined> {
  const { blockNumber, transactionHash } = applied.log
  const proposal = await findWaitingProposal(tx, vaultKeyOf(applied))
  if (proposal?.expectedVersion !== applied.event.version - 1) return undefined
  await moveProposal(ctx, tx, { proposal, event: 'activate', blockNumber, transactionHash })
  return proposal
}

/** Removes proposals that were logged above the block, and reopens those that ended above it. */
export async function rollBackProposals(
  ctx: ApplyContext,
  tx: Tx,
  above: { organizationId: string; vaultId: string; blockNumber: number },
): Promise<void> {
  const { organizationId } = above
  const unlinked = await unlinkProposalsAbove(tx, above)
  deleteProposalsAbove(tx, above)
  for (const intentId of unlinked) {
    enqueueSettlement(tx, { organizationId, intentId, kind: 'policy' }, 0)
  }
  for (const proposal of await listEndedAbove(tx, above)) {
    await moveProposal(ctx, tx, { proposal, event: 'reopen', blockNumber: null })
  }
}
