/** Waits for the follower to store a policy that the caller saw on the chain. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#context.ts'
import type { Member } from '#organizations/permissions.ts'
import { AppError } from '#platform/errors.ts'
import type { PolicyRecord } from './intent-records.ts'
import { findSyncedPolicy } from './overview.ts'

const PATIENCE_MS = 2_000
const LOOK_EVERY_MS = 100

export async function syncPolicy(
  ctx: Pick<Context, 'db' | 'chain'>,
  { member, transactionHash }: { member: Member; transactionHash: string },
): Promise<PolicyRecord> {
  const hash = transactionHash.toLowerCase()
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const policy = await findSyncedPolicy(ctx, { member, transactionHash: hash })
    if (policy) return policy
    await requireMayCome(ctx, hash)
    if (performance.now() > until) break
    await wait(LOOK_EVERY_MS)
  }
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
