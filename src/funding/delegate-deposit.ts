/**
 * A deposit through a provider that signs and sends (a delegated deposit). The request is recorded
 * before the provider is asked. Its idempotency key is derived from the member's request, and is
 * repeated only while the provider remembers it. The provider's reports are hints; only the chain
 * decides the outcome.
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
import {
  depositCall,
  mayDeposit,
  type OpenAction,
  readVaultBefore,
  withLockedAction,
} from './open-action.ts'

type Sender = FundingProvider & SendingProvider
type Step = Promise<'ended' | undefined>

export const GIVEN_UP_AFTER_MS = 24 * 60 * 60 * 1000

export const delegateDeposit = (ctx: FundingContext, provider: Sender, open: OpenAction): Step =>
  open.action.state === 'requested'
    ? delegate(ctx, provider, open)
    : trackDeposit(ctx, provider, open)

async function delegate(ctx: FundingContext, provider: Sender, open: OpenAction): Step {
  const { action } = open
  const request = requestOf(ctx, open)
  const startedAt = ctx.clock.now()
  if (action.submittedAt !== null) {
    const found = await provider.find(request)
    if (found) return recordSent(ctx, open, found)
    // The provider no longer remembers the key: a repeat could deposit twice. A person must decide.
    if (!isRemembered(ctx, provider, action)) return undefined
  }
  const written = await writeAhead(ctx, open)
  if (written === 'ended' || !written) return written
  const answer = await provider.send(request)
  if (answer.outcome === 'sent') return recordSent(ctx, open, answer)
  const isEarlierPending =
    written.unansweredBefore !== null &&
    ageAt(startedAt, written.unansweredBefore) <= provider.requestLifetimeMs
  return recordRefusal(ctx, open, { answer, written, isEarlierPending })
}

function requestOf(ctx: FundingContext, open: OpenAction) {
  const { action, control, wallet } = open
  const actionId = referenceOf(action)
  return { ...asAttached(control, wallet), actionId, call: depositCall(ctx, open) }
}

/** Derived from the request, not the row, so a restored backup asks with the same key. */
const referenceOf = ({ organizationId, accountId, idempotencyKey }: ActionRow): string =>
  uuidOf(['countersign.funding.v1', organizationId, accountId, idempotencyKey].join(':'))

const ageAt = (now: Date, since: string): number => now.getTime() - timestampToMilliseconds(since)

const isRemembered = (
  { clock }: Pick<FundingContext, 'clock'>,
  { repeatForMs }: Sender,
  { submittedAt }: ActionRow,
): boolean => ageAt(clock.now(), submittedAt ?? '') < repeatForMs

type RecordedRequest = {
  /** When this request was recorded, and the time of an earlier one without an answer. */
  at: Date
  unansweredBefore: string | null
}

/** Undefined when another worker has recorded a request: its outcome must be found first. */
async function writeAhead(
  ctx: FundingContext,
  open: OpenAction,
): Promise<RecordedRequest | 'ended' | undefined> {
  const isFirst = open.action.submittedAt === null
  const before = isFirst ? await readVaultBefore(ctx, open.control) : { balanceBefore: null }
  return withLockedAction(ctx, open, async (tx, { action, control }) => {
    if (!isOpen(action)) return 'ended'
    if (action.state !== 'requested' || isFirst !== (action.submittedAt === null)) return undefined
    if (isFirst && !(await mayDeposit(ctx, tx, control))) {
      await moveAction(ctx, tx, { action, event: 'fail', failureCode: 'signer_not_ready' })
      return 'ended'
    }
    const at = ctx.clock.now()
    if (action.unansweredAt === at.toISOString()) return undefined
    const key = { organizationId: action.organizationId, actionId: action.id }
    updateActionSubmitted(tx, { ...key, ...before, transactionHash: null, at })
    updateActionUnanswered(tx, { ...key, unansweredAt: at, at })
    return { at, unansweredBefore: action.unansweredAt }
  })
}

export const recordSent = (ctx: FundingContext, open: OpenAction, sent: FundingSent): Step =>
  withLockedAction(ctx, open, async (tx, { action }) => {
    if (action.state !== 'requested') return undefined
    const { transactionHash, providerReference } = sent
    await moveAction(ctx, tx, { action, event: 'broadcast', transactionHash, providerReference })
    return undefined
  })

