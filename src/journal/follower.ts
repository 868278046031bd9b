/**
 * The loops that follow the journal in every worker, each in its own steps. The database wakes
 * them; they poll every 2 s anyway.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#context.ts'
import { startListener } from '#platform/database/listener.ts'

const POLL_EVERY_MS = 2_000
const RETRY_BUSY_MS = 25
/** From one step to the next after an idle one: events come in groups, and one step takes many. */
const GATHER_MS = 250
const REST_AFTER_FAILURE_MS = 1_000

/** `moved`: there may be more events. `busy`: retry soon. */
export type JournalStepOutcome = 'idle' | 'moved' | 'busy'

/**
 * After a step that took events. Events that commit during it wake the loop, so a step that took
 * all it could see does not have to look again.
 */
export const outcomeOf = (step: { isPart: boolean; isWithheld: boolean }): JournalStepOutcome => {
  if (step.isPart) return 'moved'
  return step.isWithheld ? 'busy' : 'idle'
}

/** Reads the journal from its stored position, queues what follows, and moves the position. */
export type JournalStep = { name: string; run: () => Promise<JournalStepOutcome> }

export type JournalFollower = { stop(): Promise<void> }

export function startJournalFollower(
  ctx: Pick<Context, 'log' | 'config'>,
  steps: readonly JournalStep[],
): JournalFollower {
  const stopping = new AbortController()
  const loops = steps.map((step) => startLoop(ctx, { step, signal: stopping.signal }))
  const wakeAll = () => {
    for (const { wake } of loops) wake()
  }
  const listener = startListener({
    url: ctx.config.databaseUrl,
    channel: 'countersign_live',
    onNotice: wakeAll,
    onConnected: wakeAll,
  })
  return {
    async stop() {
      stopping.abort()
      await Promise.all([...loops.map(({ running }) => running), listener.stop()])
    },
  }
}

function startLoop(
  { log }: Pick<Context, 'log'>,
  { step, signal }: { step: JournalStep; signal: AbortSignal },
) {
  /** Replaced before each poll, so that a notification during the poll ends the rest after it. */
  let wakeUp = new AbortController()
  let failures = 0

  const poll = async (): Promise<number> => {
    try {
      const outcome = await step.run()
      failures = 0
      return { moved: 0, busy: RETRY_BUSY_MS, idle: POLL_EVERY_MS }[outcome]
    } catch (error) {
      failures += 1
      if (failures === 1 && !signal.aborted)
        log.warn({ err: error }, `cannot read the journal for ${step.name}`)
      return REST_AFTER_FAILURE_MS
    }
  }
  const loop = async () => {
    while (!signal.aborted) {
      wakeUp = new AbortController()
      const startedAt = performance.now()
      const restMs = await poll()
      const ends = failures > 0 ? signal : AbortSignal.any([signal, wakeUp.signal])
      if (restMs > 0) await wait(restMs, undefined, { signal: ends }).catch(() => {})
      const gatherMs = startedAt + GATHER_MS - performance.now()
      if (restMs > RETRY_BUSY_MS && gatherMs > 0) {
        await wait(gatherMs, undefined, { signal }).catch(() => {})
      }
    }
  }
  return { running: loop(), wake: () => wakeUp.abort() }
}
