/** The follower's loop, in every worker: whoever gets the lock of a step does it. */
import { setTimeout as wait } from 'node:timers/promises'
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import { findPosition } from './chain.store.ts'
import { followStep, RANGE_MAX } from './follower.ts'
import type { LogHandlers } from './log-handlers.ts'

export type Follower = { stop(): Promise<void> }

const REST_AFTER_TROUBLE_MS = 1_000

async function ageInSeconds({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<number> {
  const position = await findPosition(db).catch(() => undefined)
  if (!position) return Number.NaN
  return timestampToSeconds(clock.now().toISOString()) - timestampToSeconds(position.seenAt)
}

export function startFollower(
  ctx: Pick<Context, 'db' | 'chain' | 'clock' | 'log' | 'config' | 'metrics'>,
  handlers: LogHandlers,
): Follower {
  const stopping = new AbortController()
  const { signal } = stopping
  const rest = (ms: number) => wait(ms, undefined, { signal }).catch(() => {})
  let troubles = 0
  // Many nodes refuse long ranges, each with other words: after any trouble it asks for less.
  let range = RANGE_MAX
  ctx.metrics.gauge('chain_troubles', 'Steps of the follower that failed in a row', () => troubles)
  // A node that has stopped gives no trouble: it says in good order that nothing is new.
  ctx.metrics.gauge('chain_age_seconds', 'Time since the head of the chain was last read', () =>
    ageInSeconds(ctx),
  )

  const loop = async () => {
    while (!signal.aborted) {
      try {
        const outcome = await followStep(ctx, handlers, { range })
        troubles = 0
        if (outcome === 'moved') range = Math.min(RANGE_MAX, range + Math.ceil(range / 5))
        if (outcome !== 'moved') await rest(ctx.config.chain.followEveryMs)
      } catch (error) {
        troubles += 1
        range = Math.max(1, Math.floor(range / 2))
        if (troubles === 1 && !signal.aborted)
          ctx.log.warn({ err: error }, 'the chain cannot be followed')
        await rest(REST_AFTER_TROUBLE_MS)
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
