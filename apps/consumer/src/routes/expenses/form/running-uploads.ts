/** Uploads under way, by their keys. One that was stopped never reaches the draft. */
export function createRunningUploads() {
  const running = new Map<string, AbortController>()
  const stop = (key: string): void => {
    running.get(key)?.abort()
    running.delete(key)
  }
  return {
    /** The answer, or null if it was stopped meanwhile, even where the service had stored it. */
    async run<Answer>(
      key: string,
      request: (signal: AbortSignal) => Promise<Answer>,
    ): Promise<Answer | null> {
      stop(key)
      const controller = new AbortController()
      running.set(key, controller)
      const answer = await request(controller.signal)
      if (running.get(key) !== controller) return null
      running.delete(key)
      return answer
    },
    stop,
    stopAll: () => [...running.keys()].forEach(stop),
  }
}
