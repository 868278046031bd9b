/**
 * The network between a worker and what it calls: slow, lossy, unaffected by the worker's death.
 */
import type { Random } from '#test/fuzz/random.ts'
import type { Faults } from './faults.ts'
import type { Scheduler } from './scheduler.ts'

/** The caller. A dead one never gets the answer, a stalled one gets it late. */
export type Caller = { isAlive: boolean; stalledUntilMs: number }

type Callee = 'store' | 'node' | 'provider'

export type Network = {
  /** The effect happens at one moment, or never; the answer comes later, or never. */
  call<T>(caller: Caller, to: Callee, effect: () => T | Promise<T>): Promise<T>
}

const TIMEOUT_MS = 2_000
const LOSS: Record<Callee, number> = { store: 0.004, node: 0.02, provider: 0.08 }

type Fate = 'fine' | 'request_lost' | 'answer_lost'

export function createNetwork({
  random,
  scheduler,
  faults,
}: {
  random: Random
  scheduler: Scheduler
  faults: Faults
}): Network {
  function fateOf(to: Callee): Fate {
    if (!faults.areOn()) return 'fine'
    const chance = random.next()
    const loss = LOSS[to]
    if (chance < loss) return faults.count(`${to}_request_lost`, 'request_lost')
    if (chance < 2 * loss) return faults.count(`${to}_answer_lost`, 'answer_lost')
    return 'fine'
  }

  function delayOf(to: Callee): number {
    if (faults.areOn() && random.chance(0.01)) {
      return faults.count(`${to}_slow`, random.integer(500, 3_000))
    }
    return to === 'store' ? random.integer(1, 8) : random.integer(5, 60)
  }

  function deliver(caller: Caller, afterMs: number, settle: () => void): void {
    scheduler.after(afterMs, () => {
      const stalledMs = caller.stalledUntilMs - scheduler.nowMs()
      if (!caller.isAlive) return false
      if (stalledMs <= 0) settle()
      else deliver(caller, stalledMs, settle)
      return stalledMs <= 0
    })
  }

  return {
    call: <T>(caller: Caller, to: Callee, effect: () => T | Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        const giveUp = () => reject(new Error(`no answer from the ${to}`))
        const fate = fateOf(to)
        if (fate === 'request_lost') return deliver(caller, TIMEOUT_MS, giveUp)
        scheduler.after(delayOf(to), () => {
          const done = new Promise<T>((answer) => answer(effect()))
          done.catch(() => undefined)
          if (fate === 'answer_lost') deliver(caller, TIMEOUT_MS, giveUp)
          else deliver(caller, delayOf(to), () => done.then(resolve, reject))
          // A transaction may wait for its signature, and nothing else may happen meanwhile.
          return to === 'store'
        })
      }),
  }
}
