/** The loop that follows the journal, in every worker: woken by the database, or every 2 s. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '#context.ts'
import { startListener } from '#platform/database/listener.ts'
import { followJournal } from './follow-journal.ts'

const LOOK_EVERY_MS = 2_000
const LOOK_AGAIN_SOON_MS = 25
const REST_AFTER_TROUBLE_MS = 1_000

export type PushFollower = { stop(): Promise<void> }

export function startPushFollower(
  ctx: Pick<Context, 'db' | 'observerDb' | 'clock' | 'log' | 'config'>,
): PushFollower {
  const stopping = new AbortController()
  const { signal } = stopping
  /** Taken anew before each look, so that what is heard during the look ends the rest after it. */
  let heard = new AbortController()
  const wake = () => heard.abort()
  const listener = startListener({
    url: ctx.config.databaseUrl,
    channel: 'countersign_live',
    onNotice: wake,
    onConnected: wake,
  })
  let troubles = 0

  const look = async (): Promise<number> => {
    try {
      const outcome = await followJournal(ctx)
      troubles = 0
      return { moved: 0, busy: LOOK_AGAIN_SOON_MS, idle: LOOK_EVERY_MS }[outcome]
    } catch (error) {
      troubles += 1
      if (troubles === 1 && !signal.aborted)
        ctx.log.warn({ err: error }, 'the journal cannot be followed')
      return REST_AFTER_TROUBLE_MS
    }
  }
  const loop = async () => {
    while (!signal.aborted) {
      heard = new AbortController()
      const restMs = await look()
      const ends = troubles > 0 ? signal : AbortSignal.any([signal, heard.signal])
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
