/** The only source of time and ids, so that tests can control both. */
import { randomUUIDv7 } from 'node:crypto'

export type Clock = { now(): Date }
export type Ids = { next(): string }

export const systemClock: Clock = { now: () => new Date() }

export const addSeconds = (at: Date, seconds: number): Date =>
  new Date(at.getTime() + seconds * 1000)

/** Reads a date, or a date and time, in UTC. */
export const toDate = (value: string): Date => new Date(value)

/** PostgreSQL's text format of a UTC timestamp, with up to six fractional digits. */
const STORED = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/

/** A database timestamp in the API's format, truncated to milliseconds. */
export function toTimestamp(value: string): string {
  const parts = STORED.exec(value)
  if (!parts) return new Date(value).toISOString()
  const [, day, time, fraction = ''] = parts
  return `${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
}

export const timestampToMilliseconds = (timestamp: string): number => new Date(timestamp).getTime()

/** UUIDv7, strictly increasing within the process, so that ids sort even within one ms. */
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
