/** A seeded random source: the same seed makes the same choices. */
export type Random = {
  /** From 0 up to, but not including, 1. */
  next(): number
  integer(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
  /** From weights and values: [[3, 'often'], [1, 'seldom']]. */
  weighted<T>(choices: readonly (readonly [number, T])[]): T
}

/** mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  const pick = <T>(from: readonly T[]): T => {
    const at = integer(0, from.length - 1)
    if (from.length === 0) throw new Error('Nothing to pick from')
    return from[at] as T
  }
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick,
    weighted(choices) {
      let left = next() * choices.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, value] of choices) {
        left -= weight
        if (left < 0) return value
      }
      return pick(choices)[1]
    },
  }
}

export const newest = <T>(random: Random, list: readonly T[] | undefined): T | undefined =>
  list && list.length > 0 ? random.pick(list) : undefined
