/**
 * The loop that follows the journal for one channel in every worker. The database wakes it; it
 * polls every 2 s anyway.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#context.ts'
import { startListener } from '#platform/database/listener.ts'
import type { JournalStepOutcome, StepContext } from './journal-step.ts'

const POLL_EVERY_MS = 2_000
const RETRY_BUSY_MS = 25
const REST_AFTER_FAILURE_MS = 1_000

export type JournalFollower = { stop(): Promise<void> }

export function startJournalFollower(
  ctx: StepContext & Pick<Context, 'log' | 'config'>,
  {
    channel,
    step,
  }: { channel: 'push' | 'email'; step: (ctx: StepContext) => Promise<JournalStepOutcome> },
): JournalFollower {
  const stopping = new AbortController()
  const { signal } = stopping
  /** Replaced before each poll, so that a notification during the poll ends the rest after it. */
  let wakeUp = new AbortController()
  const wake = () => wakeUp.abort()
  const listener = startListener({
    url: ctx.config.databaseUrl,
    channel: 'countersign_live',
    onNotice: wake,
    onConnected: wake,
  })
  let failures = 0

  const poll = async (): Promise<number> => {
    try {
      const outcome = await step(ctx)
      failures = 0
      return { moved: 0, busy: RETRY_BUSY_MS, idle: POLL_EVERY_MS }[outcome]
    } catch (error) {
      failures += 1
      if (failures === 1 && !signal.aborted)
        ctx.log.warn({ channel, err: error }, 'cannot read the journal for notifications')
      return REST_AFTER_FAILURE_MS
    }
  }
  const loop = async () => {
    while (!signal.aborted) {
      wakeUp = new AbortController()
      const restMs = await poll()
      const ends = failures > 0 ? signal : AbortSignal.any([signal, wakeUp.signal])
      if (restMs > 0) await wait(restMs, undefined, { signal: ends }).catch(() => {})
    }
  }
  const running = loop()
  return {
    async stop() {
      stopping.abort()
      await Promise.all([running, listener.stop()])
    },
  }
}
