/**
 * A deposit with a provider that sends by itself. That it may have been asked is written down
 * before it is; the key is that of the request, and is used again only while the provider remembers
 * it. The provider tells where to look; the chain alone tells what happened.
 */
import { timestampToMilliseconds } from '#platform/clock.ts'
import { uuidOf } from '#platform/digest.ts'
import type {
  FundingProvider,
  FundingSendAnswer,
  FundingSent,
  SendingProvider,
} from '#ports/funding-provider.ts'
import { isAsPrepared } from '#treasury/judge-transaction.ts'
import {
  type ActionRow,
  isConfirmedBefore,
  updateActionHash,
  updateActionSubmitted,
  updateActionUnanswered,
} from './actions.store.ts'
import { enqueueWatch } from './enqueue-watch.ts'
import { findMined, type Mined } from './find-mined.ts'
import { isOpen } from './funding-action.ts'
import { asAttached, type FundingContext } from './funding-provider.ts'
import { moveAction } from './move-action.ts'
import { depositCall, holding, mayDeposit, readVaultBefore, type Task } from './task.ts'

type Sender = FundingProvider & SendingProvider
type Step = Promise<'ended' | undefined>

export const GIVEN_UP_AFTER_MS = 24 * 60 * 60 * 1000

export const entrustDeposit = (ctx: FundingContext, provider: Sender, task: Task): Step =>
  task.action.state === 'requested' ? entrust(ctx, provider, task) : lookFor(ctx, provider, task)

async function entrust(ctx: FundingContext, provider: Sender, task: Task): Step {
  const { action } = task
  const request = requestOf(ctx, task)
  const startedAt = ctx.clock.now()
  if (action.submittedAt !== null) {
    const found = await provider.find(request)
    if (found) return noteSent(ctx, task, found)
    // Nobody may ask again, and nobody knows: a person has to look.
    if (!isRemembered(ctx, provider, action)) return undefined
  }
  const written = await writeAhead(ctx, task)
  if (written === 'ended' || !written) return written
  const answer = await provider.send(request)
  if (answer.outcome === 'sent') return noteSent(ctx, task, answer)
  const isOnItsWay =
    written.unansweredBefore !== null &&
    ageAt(startedAt, written.unansweredBefore) <= provider.requestLifetimeMs
  return noteRefused(ctx, task, { answer, written, isOnItsWay })
}

function requestOf(ctx: FundingContext, task: Task) {
  const { action, control, wallet } = task
  const actionId = referenceOf(action)
  return { ...asAttached(control, wallet), actionId, call: depositCall(ctx, task) }
}

/** Of the request, not of the row: a database that was put back asks with the same one again. */
const referenceOf = ({ organizationId, accountId, idempotencyKey }: ActionRow): string =>
  uuidOf(['countersign.funding.v1', organizationId, accountId, idempotencyKey].join(':'))

const ageAt = (now: Date, since: string): number => now.getTime() - timestampToMilliseconds(since)

const isRemembered = (
  { clock }: Pick<FundingContext, 'clock'>,
  { repeatForMs }: Sender,
  { submittedAt }: ActionRow,
): boolean => ageAt(clock.now(), submittedAt ?? '') < repeatForMs

type Written = {
  /** When this request was written down, and the one before it that has no answer. */
  at: Date
  unansweredBefore: string | null
}

/** Undefined when somebody else was faster: what they asked has to be looked for first. */
async function writeAhead(ctx: FundingContext, task: Task): Promise<Written | 'ended' | undefined> {
  const isFirst = task.action.submittedAt === null
  const stand = isFirst ? await readVaultBefore(ctx, task.control) : { balanceBefore: null }
  return holding(ctx, task, async (tx, { action, control }) => {
    if (!isOpen(action)) return 'ended'
    if (action.state !== 'requested' || isFirst !== (action.submittedAt === null)) return undefined
    if (isFirst && !(await mayDeposit(ctx, tx, control))) {
      await moveAction(ctx, tx, { action, event: 'fail', failureCode: 'signer_not_ready' })
      return 'ended'
    }
    const at = ctx.clock.now()
    if (action.unansweredAt === at.toISOString()) return undefined
    const key = { organizationId: action.organizationId, actionId: action.id }
    await updateActionSubmitted(tx, { ...key, ...stand, transactionHash: null, at })
    await updateActionUnanswered(tx, { ...key, unansweredAt: at, at })
    return { at, unansweredBefore: action.unansweredAt }
  })
}

