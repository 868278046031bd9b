/** Time and chance, so that tests decide about both. */
export type Timers = {
  /** Milliseconds since 1970. */
  now(): number
  setTimeout(callback: () => void, milliseconds: number): unknown
  clearTimeout(handle: unknown): void
}

export const systemTimers: Timers = {
  now: () => Date.now(),
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
}

/** Resolves after the time, or early with `false` when the signal aborts. */
export function sleep(
  timers: Timers,
  milliseconds: number,
  signal?: AbortSignal | undefined,
): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(false)
    const onAbort = () => {
      timers.clearTimeout(handle)
      resolve(false)
    }
    const handle = timers.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve(true)
    }, milliseconds)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
