/** How a policy intent ends: in force as it was prepared, or with the reason why not. */
import { findPosition } from '#chain/chain.store.ts'
import type { ChainTransaction } from '#ports/chain.ts'
import { commonEnding, type Ending, judgeOnChain, type SettleContext } from './intent-ending.ts'
import type { PolicyIntent } from './intents.store.ts'
import { findPolicy } from './policies.store.ts'
import { findVault } from './vaults.store.ts'

/** Undefined: look again later. */
export async function policyEnding(
  ctx: SettleContext,
  { intent, hash }: { intent: PolicyIntent; hash: string },
): Promise<Ending | undefined> {
  const { organizationId, transaction: prepared, vaultId } = intent
  const { verdict } = await judgeOnChain(ctx, { hash, prepared, ownerAddress: prepared.from })
  const version = intent.expectedVersion + 1
  // Of one moment: a vault from before a block does not go with a position from after it.
  const [policy, vault, position] = await ctx.db.transaction(
    { organizationId },
    async (tx) => [
      await findPolicy(tx, { organizationId, vaultId, version }),
      await findVault(tx, { organizationId, vaultId }),
      await findPosition(tx),
    ],
    { isolation: 'snapshot' },
  )
  if (verdict.outcome === 'reverted') {
    // Why it was is known once the follower has read that far.
    if ((position?.number ?? 0) < verdict.blockNumber) return undefined
    const isSuperseded = (vault?.policyVersion ?? 0) > intent.expectedVersion
    return { event: 'fail', failureCode: isSuperseded ? 'superseded' : 'transaction_reverted' }
  }
  if (verdict.outcome !== 'final') return commonEnding(ctx, verdict, intent.submittedAt)
  if (!emitsPolicy(ctx, verdict.transaction, intent)) {
    return { event: 'reject', failureCode: 'transaction_mismatch' }
  }
  // The policy itself comes from the follower; it is confirmed once it is there.
  if (policy?.chainTransactionHash !== hash) return undefined
  return { event: 'confirm', finish: async () => version }
}

/** The log must carry the very policy that was prepared, whoever sent it and by what detour. */
const emitsPolicy = (
  { chain }: SettleContext,
  { receipt }: ChainTransaction,
  { transaction: prepared, expectedVersion }: PolicyIntent,
): boolean =>
  receipt?.events.some(({ address, event }) => {
    if (event.name !== 'PolicyConfigured' || event.version !== expectedVersion + 1) return false
    if (address !== prepared.to?.toLowerCase()) return false
    // We prepare no such expiry, and a number beyond this could not be encoded again.
    if (!Number.isSafeInteger(event.policy.expiresAtSeconds)) return false
    const emitted = chain.policyConfiguration({
      vaultAddress: address,
      ownerAddress: prepared.from,
      expectedVersion,
      policy: event.policy,
    })
    return emitted.data === prepared.data
  }) ?? false
