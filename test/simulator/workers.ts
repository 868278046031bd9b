/** Workers: each repeats a lane's pass, dies, stalls and is restarted. */
import type { PassResult } from '#payments/engine/run-lane.ts'
import type { Random } from '#test/fuzz/random.ts'
import type { Workers } from './faults.ts'
import type { Caller } from './network.ts'
import type { Scheduler } from './scheduler.ts'

export type Worker = Caller & { clockOffsetMs: number; clockRate: number }
type RunPass = (laneId: string) => Promise<PassResult>

const WORKERS = 2
const IDLE_MS = 1_000

/** Ten minutes off, and a tenth too fast or too slow. */
const skewedClock = (random: Random) => ({
  clockOffsetMs: random.integer(-600_000, 600_000),
  clockRate: 0.9 + random.next() / 5,
})

export function createWorkers({
  random,
  scheduler,
  laneIds,
  hasSkew,
  employ,
}: {
  random: Random
  scheduler: Scheduler
  laneIds: readonly string[]
  hasSkew: boolean
  employ: (worker: Worker) => RunPass
}): Workers {
  const workers: (Worker & { runPass: RunPass })[] = []

  function start(slot: number): void {
    const clock = hasSkew ? skewedClock(random) : { clockOffsetMs: 0, clockRate: 1 }
    const worker: Worker = { isAlive: true, stalledUntilMs: 0, ...clock }
    const employed = Object.assign(worker, { runPass: employ(worker) })
    workers[slot] = employed
    for (const laneId of laneIds) job(employed, laneId, { isRepeated: true })
  }

  /** Retries a failed pass; the pass of a dead worker never continues. */
  function job(
    worker: Worker & { runPass: RunPass },
    laneId: string,
    { isRepeated }: { isRepeated: boolean },
  ): void {
    const again = (inMs: number | null) => {
      if (!isRepeated) return
      scheduler.after(Math.min(inMs ?? IDLE_MS, IDLE_MS) + random.integer(1, 50), () => {
        if (worker.isAlive) job(worker, laneId, { isRepeated })
        return worker.isAlive
      })
    }
    worker.runPass(laneId).then(
      ({ againInMs }) => again(againInMs),
      () => again(IDLE_MS),
    )
  }

  for (let slot = 0; slot < WORKERS; slot += 1) start(slot)

  function crash(slot: number): boolean {
    const worker = workers[slot]
    if (!worker?.isAlive) return false
    worker.isAlive = false
    scheduler.after(random.integer(100, 4_000), () => {
      start(slot)
      return true
    })
    return true
  }

  return {
    crash: () => crash(random.integer(0, workers.length - 1)),
    crashAll() {
      for (const slot of workers.keys()) crash(slot)
    },
    stall(ms) {
      const worker = random.pick(workers)
      worker.stalledUntilMs = scheduler.nowMs() + ms
    },
    startDuplicate() {
      job(random.pick(workers), random.pick(laneIds), { isRepeated: false })
    },
  }
}
