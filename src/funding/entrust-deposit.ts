/**
 * A deposit with a provider that sends by itself. That it may have been asked is written down
 * before it is; the action's id is its key, and is used again only while the provider remembers
 * it. The provider tells where to look; the chain alone tells what happened.
 */
import { timestampToMilliseconds } from '#platform/clock.ts'
import type { FundingProvider, SendingProvider } from '#ports/funding-provider.ts'
import { isAsPrepared } from '#treasury/judge-transaction.ts'
import { updateActionHash, updateActionSubmitted } from './actions.store.ts'
import { isOpen } from './funding-action.ts'
import { asAttached, type FundingContext } from './funding-provider.ts'
import { moveAction } from './move-action.ts'
import { findMined } from './signed-transaction.ts'
import { depositCall, holding, mayDeposit, type Task } from './task.ts'
import { enqueueWatch } from './watch-control.ts'

type Sender = FundingProvider & SendingProvider
type Step = Promise<'ended' | undefined>

const GIVEN_UP_AFTER_MS = 24 * 60 * 60 * 1000

export const entrustDeposit = (ctx: FundingContext, provider: Sender, task: Task): Step =>
  task.action.state === 'requested' ? entrust(ctx, provider, task) : lookFor(ctx, provider, task)

async function entrust(ctx: FundingContext, provider: Sender, task: Task): Step {
  const { action, control, wallet } = task
  const isRepeat = action.submittedAt !== null
  const may = isRepeat ? isRemembered(ctx, provider, task) : await writeAhead(ctx, task)
  if (may === 'ended') return 'ended'
  // Nobody may ask again, and nobody knows: a person has to look.
  if (!may) return undefined
  const asked = asAttached(control, wallet)
  const call = depositCall(ctx, task)
  const answer = await provider.send({ ...asked, actionId: action.id, call })
  // A refusal says nothing of an earlier request, whose answer was lost.
  if (answer.outcome === 'refused' && isRepeat) return undefined
  return holding(ctx, task, async (tx, { action: held }) => {
    if (held.state !== 'requested') return undefined
    if (answer.outcome === 'sent') {
      const { transactionHash, providerReference } = answer
      const event = 'broadcast'
      await moveAction(ctx, tx, { action: held, event, transactionHash, providerReference })
      return undefined
    }
    const event = answer.outcome === 'denied' ? 'deny' : 'fail'
    await moveAction(ctx, tx, { action: held, event, failureCode: answer.code })
    return 'ended'
  })
}

function isRemembered(
  { clock }: Pick<FundingContext, 'clock'>,
  { repeatForMs }: Sender,
  { action: { submittedAt } }: Task,
): boolean {
  const since = timestampToMilliseconds(submittedAt ?? '')
  return clock.now().getTime() - since < repeatForMs
}

/** True when the provider may be asked now. */
async function writeAhead(ctx: FundingContext, task: Task): Promise<boolean | 'ended'> {
  const { number: head } = await ctx.chain.latestBlock()
  const balanceBefore = await ctx.chain.tokenBalance({
    address: task.control.vaultAddress,
    blockNumber: Math.max(0, head - ctx.chain.confirmations + 1),
  })
  return holding(ctx, task, async (tx, { action, control }) => {
    if (!isOpen(action)) return 'ended'
    if (!(await mayDeposit(ctx, tx, control))) {
      await moveAction(ctx, tx, { action, event: 'fail', failureCode: 'signer_not_ready' })
      return 'ended'
    }
    const { organizationId, id: actionId } = action
    const row = { organizationId, actionId, balanceBefore, transactionHash: null }
    await updateActionSubmitted(tx, { ...row, at: ctx.clock.now() })
    return true
  })
}

async function lookFor(ctx: FundingContext, provider: Sender, task: Task): Step {
  const { providerReference, broadcastAt } = task.action
  const report = providerReference ? await provider.look({ providerReference }) : undefined
  const transactionHash = report?.transactionHash ?? task.action.transactionHash
  if (transactionHash !== null && transactionHash !== task.action.transactionHash) {
    await follow(ctx, task, transactionHash)
  }
  const found = transactionHash === null ? undefined : await findMined(ctx, transactionHash)
  if (!found) {
    const age = ctx.clock.now().getTime() - timestampToMilliseconds(broadcastAt ?? '')
    const isGone = report?.state === 'ended' && age > GIVEN_UP_AFTER_MS
    return isGone ? fail(ctx, task, 'transaction_not_found') : undefined
  }
  const { vaultAddress } = task.control
  const wanted = { vaultAddress, from: task.wallet.address, amount: task.action.amount }
  if (!found.isFinal) return undefined
  // Some other transaction tells nothing of this deposit: a person has to look.
  if (!isAsPrepared(found.transaction, ctx.chain.deposit(wanted))) return undefined
  if (found.isReverted) return fail(ctx, task, 'transaction_reverted')
  const { blockNumber } = found
  const balanceAfter = await ctx.chain.tokenBalance({ address: vaultAddress, blockNumber })
  return holding(ctx, task, async (tx, { action }): Step => {
    if (!isOpen(action)) return 'ended'
    await moveAction(ctx, tx, { action, event: 'confirm', balanceAfter })
    const { organizationId, controlId } = action
    await enqueueWatch(ctx, tx, { organizationId, controlId }, 0)
    return 'ended'
  })
}

/** It was sent under another hash, with a higher fee. */
const follow = (ctx: FundingContext, task: Task, transactionHash: string): Promise<void> =>
  holding(ctx, task, async (tx, { action: { organizationId, id: actionId } }) =>
    updateActionHash(tx, { organizationId, actionId, transactionHash, at: ctx.clock.now() }),
  )

const fail = (ctx: FundingContext, task: Task, failureCode: string): Step =>
  holding(ctx, task, async (tx, { action }): Step => {
    if (isOpen(action)) await moveAction(ctx, tx, { action, event: 'fail', failureCode })
    return 'ended'
  })
