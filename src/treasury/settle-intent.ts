/**
 * Job, and the second half of `confirm`: what the chain says of an intent's transaction is what
 * happened. The chain is read first; then one transaction writes what follows from it.
 */
import { SYSTEM } from '#journal/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { isUnavailable } from '#platform/errors.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import { deploymentEnding } from './deployment-ending.ts'
import { type Ending, isOpen, type SettleContext } from './intent-ending.ts'
import {
  findDeployment,
  findPolicyIntent,
  type IntentHead,
  type IntentKind,
  lockIntent,
} from './intents.store.ts'
import { LOOK_AGAIN_SECONDS, secondsToNextLook } from './look-again.ts'
import { moveIntent } from './move-intent.ts'
import { policyEnding } from './policy-ending.ts'

/** What was looked for, and how it ends; undefined when nothing is to be looked for. */
type Look = { hash: string; ending: Ending | undefined } | undefined

/** The intent that is still to be looked for; undefined when it is settled. */
export async function settleIntent(
  ctx: SettleContext,
  payload: JobPayloads['settle_intent'],
): Promise<IntentHead | undefined> {
  const { organizationId, kind } = payload
  const look =
    kind === 'policy' ? await lookAtPolicy(ctx, payload) : await lookAtDeployment(ctx, payload)
  if (!look) return undefined
  const { hash, ending } = look
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const intent = await lockIntent(tx, kind, payload)
    if (!intent || !isOpen(intent)) return undefined
    // A slow look says nothing about a transaction that was named after it had begun.
    if (!ending || intent.transactionHash !== hash) return intent
    // Lost once is lost: it is said when it happens, not at every look.
    if (ending.event === 'lose' && intent.state === 'reconciling') return intent
    await end(ctx, tx, { kind, intent, ending })
    return ending.event === 'lose' ? intent : undefined
  })
}

type Key = { organizationId: string; intentId: string }

async function lookAtDeployment(ctx: SettleContext, key: Key): Promise<Look> {
  const { organizationId } = key
  const intent = await ctx.db.transaction({ organizationId }, (tx) => findDeployment(tx, key))
  if (!intent?.transactionHash || !isOpen(intent)) return undefined
  const { transactionHash: hash } = intent
  return { hash, ending: await deploymentEnding(ctx, { intent, hash }) }
}

async function lookAtPolicy(ctx: SettleContext, key: Key): Promise<Look> {
  const { organizationId } = key
  const intent = await ctx.db.transaction({ organizationId }, (tx) => findPolicyIntent(tx, key))
  if (!intent?.transactionHash || !isOpen(intent)) return undefined
  const { transactionHash: hash } = intent
  return { hash, ending: await policyEnding(ctx, { intent, hash }) }
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
    ending: Ending
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

/** A queue waits longer after every failure; a chain that is away is looked for as before. */
const awayOrThrow = (error: unknown): 'away' => {
  if (isUnavailable(error)) return 'away'
  throw error
}

/** Job: looks, and comes back until it is settled. */
export async function settleIntentJob(
  ctx: SettleContext,
  payload: JobPayloads['settle_intent'],
): Promise<void> {
  const open = await settleIntent(ctx, payload).catch(awayOrThrow)
  if (open === undefined) return
  const since = open === 'away' ? null : open.submittedAt
  const inSeconds = since === null ? LOOK_AGAIN_SECONDS : secondsToNextLook(since, ctx.clock.now())
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
