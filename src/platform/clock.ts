/** Time and ids come from here and nowhere else, so that tests can hold both still. */
import { randomUUIDv7 } from 'node:crypto'

export type Clock = { now(): Date }
export type Ids = { next(): string }

export const systemClock: Clock = { now: () => new Date() }

export const addSeconds = (at: Date, seconds: number): Date =>
  new Date(at.getTime() + seconds * 1000)

/** The wire form of a moment read from the database. */
export const toTimestamp = (value: string): string => new Date(value).toISOString()

/** Whole seconds, cut off: what a contract would compare. */
export const timestampToSeconds = (timestamp: string): number =>
  Math.floor(new Date(timestamp).getTime() / 1000)

export const timestampToMs = (timestamp: string): number => new Date(timestamp).getTime()

export const secondsToTimestamp = (seconds: number): string =>
  new Date(seconds * 1000).toISOString()

/** UUIDv7, strictly increasing within the process, so that "newest first" holds inside one ms. */
export function createIds(random: () => string = randomUUIDv7): Ids {
  let last = ''
  return {
    next() {
      let id = random()
      while (id <= last) {
        const tail = BigInt(`0x${last.slice(24)}`) + 1n
        id = tail < 1n << 48n ? last.slice(0, 24) + tail.toString(16).padStart(12, '0') : random()
      }
      last = id
      return id
    },
  }
}
