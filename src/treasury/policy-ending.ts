/** Decides how a policy intent ends: in force as prepared, or with a failure code. */
import { findPosition } from '#chain/chain.store.ts'
import type { ChainTransaction } from '#ports/chain.ts'
import {
  type IntentOutcome,
  judgeCommon,
  judgeOnChain,
  type SettleContext,
} from './intent-ending.ts'
import type { PolicyIntent } from './intents.store.ts'
import { findPolicy } from './policies.store.ts'
import { findVault } from './vaults.store.ts'

/** Undefined while the outcome is open: the job polls again. */
export async function judgePolicy(
  ctx: SettleContext,
  { intent, hash }: { intent: PolicyIntent; hash: string },
): Promise<IntentOutcome | undefined> {
  const { organizationId, transaction: prepared, vaultId } = intent
  const { verdict } = await judgeOnChain(ctx, { hash, prepared, ownerAddress: prepared.from })
  const version = intent.expectedVersion + 1
  // One snapshot: the vault and the follower's position must be of the same block.
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
    // The reason is known once the follower has read up to that block.
    if ((position?.number ?? 0) < verdict.blockNumber) return undefined
    const isSuperseded = (vault?.policyVersion ?? 0) > intent.expectedVersion
    return { event: 'fail', failureCode: isSuperseded ? 'superseded' : 'transaction_reverted' }
  }
  if (verdict.outcome !== 'final') return judgeCommon(ctx, verdict, intent.submittedAt)
  if (!emitsPolicy(ctx, verdict.transaction, intent)) {
    return { event: 'reject', failureCode: 'transaction_mismatch' }
  }
  // The follower stores the policy; the intent is confirmed once it has.
  if (policy?.chainTransactionHash !== hash) return undefined
  return { event: 'confirm', finish: async () => version }
}

/** The log must contain exactly the prepared policy, whoever sent the transaction. */
const emitsPolicy = (
  { chain }: SettleContext,
  { receipt }: ChainTransaction,
  { transaction: prepared, expectedVersion }: PolicyIntent,
): boolean =>
  receipt?.events.some(({ address, event }) => {
    if (event.name !== 'PolicyConfigured' || event.version !== expectedVersion + 1) return false
    if (address !== prepared.to?.toLowerCase()) return false
    // The service prepares no such expiry, and a larger number could not be encoded again.
    if (!Number.isSafeInteger(event.policy.expiresAtSeconds)) return false
    const emitted = chain.policyConfiguration({
      vaultAddress: address,
      ownerAddress: prepared.from,
      expectedVersion,
      policy: event.policy,
    })
    return emitted.data === prepared.data
  }) ?? false
