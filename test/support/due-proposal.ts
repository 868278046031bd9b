/** Rows of a policy that has waited, of its activation, and of a pause that was lifted. */
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { addActivation } from '#payments/activations/move-activation.ts'
import type { TestApp } from '#test/support/app.ts'
import { withoutPeriod } from '#test/support/policy-terms.ts'
import { insertPause } from '#treasury/policies.store.ts'
import { insertProposal } from '#treasury/proposals.store.ts'

const hash = `0x${'77'.repeat(32)}`
const policy: ChainPolicy = {
  executorAddress: `0x${'e1'.repeat(20)}`,
  approverAddresses: [`0x${'a1'.repeat(20)}`],
  ...withoutPeriod,
  ...{ approvedCap: 3n, automaticCap: 2n, lifetimeCap: 9n, reserveFloor: 1n },
  ...{ expiresAtSeconds: 4_000_000_000, automaticEnabled: true, paused: false },
}

export async function writeDueProposal(
  { ctx }: TestApp,
  { organizationId, vaultId }: { organizationId: string; vaultId: string },
): Promise<void> {
  const id = ctx.ids.next()
  await ctx.db.transaction({ organizationId }, async (tx) => {
    await insertProposal(tx, {
      ...{ organizationId, vaultId, id, proposalId: hash, expectedVersion: 1, policy },
      ...{ isPrepared: true, transactionHash: hash, blockNumber: 50, logIndex: 0 },
      ...{ activatesAtSeconds: 1_700_000_100, timeSeconds: 1_700_000_000, at: ctx.clock.now() },
    })
    await insertPause(tx, {
      ...{ organizationId, vaultId, version: 1, paused: false, pauseNumber: 1, by: null },
      ...{ blockNumber: 51, logIndex: 0, transactionHash: hash },
    })
    await addActivation(ctx, tx, { organizationId, id, vaultId, laneId: null, code: null })
  })
}
