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

/** The hash that was observed and its ending; undefined when the intent is not open. */
type Observation = { hash: string; ending: IntentOutcome | undefined } | undefined

/** Returns the intent while it is still open; undefined when it is settled. */
export async function settleIntent(
  ctx: SettleContext,
  payload: JobPayloads['settle_intent'],
): Promise<IntentHead | undefined> {
  const { organizationId, kind } = payload
  const observation =
    kind === 'policy' ? await observePolicy(ctx, payload) : await observeDeployment(ctx, payload)
  if (!observation) return undefined
  const { hash, ending } = observation
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const intent = await lockIntent(tx, kind, payload)
    if (!intent || !isOpen(intent)) return undefined
    // A slow observation says nothing about a hash that was submitted after it began.
    if (!ending || intent.transactionHash !== hash) return intent
    // The move to `reconciling` is recorded once, not at every poll.
    if (ending.event === 'lose' && intent.state === 'reconciling') return intent
    await end(ctx, tx, { kind, intent, ending })
    return ending.event === 'lose' ? intent : undefined
  })
}

type IntentKey = { organizationId: string; intentId: string }

async function observeDeployment(ctx: SettleContext, key: IntentKey): Promise<Observation> {
  const { organizationId } = key
  const intent = await ctx.db.transaction({ organizationId }, (tx) => findDeployment(tx, key))
  if (!intent?.transactionHash || !isOpen(intent)) return undefined
  const { transactionHash: hash } = intent
  return { hash, ending: await judgeDeployment(ctx, { intent, hash }) }
}

async function observePolicy(ctx: SettleContext, key: IntentKey): Promise<Observation> {
  const { organizationId } = key
  const intent = await ctx.db.transaction({ organizationId }, (tx) => findPolicyIntent(tx, key))
  if (!intent?.transactionHash || !isOpen(intent)) return undefined
  const { transactionHash: hash } = intent
  return { hash, ending: await judgePolicy(ctx, { intent, hash }) }
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
  const since = open === 'unavailable' ? null : open.submittedAt
  const inSeconds = since === null ? LOOK_AGAIN_SECONDS : secondsToNextPoll(since, ctx.clock.now())
  await ctx.db.transaction({}, (tx) => enqueueSettlement(tx, payload, inSeconds))
}

export const enqueueSettlement = (
  tx: Tx,
  payload: JobPayloads['settle_intent'],
  inSeconds: number,
): Promise<void> =>
  enqueue(tx, 'settle_intent', payload, {
    key: `settle_intent:${payload.intentId}`,
    delaySeconds: inSeconds,
  })
