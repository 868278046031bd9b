/**
 * Job: does what a funding action asks for, and comes back until it has ended. Whatever is asked of
 * the provider or sent is on record before, so that a crash at any point repeats the same thing and
 * never another one.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import { DOUBTED_AFTER_MS } from '#funding/lane-store/orders.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { isUnavailable } from '#platform/errors.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import { type ActionRow, findAction, lockAction } from './actions.store.ts'
import { findControlById, findControlWallet } from './controls.store.ts'
import { delegateDeposit } from './delegate-deposit.ts'
import { isOpen } from './funding-action.ts'
import { type FundingContext, providerOf } from './funding-provider.ts'
import { doubtAction } from './move-action.ts'
import { runFundingLane } from './run-funding-lane.ts'
import { runProbe } from './run-probe.ts'
import { depositCall, type Task } from './task.ts'

const LOOK_AGAIN_SECONDS = 2
const LOOK_AGAIN_MAX_SECONDS = 300
const SHARE_OF_AGE = 20
/** A chain that mines at once is waited for a moment, so that nobody has to come back for it. */
const PAUSES_MS = [0, 50, 100, 200, 400, 800]

type Payload = JobPayloads['run_funding_action']

export const enqueueAction = (
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  payload: Payload,
  inSeconds: number,
): Promise<void> =>
  enqueue(tx, 'run_funding_action', payload, {
    key: `run_funding_action:${payload.actionId}`,
    runAt: addSeconds(ctx.clock.now(), inSeconds),
  })

export async function runAction(ctx: FundingContext, payload: Payload): Promise<void> {
  for (const pauseMs of PAUSES_MS) {
    await wait(pauseMs)
    if ((await step(ctx, payload).catch(orSilence)) === 'ended') return
  }
  await comeBack(ctx, payload)
}

/** Whoever is silent is asked again later: the queue itself would wait longer each time. */
const orSilence = (error: unknown): undefined => {
  if (!isUnavailable(error)) throw error
}

/** Undefined while it is still open. */
async function step(ctx: FundingContext, payload: Payload): Promise<'ended' | undefined> {
  const task = await loadTask(ctx, payload)
  if (!task) return 'ended'
  const provider = providerOf(ctx, task.control.provider)
  if (task.action.action === 'withdraw_probe') return runProbe(ctx, provider, task)
  if (provider.kind === 'sends') return delegateDeposit(ctx, provider, task)
  await runFundingLane(ctx, { ...task, provider, order: { ...task, call: depositCall(ctx, task) } })
  return (await loadTask(ctx, payload)) ? undefined : 'ended'
}

export const loadTask = (
  ctx: Pick<FundingContext, 'db'>,
  payload: Payload,
): Promise<Task | undefined> =>
  ctx.db.transaction({ organizationId: payload.organizationId }, async (tx) => {
    const action = await findAction(tx, payload)
    if (!action || !isOpen(action)) return undefined
    const control = await findControlById(tx, action)
    const wallet = control && (await findControlWallet(tx, control))
    if (!wallet) throw new Error('The wallet of a funding control is gone')
    return { action, control, wallet }
  })

async function comeBack(ctx: FundingContext, payload: Payload): Promise<void> {
  const { organizationId } = payload
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const action = await lockAction(tx, payload)
    if (!action || !isOpen(action)) return
    const age = ageOf(action, ctx.clock.now())
    if (age * 1000 >= DOUBTED_AFTER_MS) await doubtAction(ctx, tx, action)
    await enqueueAction(ctx, tx, payload, secondsToNextLook(age))
  })
}

const ageOf = ({ createdAt }: ActionRow, now: Date): number =>
  timestampToSeconds(now.toISOString()) - timestampToSeconds(createdAt)

/** The longer it takes the less often. */
const secondsToNextLook = (age: number): number =>
  Math.min(LOOK_AGAIN_MAX_SECONDS, Math.max(LOOK_AGAIN_SECONDS, Math.floor(age / SHARE_OF_AGE)))