export const noteSent = (ctx: FundingContext, task: Task, sent: FundingSent): Step =>
  holding(ctx, task, async (tx, { action }) => {
    if (action.state !== 'requested') return undefined
    const { transactionHash, providerReference } = sent
    await moveAction(ctx, tx, { action, event: 'broadcast', transactionHash, providerReference })
    return undefined
  })

type Refused = {
  answer: Exclude<FundingSendAnswer, FundingSent>
  written: Written
  /** An earlier request may still be done: this answer says nothing of that. */
  isOnItsWay: boolean
}

const noteRefused = (
  ctx: FundingContext,
  task: Task,
  { answer, written: { at, unansweredBefore }, isOnItsWay }: Refused,
): Step =>
  holding(ctx, task, async (tx, { action }): Step => {
    if (action.state !== 'requested') return undefined
    const isNewest = action.unansweredAt === at.toISOString()
    if (isNewest && !isOnItsWay) {
      const event = answer.outcome === 'denied' ? 'deny' : 'fail'
      await moveAction(ctx, tx, { action, event, failureCode: answer.code })
      return 'ended'
    }
    const key = { organizationId: action.organizationId, actionId: action.id }
    const unansweredAt = isNewest ? unansweredBefore : action.unansweredAt
    await updateActionUnanswered(tx, { ...key, unansweredAt, at: ctx.clock.now() })
    return undefined
  })

async function lookFor(ctx: FundingContext, provider: Sender, task: Task): Step {
  const { providerReference, broadcastAt } = task.action
  const sent = providerReference ? undefined : await provider.find(requestOf(ctx, task))
  const reference = providerReference ?? sent?.providerReference
  const report = reference ? await provider.poll({ providerReference: reference }) : sent
  const transactionHash = report?.transactionHash ?? task.action.transactionHash
  if (transactionHash !== null && transactionHash !== task.action.transactionHash) {
    await follow(ctx, task, transactionHash)
  }
  const found = transactionHash === null ? undefined : await findMined(ctx, transactionHash)
  if (found) return found.isFinal ? conclude(ctx, task, found) : undefined
  // One that the provider has no word for can only be looked for on the chain.
  const isUnderWay = report && 'state' in report && report.state === 'under_way'
  const isOld = ageAt(ctx.clock.now(), broadcastAt ?? '') > GIVEN_UP_AFTER_MS
  if (isUnderWay || !isOld) return undefined
  const isKnown = transactionHash !== null && (await ctx.chain.findTransaction(transactionHash))
  return isKnown ? undefined : fail(ctx, task, 'transaction_not_found')
}

/** The chain's word, if it is of this deposit: of any other, a person has to look. */
export async function conclude(ctx: FundingContext, task: Task, mined: Mined): Step {
  const { vaultAddress } = task.control
  const { amount, submittedBlock } = task.action
  const { blockNumber, transaction } = mined
  const wanted = ctx.chain.deposit({ vaultAddress, from: task.wallet.address, amount })
  if (!isAsPrepared(transaction, wanted)) return undefined
  // What was mined before anybody asked is an earlier deposit, whoever names it.
  if (submittedBlock === null || blockNumber <= submittedBlock) return undefined
  if (mined.isReverted) return fail(ctx, task, 'transaction_reverted')
  const balanceAfter = await ctx.chain.tokenBalance({ address: vaultAddress, blockNumber })
  const transactionHash = transaction.hash
  return holding(ctx, task, async (tx, { action }): Step => {
    if (!isOpen(action)) return 'ended'
    await moveAction(ctx, tx, { action, event: 'confirm', transactionHash, balanceAfter })
    const { organizationId, controlId } = action
    await enqueueWatch(ctx, tx, { organizationId, controlId }, 0)
    return 'ended'
  }).catch((error) => {
    if (isConfirmedBefore(error)) return undefined
    throw error
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
