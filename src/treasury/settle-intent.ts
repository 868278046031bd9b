/**
 * Settles an intent from the state of its transaction on chain, for the job and for `confirm`. It
 * reads the chain first and then writes the result in one transaction.
 */
import { SYSTEM } from '#journal/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { isUnavailable } from '#platform/errors.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import { judgeDeployment } from './deployment-ending.ts'
import { type IntentOutcome, isOpen, type SettleContext } from './intent-ending.ts'
import {
  findDeployment,
  findPolicyIntent,
  type IntentHead,
  type IntentKind,
  lockIntent,
} from './intents.store.ts'
import { moveIntent } from './move-intent.ts'
import { judgePolicy } from './policy-ending.ts'
import { LOOK_AGAIN_SECONDS, secondsToNextPoll } from './poll-interval.ts'
import { judgeProposed } from './proposal-ending.ts'

/** The hash that was observed and its ending; undefined when there is nothing to poll. */
type Observation =
  | {
      hash: string
      ending: IntentOutcome | undefined
      /** How long the outcome has been open. Null: since the submission. */
      since: string | null
    }
  | undefined

type OpenIntent = { openSince: string | null }

/** Undefined when the intent is settled, or waits for an event that starts the job again. */
export async function settleIntent(
  ctx: SettleContext,
  payload: JobPayloads['settle_intent'],
): Promise<OpenIntent | undefined> {
  const { organizationId, kind } = payload
  const observation =
    kind === 'policy' ? await observePolicy(ctx, payload) : await observeDeployment(ctx, payload)
  if (!observation) return undefined
  const { hash, ending, since } = observation
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const intent = await lockIntent(tx, kind, payload)
    if (!intent || !isOpen(intent)) return undefined
    const open = { openSince: since ?? intent.submittedAt }
    // A slow observation says nothing about a hash that was submitted after it began.
    if (!ending || intent.transactionHash !== hash) return open
    // The move to `reconciling` is recorded once, not at every poll.
    if (ending.event === 'lose' && intent.state === 'reconciling') return open
    await end(ctx, tx, { kind, intent, ending })
    // A proposal may have ended before the intent was linked to it.
    const isOpenStill = ending.event === 'lose' || ending.event === 'propose'
    return isOpenStill ? open : undefined
  })
}

type IntentKey = { organizationId: string; intentId: string }

async function observeDeployment(ctx: SettleContext, key: IntentKey): Promise<Observation> {
  const { organizationId } = key
  const intent = await ctx.db.read({ organizationId }, (reader) => findDeployment(reader, key))
  if (!intent?.transactionHash || !isOpen(intent)) return undefined
  const { transactionHash: hash } = intent
  return { hash, ending: await judgeDeployment(ctx, { intent, hash }), since: null }
}

async function observePolicy(ctx: SettleContext, key: IntentKey): Promise<Observation> {
  const { organizationId } = key
  const intent = await ctx.db.read({ organizationId }, (reader) => findPolicyIntent(reader, key))
  if (!intent?.transactionHash || !isOpen(intent)) return undefined
  const { transactionHash: hash, proposalRowId: id } = intent
  if (id === null) return { hash, ending: await judgePolicy(ctx, { intent, hash }), since: null }
  const proposed = await judgeProposed(ctx, { organizationId, id })
  return proposed && { hash, ...proposed }
}

async function end(
  ctx: SettleContext,
  tx: Tx,
  {
    kind,
    intent,
    ending,
  }: {
    kind: IntentKind
    intent: IntentHead
    ending: IntentOutcome
  },
): Promise<void> {
  const outcome = ending.event === 'confirm' ? await ending.finish(tx) : undefined
  await moveIntent(ctx, tx, {
    kind,
    intent,
    event: ending.event,
    actor: SYSTEM,
    ...('failureCode' in ending && { failureCode: ending.failureCode }),
    ...(outcome !== undefined && { outcome }),
    ...(ending.event === 'propose' && { proposalRowId: ending.proposalRowId }),
  })
}

/**
 * The queue backs off after failures; an unavailable chain is polled at the usual interval instead.
 */
const unavailableOrThrow = (error: unknown): 'unavailable' => {
  if (isUnavailable(error)) return 'unavailable'
  throw error
}

/** Job: polls until the intent is settled. */
export async function settleIntentJob(
  ctx: SettleContext,
  payload: JobPayloads['settle_intent'],
): Promise<void> {
  const open = await settleIntent(ctx, payload).catch(unavailableOrThrow)
  if (open === undefined) return
  const since = open === 'unavailable' ? null : open.openSince
  const inSeconds = since === null ? LOOK_AGAIN_SECONDS : secondsToNextPoll(since, ctx.clock.now())
  await ctx.db.transaction({}, (tx) => enqueueSettlement(tx, payload, inSeconds))
}

export const enqueueSettlement = (
  tx: Tx,
  payload: JobPayloads['settle_intent'],
  inSeconds: number,
): void =>
  enqueue(tx, 'settle_intent', payload, {
    key: `settle_intent:${payload.intentId}`,
    delaySeconds: inSeconds,
  })
