/**
 * An operator's way out for a deposit that a provider sends and nobody hears of any more. The chain
 * has the last word: a deposit that it has is confirmed, and only without one it is given up.
 */
import { findPosition } from '#chain/chain.store.ts'
import type { Context } from '#context.ts'
import { hasTransaction } from '#funding/lane-store/transactions.store.ts'
import { timestampToMilliseconds } from '#platform/clock.ts'
import { AppError } from '#platform/errors.ts'
import { findActionOrganization, listReceived } from './actions.store.ts'
import { conclude, GIVEN_UP_AFTER_MS, noteSent } from './delegate-deposit.ts'
import { findMined } from './find-mined.ts'
import { isOpen } from './funding-action.ts'
import type { FundingContext } from './funding-provider.ts'
import { moveAction } from './move-action.ts'
import { loadTask } from './run-action.ts'
import { holding, type Task } from './task.ts'

type EndContext = FundingContext & Pick<Context, 'observerDb'>

export async function endAction(
  ctx: EndContext,
  actionId: string,
): Promise<'confirmed' | 'failed'> {
  const organizationId = await findActionOrganization(ctx.observerDb, actionId)
  const task = organizationId && (await loadTask(ctx, { organizationId, actionId }))
  if (!task) throw new AppError('not_found', { message: 'No such action is open.' })
  await requireForgotten(ctx, task)
  for (const hash of await listCandidates(ctx, task)) {
    if (await confirmWith(ctx, { organizationId, actionId }, hash)) return 'confirmed'
  }
  return holding(ctx, task, async (tx, { action }) => {
    if (!isOpen(action)) throw conflict('It has ended meanwhile.')
    const data = { endedBy: 'operator' }
    await moveAction(ctx, tx, { action, event: 'fail', failureCode: 'ended_by_operator', data })
    return 'failed' as const
  })
}

const conflict = (message: string) => new AppError('state_conflict', { message })

/** Nothing that was asked for can still be done by anybody. */
async function requireForgotten(ctx: EndContext, { action }: Task): Promise<void> {
  const { organizationId, id: actionId, transactionHash } = action
  const signed = await ctx.db.transaction({ organizationId }, (tx) =>
    hasTransaction(tx, { organizationId, actionId }),
  )
  if (signed || action.action !== 'deposit' || action.submittedAt === null) {
    throw conflict('It ends by itself: no provider was asked to send anything.')
  }
  const lastAt = action.broadcastAt ?? action.unansweredAt ?? action.submittedAt
  if (ctx.clock.now().getTime() - timestampToMilliseconds(lastAt) <= GIVEN_UP_AFTER_MS) {
    throw conflict('The provider was asked less than a day ago. Wait.')
  }
  const sent =
    transactionHash === null ? undefined : await ctx.chain.findTransaction(transactionHash)
  if (sent && !sent.receipt) throw conflict(`${transactionHash} may still be mined. Wait.`)
}

/** From the books, which must have come as far as the chain is final. */
async function listCandidates(ctx: EndContext, { action, control, wallet }: Task) {
  const { number: head } = await ctx.chain.latestBlock()
  const read = await findPosition(ctx.db)
  if (!read || read.number < head - ctx.chain.confirmations + 1) {
    throw conflict('The chain has not been read so far yet. Repeat in a minute.')
  }
  const { organizationId, amount, submittedBlock } = action
  const { vaultAddress } = control
  const from = { vaultAddress, address: wallet.address, amount, afterBlock: submittedBlock ?? 0 }
  return ctx.db.transaction({ organizationId }, (tx) => listReceived(tx, from))
}

async function confirmWith(
  ctx: EndContext,
  key: { organizationId: string; actionId: string },
  transactionHash: string,
): Promise<boolean> {
  const mined = await findMined(ctx, transactionHash)
  const task = await loadTask(ctx, key)
  if (!mined || !task) return false
  if (!mined.isFinal) throw conflict(`${transactionHash} is not final yet. Repeat in a minute.`)
  const { providerReference } = task.action
  await noteSent(ctx, task, { outcome: 'sent', transactionHash: null, providerReference })
  return (await conclude(ctx, task, mined)) === 'ended'
}
