/** How long a request waits for what happens elsewhere before it answers with what there is. */
import { setTimeout as wait } from 'node:timers/promises'

const PATIENCE_MS = 2_000
const LOOK_EVERY_MS = 100

/** Undefined when it was not found in time. A look that hangs is waited for no longer than that. */
export async function lookForAWhile<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  const done = new AbortController()
  const { signal } = done
  const over = wait(PATIENCE_MS, undefined, { signal }).catch(() => undefined)
  const until = performance.now() + PATIENCE_MS
  try {
    do {
      const looking = look()
      // It may fail after the answer is given, when nobody listens any more.
      looking.catch(() => {})
      const found = await Promise.race([looking, over])
      if (found !== undefined) return found
      await Promise.race([wait(LOOK_EVERY_MS), over])
    } while (performance.now() < until)
    return undefined
  } finally {
    done.abort()
  }
}
