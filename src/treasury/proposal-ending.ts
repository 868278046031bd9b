/** Decides how an intent ends whose policy waits: as the proposal does, once that is final. */
import { findPosition } from '#chain/chain.store.ts'
import type { IntentOutcome, SettleContext } from './intent-ending.ts'
import type { ProposalState } from './proposal.machine.ts'
import { findProposal } from './proposals.store.ts'

const endings: Record<Exclude<ProposalState, 'waiting' | 'activated'>, IntentOutcome> = {
  vetoed: { event: 'reject', failureCode: 'vetoed' },
  superseded: { event: 'fail', failureCode: 'superseded' },
  expired: { event: 'fail', failureCode: 'superseded' },
}

/** Undefined while it waits: its end starts the job again. */
export async function judgeProposed(
  { db, chain }: SettleContext,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<{ ending: IntentOutcome | undefined; since: string } | undefined> {
  const { proposal, position } = await db.transaction(
    { organizationId },
    async (tx) => ({
      proposal: await findProposal(tx, { organizationId, id }),
      position: (await findPosition(tx))?.number ?? 0,
    }),
    { isolation: 'snapshot' },
  )
  if (!proposal || proposal.state === 'waiting' || proposal.endedBlock === null) return undefined
  const { state, endedBlock, expectedVersion, updatedAt: since } = proposal
  const isFinal = position - endedBlock + 1 >= chain.confirmations
  if (!isFinal) return { ending: undefined, since }
  if (state !== 'activated') return { ending: endings[state], since }
  return { ending: { event: 'confirm', finish: async () => expectedVersion + 1 }, since }
}
