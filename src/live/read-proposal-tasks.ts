/** Reads the tasks about policies that wait before they take effect. */
import type { Tx } from '#platform/database/database.ts'
import { findPolicy } from '#treasury/policies.store.ts'
import { termsOf } from '#treasury/proposal.ts'
import { listWaitingProposals } from '#treasury/proposals.store.ts'
import { changesOf } from '#treasury/read-proposal.ts'
import type { Task } from './task.ts'
import { proposalTask } from './tasks.ts'

/** For owners and approvers, each with its difference to the policy in force. */
export async function readProposalTasks(
  tx: Tx,
  { organizationId, isOwner, limit }: { organizationId: string; isOwner: boolean; limit: number },
): Promise<Task[]> {
  const tasks: Task[] = []
  for (const proposal of await listWaitingProposals(tx, { organizationId, limit })) {
    const { vaultId, expectedVersion: version } = proposal
    const inForce = await findPolicy(tx, { organizationId, vaultId, version })
    const changes = changesOf(inForce, termsOf(proposal.policy))
    tasks.push(proposalTask({ ...proposal, changes }, { isOwner }))
  }
  return tasks
}
