/** The only writer of a proposal's state. */
import { checksummed } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { integrationChange, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import { next } from '#platform/machine.ts'
import { listIntentsOfProposal } from './intents.store.ts'
import { type ProposalEvent, proposalMachine } from './proposal.machine.ts'
import { type ProposalRow, updateProposalState } from './proposals.store.ts'
import { enqueueSettlement } from './settle-intent.ts'

export type MoveProposal = {
  proposal: ProposalRow
  event: ProposalEvent
  /** Where the chain ended it; null with `reopen`. */
  blockNumber: number | null
  transactionHash?: string
  by?: string
}

const actions = {
  activate: 'policy.activated',
  veto: 'policy.vetoed',
  supersede: 'policy.proposal_superseded',
  expire: 'policy.proposal_expired',
  reopen: 'policy.proposal_reopened',
} as const

const codes = {
  activate: 'policy_activated',
  veto: 'policy_vetoed',
  supersede: 'policy_proposal_superseded',
  expire: 'policy_proposal_expired',
  reopen: 'policy_proposal_reopened',
} as const

/** Its intents are settled afterwards: they have waited for this without a timer. */
export async function moveProposal(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  { proposal, event, blockNumber, transactionHash, by }: MoveProposal,
): Promise<boolean> {
  const { organizationId, vaultId, id, proposalId, expectedVersion } = proposal
  const to = next(proposalMachine, { from: proposal.state, event })
  const isMoved = await updateProposalState(tx, {
    proposal,
    to,
    endedBlock: blockNumber,
    endedTransactionHash: transactionHash ?? null,
    vetoedBy: by ?? null,
    at: ctx.clock.now(),
  })
  if (!isMoved) return false
  await recordChange(ctx, tx, {
    organizationId,
    actor: SYSTEM,
    action: actions[event],
    aggregateType: 'vault',
    aggregateId: vaultId,
    data: {
      proposalId,
      expectedVersion,
      transactionHash: transactionHash ?? null,
      by: by === undefined ? null : checksummed(by),
    },
    live: integrationChange({
      targetState: to,
      severity: event === 'expire' ? 'degraded' : 'healthy',
      code: codes[event],
    }),
  })
  for (const intentId of await listIntentsOfProposal(tx, { organizationId, proposalRowId: id })) {
    enqueueSettlement(tx, { organizationId, intentId, kind: 'policy' }, 0)
  }
  // Activates it when it waits again, and cancels an activation that is not needed any more.
  enqueueFollowing(tx, { organizationId, id })
  return true
}

/** A worker activates the proposal when it is due, and ends it when it is void. */
export const enqueueFollowing = (
  tx: Tx,
  proposal: JobPayloads['follow_proposal'],
  runAt?: Date | string,
): void =>
  enqueue(tx, 'follow_proposal', proposal, {
    key: `follow_proposal:${proposal.id}`,
    ...(runAt !== undefined && { runAt }),
    isPeriodic: true,
  })
