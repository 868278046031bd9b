/** The follower's loop in every worker: the worker that gets the lock takes the step. */
import { setTimeout as wait } from 'node:timers/promises'
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import { findPosition } from './chain.store.ts'
import { followStep } from './follower.ts'
import type { LogHandlers } from './log-handlers.ts'
import { RANGE_MAX, rangeAfter } from './step.ts'

export type Follower = { stop(): Promise<void> }

const REST_AFTER_FAILURE_MS = 1_000

async function ageInSeconds({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<number> {
  const position = await findPosition(db).catch(() => undefined)
  if (!position) return Number.NaN
  return timestampToSeconds(clock.now().toISOString()) - timestampToSeconds(position.seenAt)
}

export function registerFollowerMetrics(
  ctx: Pick<Context, 'db' | 'clock' | 'metrics'>,
  failures: () => number,
): void {
  ctx.metrics.gauge(
    'countersign_chain_troubles',
    'Consecutive failed steps of the follower',
    failures,
  )
  // A stalled node causes no failures, because it still answers; only this gauge reveals it.
  ctx.metrics.gauge(
    'countersign_chain_age_seconds',
    'Seconds since the head of the chain was last read',
    () => ageInSeconds(ctx),
  )
}

export function startFollower(
  ctx: Pick<Context, 'db' | 'chain' | 'clock' | 'log' | 'config' | 'metrics'>,
  handlers: LogHandlers,
): Follower {
  const stopping = new AbortController()
  const { signal } = stopping
  const rest = (ms: number) => wait(ms, undefined, { signal }).catch(() => {})
  let failures = 0
  let range = RANGE_MAX
  registerFollowerMetrics(ctx, () => failures)

  const loop = async () => {
    while (!signal.aborted) {
      try {
        const outcome = await followStep(ctx, handlers, { range })
        failures = 0
        range = rangeAfter(outcome, range)
        if (outcome !== 'moved') await rest(ctx.config.chain.followEveryMs)
      } catch (error) {
        failures += 1
        range = rangeAfter('failed', range)
        if (failures === 1 && !signal.aborted)
          ctx.log.warn({ err: error }, 'cannot follow the chain')
        await rest(REST_AFTER_FAILURE_MS)
      }
    }
  }
  const running = loop()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
