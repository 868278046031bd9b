/** Waits briefly for the follower to store a policy that the caller saw on chain. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { AppError } from '#platform/errors.ts'
import { pollUntil } from '#platform/poll.ts'
import type { VaultEvent } from '#ports/chain.ts'
import type { PolicyRecord } from './intent-records.ts'
import { findSyncedPolicy } from './overview.ts'

export async function syncPolicy(
  ctx: Pick<Context, 'db' | 'chain'>,
  { member, transactionHash: given }: { member: Member; transactionHash: string },
): Promise<PolicyRecord> {
  const transactionHash = given.toLowerCase()
  let hasRead = false
  const policy = await pollUntil(async () => {
    const stored = await findSyncedPolicy(ctx, { member, transactionHash })
    if (!stored) await rejectHopeless(ctx, transactionHash)
    hasRead = true
    return stored
  })
  if (policy) return policy
  if (!hasRead) throw new AppError('dependency_unavailable', { retryAfterSeconds: 2 })
  throw new AppError('state_conflict', {
    message: 'The service has not read this policy yet. Try again in a moment.',
  })
}

/** Fails at once when waiting cannot help. The answer does not reveal whose vault it is. */
async function rejectHopeless({ chain }: Pick<Context, 'chain'>, hash: string): Promise<void> {
  const receipt = (await chain.findTransaction(hash))?.receipt
  if (!receipt) return
  if (receipt.status === 'reverted') throw new AppError('transaction_failed')
  const hasLogged = (name: VaultEvent['name']) =>
    receipt.events.some(({ event }) => event.name === name)
  if (hasLogged('PolicyProposed') && !hasLogged('PolicyConfigured')) {
    throw new AppError('state_conflict', {
      message: 'This transaction only proposes a policy. Sync the one that activates it.',
    })
  }
  if (!hasLogged('PolicyConfigured')) {
    throw new AppError('transaction_mismatch', {
      message: 'This transaction configures no policy of this organization.',
    })
  }
}
