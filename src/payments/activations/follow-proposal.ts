/**
 * Job: follows a policy that waits. When it is due, a worker sends the activation through the
 * executor's lane; when nobody activated it in time, it is void.
 */
import { findPosition } from '#chain/chain.store.ts'
import type { Context } from '#context.ts'
import { type Binding, findActiveBinding, findNamedBinding } from '#executor/executor.store.ts'
import { GAS_LOW_WEI } from '#executor/watch-executor.ts'
import { wakeLane } from '#payments/release-payment.ts'
import { addSeconds, toDate } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import { enqueueFollowing, moveProposal } from '#treasury/move-proposal.ts'
import { isEncodable } from '#treasury/proposal.ts'
import { lockProposal, type ProposalRow } from '#treasury/proposals.store.ts'
import { lockActivation, updateActivationLane } from './activations.store.ts'
import { addActivation, moveActivation } from './move-activation.ts'

type FollowContext = Pick<Context, 'db' | 'clock' | 'ids' | 'executor'>

/** The lane settles what it sent; this only finds what is not on its way. */
const AGAIN_SECONDS = 600

export async function followProposal(
  ctx: FollowContext,
  { organizationId, id }: JobPayloads['follow_proposal'],
): Promise<void> {
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const proposal = await lockProposal(tx, { organizationId, id })
    if (proposal?.state !== 'waiting') return cancelActivation(ctx, tx, { organizationId, id })
    const now = ctx.clock.now()
    const position = await findPosition(tx)
    // Only the chain's time counts, at a block up to which every activation is known.
    if (position && position.blockTime >= proposal.expiresAt) {
      await moveProposal(ctx, tx, { proposal, event: 'expire', blockNumber: position.number })
      return cancelActivation(ctx, tx, { organizationId, id })
    }
    const isDue =
      proposal.activatesAt <= now.toISOString() ||
      (position !== undefined && proposal.activatesAt <= position.blockTime)
    if (!isDue) return enqueueFollowing(tx, { organizationId, id }, toDate(proposal.activatesAt))
    await queueActivation(ctx, tx, proposal)
    enqueueFollowing(tx, { organizationId, id }, addSeconds(now, AGAIN_SECONDS))
  })
}

/** Nothing of a queued one was signed. One in flight is settled by its lane: it reverts. */
async function cancelActivation(
  ctx: FollowContext,
  tx: Tx,
  key: { organizationId: string; id: string },
): Promise<void> {
  const activation = await lockActivation(tx, key)
  if (activation?.state !== 'queued') return
  await moveActivation(ctx, tx, { activation, event: 'cancel' })
}

async function queueActivation(ctx: FollowContext, tx: Tx, proposal: ProposalRow): Promise<void> {
  const { organizationId, id, vaultId } = proposal
  const binding = await findSender(ctx, tx, proposal)
  const laneId = binding?.id ?? null
  const code = obstacleOf(ctx, { proposal, binding })
  const activation = await lockActivation(tx, { organizationId, id })
  if (!activation) {
    await addActivation(ctx, tx, { organizationId, id, vaultId, laneId, code })
  } else if (activation.state === 'queued') {
    if (laneId !== null && activation.laneId !== laneId) {
      updateActivationLane(tx, { organizationId, id, laneId })
    }
    // What the lane found out stays until the lane finds otherwise.
    if (code !== null || isObstacle(activation.code)) {
      await moveActivation(ctx, tx, { activation, event: 'postpone', code })
    }
  } else if (!activation.hasOpenAttempt) {
    await moveActivation(ctx, tx, { activation, event: 'queue', code })
    if (laneId !== null) updateActivationLane(tx, { organizationId, id, laneId })
  }
  if (laneId !== null) wakeLane(tx, { organizationId, laneId })
}

/**
 * Anybody may activate. The executor that takes over does if it has gas, so that whoever holds the
 * old one's key cannot delay its replacement; otherwise the one in use.
 */
async function findSender(
  ctx: FollowContext,
  tx: Tx,
  proposal: ProposalRow,
): Promise<Binding | undefined> {
  const { organizationId, policy } = proposal
  const active = await findActiveBinding(tx, organizationId)
  const named = await findNamedBinding(tx, { organizationId, policy })
  const hasGas = named && (!named.paysOwnGas || named.nativeBalanceWei >= GAS_LOW_WEI)
  return hasGas && obstacleOf(ctx, { proposal, binding: named }) === null ? named : active
}

const obstacles = ['executor_not_ready', 'executor_delegated', 'policy_unreadable'] as const
type Obstacle = (typeof obstacles)[number]

const isObstacle = (code: string | null): boolean => obstacles.some((one) => one === code)

/** Why no lane can send it; null if one can. */
function obstacleOf(
  { executor }: FollowContext,
  { proposal, binding }: { proposal: ProposalRow; binding: { providerType: string } | undefined },
): Obstacle | null {
  if (!isEncodable(proposal)) return 'policy_unreadable'
  if (!binding || executor.type !== binding.providerType) return 'executor_not_ready'
  return executor.delegation ? 'executor_delegated' : null
}
