/** Polls until something exists or a time-out passes, with growing pauses between the polls. */
import { setTimeout as wait } from 'node:timers/promises'

const TIMEOUT_MS = 2_000
const FIRST_PAUSE_MS = 100

export type PollOptions = {
  timeoutMs?: number
  /** Ends the current pause between two polls when it resolves. */
  untilWoken?: () => Promise<unknown>
}

/** Undefined after the time-out, even if a poll is still pending. */
export async function pollUntil<T>(
  poll: () => Promise<T | undefined>,
  { timeoutMs = TIMEOUT_MS, untilWoken }: PollOptions = {},
): Promise<T | undefined> {
  const done = new AbortController()
  let isTimedOut = false
  const timeout = wait(timeoutMs, undefined, { signal: done.signal })
    .catch(() => {})
    .then(() => {
      isTimedOut = true
      return undefined
    })
  let pauseMs = FIRST_PAUSE_MS
  try {
    while (!isTimedOut) {
      // Subscribed before the poll: a wake-up during the poll must not be lost.
      const woken = untilWoken?.()
      const polling = poll()
      // Prevents an unhandled rejection if the poll fails after the time-out.
      polling.catch(() => {})
      const found = await Promise.race([polling, timeout])
      if (found !== undefined) return found
      await Promise.race([wait(pauseMs), timeout, ...(woken ? [woken] : [])])
      // Back off, because polls of the chain load its nodes.
      pauseMs *= 1.5
    }
    return undefined
  } finally {
    done.abort()
  }
}
