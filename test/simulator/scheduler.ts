/** Simulated time: acts happen one after another, in the order of their times. */

/** True when the engine's code may continue because of it: it runs before the next act. */
type Act = () => boolean | undefined

export type Scheduler = {
  nowMs(): number
  after(delayMs: number, act: Act): void
  /** Until it is finished or nothing is scheduled. */
  run(isOver: () => boolean): Promise<void>
}

type Entry = { atMs: number; order: number; act: Act }

const isBefore = (a: Entry, b: Entry): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)

export function createScheduler(): Scheduler {
  /** A binary heap: the next act is at 0. */
  const heap: Entry[] = []
  let nowMs = 0
  let count = 0

  function push(entry: Entry): void {
    let at = heap.push(entry) - 1
    while (at > 0) {
      const up = (at - 1) >> 1
      const parent = heap[up]
      if (!parent || !isBefore(entry, parent)) break
      heap[at] = parent
      at = up
    }
    heap[at] = entry
  }

  function pop(): Entry | undefined {
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      const left = heap[2 * at + 1]
      const right = heap[2 * at + 2]
      if (left === undefined) break
      const isRight = right !== undefined && isBefore(right, left)
      const child = isRight ? right : left
      if (!isBefore(child, last)) break
      heap[at] = child
      at = 2 * at + (isRight ? 2 : 1)
    }
    heap[at] = last
    return first
  }

  return {
    nowMs: () => nowMs,
    after(delayMs, act) {
      count += 1
      push({ atMs: nowMs + Math.max(0, delayMs), order: count, act })
    },
    async run(isOver) {
      while (!isOver()) {
        const next = pop()
        if (!next) return
        nowMs = next.atMs
        // Every promise that the act settled runs to its end before anything else happens.
        if (next.act()) await new Promise(setImmediate)
      }
    },
  }
}
