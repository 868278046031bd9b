/** How long a request waits for what happens elsewhere before it answers with what there is. */
import { setTimeout as wait } from 'node:timers/promises'

const TIMEOUT_MS = 2_000
const FIRST_PAUSE_MS = 100

export type PollOptions = {
  timeoutMs?: number
  /** Ends the current pause between two polls when it resolves. */
  untilWoken?: () => Promise<unknown>
}

/** Undefined when it was not found in time. A look that hangs is waited for no longer than that. */
export async function pollUntil<T>(
  look: () => Promise<T | undefined>,
  { timeoutMs = TIMEOUT_MS, untilWoken }: PollOptions = {},
): Promise<T | undefined> {
  const done = new AbortController()
  let isOver = false
  const over = wait(timeoutMs, undefined, { signal: done.signal })
    .catch(() => {})
    .then(() => {
      isOver = true
      return undefined
    })
  let pauseMs = FIRST_PAUSE_MS
  try {
    while (!isOver) {
      // Subscribed before the poll: a wake-up during the poll must not be lost.
      const woken = untilWoken?.()
      const looking = look()
      // It may fail after the answer is given, when nobody listens any more.
      looking.catch(() => {})
      const found = await Promise.race([looking, over])
      if (found !== undefined) return found
      await Promise.race([wait(pauseMs), over, ...(woken ? [woken] : [])])
      // What is not there at once may take longer, and every look costs the nodes something.
      pauseMs *= 1.5
    }
    return undefined
  } finally {
    done.abort()
  }
}
