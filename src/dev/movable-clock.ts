/** The clock of the development chain. While the demo is furnished, it shows earlier times. */
import { addSeconds, type Clock, systemClock } from '#platform/clock.ts'

export type MovableClock = Clock & {
  /** From this time it runs on. */
  moveTo(at: Date): void
  /** Shows the time of the system again. */
  catchUp(): void
  behindSeconds(): number
}

export function createMovableClock(system: Clock = systemClock): MovableClock {
  let behind = 0
  return {
    now: () => addSeconds(system.now(), -behind),
    moveTo: (at) => {
      behind = Math.max(0, (system.now().getTime() - at.getTime()) / 1000)
    },
    catchUp: () => {
      behind = 0
    },
    behindSeconds: () => behind,
  }
}
