/** A clock that runs by itself and can be moved ahead. */
import type { Clock } from '#platform/clock.ts'

export type MovingClock = Clock & { ahead(seconds: number): void }

export function createMovingClock(): MovingClock {
  let aheadMs = 0
  return {
    now: () => new Date(Date.now() + aheadMs),
    ahead: (seconds) => {
      aheadMs += seconds * 1000
    },
  }
}
