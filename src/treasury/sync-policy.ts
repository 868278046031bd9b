/** Waits for the follower to store a policy that the caller saw on the chain. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { AppError } from '#platform/errors.ts'
import { lookForAWhile } from '#platform/patience.ts'
import type { PolicyRecord } from './intent-records.ts'
import { findSyncedPolicy } from './overview.ts'

export async function syncPolicy(
  ctx: Pick<Context, 'db' | 'chain'>,
  { member, transactionHash: given }: { member: Member; transactionHash: string },
): Promise<PolicyRecord> {
  const transactionHash = given.toLowerCase()
  let isAnswered = false
  const policy = await lookForAWhile(async () => {
    const stored = await findSyncedPolicy(ctx, { member, transactionHash })
    if (!stored) await requireMayCome(ctx, transactionHash)
    isAnswered = true
    return stored
  })
  if (policy) return policy
  if (!isAnswered) throw new AppError('dependency_unavailable', { retryAfterSeconds: 2 })
  throw new AppError('state_conflict', {
    message: 'That policy is not stored yet. Try again in a moment.',
  })
}

/** Says at once what no waiting will mend; it never says whose vault it is. */
async function requireMayCome({ chain }: Pick<Context, 'chain'>, hash: string): Promise<void> {
  const receipt = (await chain.findTransaction(hash))?.receipt
  if (!receipt) return
  if (receipt.status === 'reverted') throw new AppError('transaction_failed')
  if (!receipt.events.some(({ event }) => event.name === 'PolicyConfigured')) {
    throw new AppError('transaction_mismatch', {
      message: 'That transaction configures no policy of this organization.',
    })
  }
}