type Refused = {
  answer: Exclude<FundingSendAnswer, FundingSent>
  written: RecordedRequest
  /** An earlier request may still be carried out; this answer does not cover it. */
  isEarlierPending: boolean
}

const recordRefusal = (
  ctx: FundingContext,
  open: OpenAction,
  { answer, written: { at, unansweredBefore }, isEarlierPending }: Refused,
): Step =>
  withLockedAction(ctx, open, async (tx, { action }): Step => {
    if (action.state !== 'requested') return undefined
    const isNewest = action.unansweredAt === at.toISOString()
    if (isNewest && !isEarlierPending) {
      const event = answer.outcome === 'denied' ? 'deny' : 'fail'
      await moveAction(ctx, tx, { action, event, failureCode: answer.code })
      return 'ended'
    }
    const key = { organizationId: action.organizationId, actionId: action.id }
    const unansweredAt = isNewest ? unansweredBefore : action.unansweredAt
    updateActionUnanswered(tx, { ...key, unansweredAt, at: ctx.clock.now() })
    return undefined
  })

async function trackDeposit(ctx: FundingContext, provider: Sender, open: OpenAction): Step {
  const { providerReference, broadcastAt } = open.action
  const sent = providerReference ? undefined : await provider.find(requestOf(ctx, open))
  const reference = providerReference ?? sent?.providerReference
  const report = reference ? await provider.poll({ providerReference: reference }) : sent
  const transactionHash = report?.transactionHash ?? open.action.transactionHash
  if (transactionHash !== null && transactionHash !== open.action.transactionHash) {
    await updateHash(ctx, open, transactionHash)
  }
  const found = transactionHash === null ? undefined : await findMined(ctx, transactionHash)
  if (found) return found.isFinal ? settleMined(ctx, open, found) : undefined
  // Without a status from the provider, only the chain can show the outcome.
  const isUnderWay = report && 'state' in report && report.state === 'under_way'
  const isOld = ageAt(ctx.clock.now(), broadcastAt ?? '') > GIVEN_UP_AFTER_MS
  if (isUnderWay || !isOld) return undefined
  const isKnown = transactionHash !== null && (await ctx.chain.findTransaction(transactionHash))
  return isKnown ? undefined : fail(ctx, open, 'transaction_not_found')
}

/** Applies the outcome on the chain. Undefined if the transaction is not this deposit. */
export async function settleMined(ctx: FundingContext, open: OpenAction, mined: Mined): Step {
  const { vaultAddress } = open.control
  const { amount, submittedBlock } = open.action
  const { blockNumber, transaction } = mined
  const wanted = ctx.chain.deposit({ vaultAddress, from: open.wallet.address, amount })
  if (!isAsPrepared(transaction, wanted)) return undefined
  // A transaction mined before the request is an earlier deposit.
  if (submittedBlock === null || blockNumber <= submittedBlock) return undefined
  if (mined.isReverted) return fail(ctx, open, 'transaction_reverted')
  const balanceAfter = await ctx.chain.tokenBalance({ address: vaultAddress, blockNumber })
  const transactionHash = transaction.hash
  return withLockedAction(ctx, open, async (tx, { action }): Step => {
    if (!isOpen(action)) return 'ended'
    await moveAction(ctx, tx, { action, event: 'confirm', transactionHash, balanceAfter })
    const { organizationId, controlId } = action
    enqueueWatch(ctx, tx, { organizationId, controlId }, 0)
    return 'ended'
  }).catch((error) => {
    if (isConfirmedBefore(error)) return undefined
    throw error
  })
}

/** The provider replaced the transaction: it has another hash. */
const updateHash = (
  ctx: FundingContext,
  open: OpenAction,
  transactionHash: string,
): Promise<void> =>
  withLockedAction(ctx, open, async (tx, { action: { organizationId, id: actionId } }) =>
    updateActionHash(tx, { organizationId, actionId, transactionHash, at: ctx.clock.now() }),
  )

const fail = (ctx: FundingContext, open: OpenAction, failureCode: string): Step =>
  withLockedAction(ctx, open, async (tx, { action }): Step => {
    if (isOpen(action)) await moveAction(ctx, tx, { action, event: 'fail', failureCode })
    return 'ended'
  })
