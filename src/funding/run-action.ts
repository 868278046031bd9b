/**
 * Job: carries out a funding action, and runs again until it has ended. Every request and
 * transaction is persisted before it is sent, so that after a crash the same one is repeated.
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
import { depositCall, type OpenAction } from './open-action.ts'
import { runFundingLane } from './run-funding-lane.ts'
import { runProbe } from './run-probe.ts'

const RUN_AGAIN_SECONDS = 2
const RUN_AGAIN_MAX_SECONDS = 300
const SHARE_OF_AGE = 20
/** Short waits within one run, so that a fast chain needs no second run. */
const PAUSES_MS = [0, 50, 100, 200, 400, 800]

type Payload = JobPayloads['run_funding_action']

export const enqueueAction = (
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  payload: Payload,
  inSeconds: number,
): void =>
  enqueue(tx, 'run_funding_action', payload, {
    key: `run_funding_action:${payload.actionId}`,
    runAt: addSeconds(ctx.clock.now(), inSeconds),
  })

export async function runAction(ctx: FundingContext, payload: Payload): Promise<void> {
  for (const pauseMs of PAUSES_MS) {
    await wait(pauseMs)
    if ((await step(ctx, payload).catch(ifUnavailable)) === 'ended') return
  }
  await scheduleNextRun(ctx, payload)
}

/** The job schedules its own retry, because the back-off of the queue grows with each failure. */
const ifUnavailable = (error: unknown): undefined => {
  if (!isUnavailable(error)) throw error
}

/** Undefined while the action is open. */
async function step(ctx: FundingContext, payload: Payload): Promise<'ended' | undefined> {
  const open = await loadOpenAction(ctx, payload)
  if (!open) return 'ended'
  const provider = providerOf(ctx, open.control.provider)
  if (open.action.action === 'withdraw_probe') return runProbe(ctx, provider, open)
  if (provider.kind === 'sends') return delegateDeposit(ctx, provider, open)
  await runFundingLane(ctx, { ...open, provider, order: { ...open, call: depositCall(ctx, open) } })
  return (await loadOpenAction(ctx, payload)) ? undefined : 'ended'
}

export const loadOpenAction = (
  ctx: Pick<FundingContext, 'db'>,
  payload: Payload,
): Promise<OpenAction | undefined> =>
  ctx.db.read({ organizationId: payload.organizationId }, async (reader) => {
    const action = await findAction(reader, payload)
    if (!action || !isOpen(action)) return undefined
    const control = await findControlById(reader, action)
    const wallet = control && (await findControlWallet(reader, control))
    if (!wallet) throw new Error('The wallet of a funding control does not exist')
    return { action, control, wallet }
  })

async function scheduleNextRun(ctx: FundingContext, payload: Payload): Promise<void> {
  const { organizationId } = payload
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const action = await lockAction(tx, payload)
    if (!action || !isOpen(action)) return
    const age = ageOf(action, ctx.clock.now())
    if (age * 1000 >= DOUBTED_AFTER_MS) await doubtAction(ctx, tx, action)
    enqueueAction(ctx, tx, payload, secondsToNextRun(age))
  })
}

const ageOf = ({ createdAt }: ActionRow, now: Date): number =>
  timestampToSeconds(now.toISOString()) - timestampToSeconds(createdAt)

/** The interval grows with the age of the action. */
const secondsToNextRun = (age: number): number =>
  Math.min(RUN_AGAIN_MAX_SECONDS, Math.max(RUN_AGAIN_SECONDS, Math.floor(age / SHARE_OF_AGE)))
