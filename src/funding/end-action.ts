/**
 * Lets an operator end a delegated deposit whose outcome the provider no longer reports. If the
 * chain has the deposit, it is confirmed; otherwise it fails.
 */
import { findPosition } from '#chain/chain.store.ts'
import type { Context } from '#context.ts'
import { hasTransaction } from '#funding/lane-store/transactions.store.ts'
import { timestampToMilliseconds } from '#platform/clock.ts'
import { AppError } from '#platform/errors.ts'
import { findActionOrganization, listReceived } from './actions.store.ts'
import { GIVEN_UP_AFTER_MS, recordSent, settleMined } from './delegate-deposit.ts'
import { findMined } from './find-mined.ts'
import { isOpen } from './funding-action.ts'
import type { FundingContext } from './funding-provider.ts'
import { moveAction } from './move-action.ts'
import { type OpenAction, withLockedAction } from './open-action.ts'
import { loadOpenAction } from './run-action.ts'

type EndContext = FundingContext & Pick<Context, 'observerDb'>

export async function endAction(
  ctx: EndContext,
  actionId: string,
): Promise<'confirmed' | 'failed'> {
  const organizationId = await findActionOrganization(ctx.observerDb, actionId)
  const open = organizationId && (await loadOpenAction(ctx, { organizationId, actionId }))
  if (!open) throw new AppError('not_found', { message: 'No open funding action has this id.' })
  await requireOverdue(ctx, open)
  for (const hash of await listCandidates(ctx, open)) {
    if (await confirmWith(ctx, { organizationId, actionId }, hash)) return 'confirmed'
  }
  return withLockedAction(ctx, open, async (tx, { action }) => {
    if (!isOpen(action)) throw conflict('The action has ended meanwhile. Read it.')
    const data = { endedBy: 'operator' }
    await moveAction(ctx, tx, { action, event: 'fail', failureCode: 'ended_by_operator', data })
    return 'failed' as const
  })
}

const conflict = (message: string) => new AppError('state_conflict', { message })

/** Refuses while the provider or the chain could still carry out the deposit. */
async function requireOverdue(ctx: EndContext, { action }: OpenAction): Promise<void> {
  const { organizationId, id: actionId, transactionHash } = action
  const signed = await ctx.db.read({ organizationId }, (reader) =>
    hasTransaction(reader, { organizationId, actionId }),
  )
  if (signed || action.action !== 'deposit' || action.submittedAt === null) {
    throw conflict('No provider was asked to send this. The action ends by itself.')
  }
  const lastAt = action.broadcastAt ?? action.unansweredAt ?? action.submittedAt
  if (ctx.clock.now().getTime() - timestampToMilliseconds(lastAt) <= GIVEN_UP_AFTER_MS) {
    throw conflict('The provider was asked less than a day ago. Repeat after a day.')
  }
  const sent =
    transactionHash === null ? undefined : await ctx.chain.findTransaction(transactionHash)
  if (sent && !sent.receipt)
    throw conflict(`${transactionHash} may still be mined. Repeat when it has a receipt.`)
}

/** From the stored logs. The follower must have read all final blocks. */
async function listCandidates(ctx: EndContext, { action, control, wallet }: OpenAction) {
  const { number: head } = await ctx.chain.latestBlock()
  const read = await findPosition(ctx.db)
  if (!read || read.number < head - ctx.chain.confirmations + 1) {
    throw conflict('The follower has not read all final blocks yet. Repeat in a minute.')
  }
  const { organizationId, amount, submittedBlock } = action
  const { vaultAddress } = control
  const from = { vaultAddress, address: wallet.address, amount, afterBlock: submittedBlock ?? 0 }
  return ctx.db.read({ organizationId }, (reader) => listReceived(reader, from))
}

async function confirmWith(
  ctx: EndContext,
  key: { organizationId: string; actionId: string },
  transactionHash: string,
): Promise<boolean> {
  const mined = await findMined(ctx, transactionHash)
  const open = await loadOpenAction(ctx, key)
  if (!mined || !open) return false
  if (!mined.isFinal) throw conflict(`${transactionHash} is not final yet. Repeat in a minute.`)
  const { providerReference } = open.action
  await recordSent(ctx, open, { outcome: 'sent', transactionHash: null, providerReference })
  return (await settleMined(ctx, open, mined)) === 'ended'
}
