/** Runs one step at a time: a second click does nothing. */

type OneStep = {
  /** After `isCurrent` has become false, the step must not act any more. */
  run(step: (isCurrent: () => boolean) => Promise<void>): Promise<void>
  /** Stops waiting for the running step, so that another one can start. */
  letGo(): void
}

export function oneStep(): OneStep {
  /** By number. Zero: none runs. */
  let running = 0
  let steps = 0
  return {
    run: async (step) => {
      if (running !== 0) return
      steps += 1
      const own = steps
      running = own
      try {
        await step(() => running === own)
      } finally {
        if (running === own) running = 0
      }
    },
    letGo: () => {
      running = 0
    },
  }
}
