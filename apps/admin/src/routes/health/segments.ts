/** How a service was over a period, from the changes that were recorded. Pure. */
import type { Severity } from '../../words/severities.ts'

export type Change = { at: string; from: Severity; to: Severity; code: string | null }
export type Segment = { severity: Severity; from: number; to: number; code: string | null }

/**
 * `changes` in any order; those before `start` say how it began. `now` is how it was when the
 * changes were read.
 */
export function segmentsOf(
  changes: readonly Change[],
  { start, end, now }: { start: number; end: number; now: Severity },
): Segment[] {
  const ordered = changes
    .map((change) => ({ ...change, time: new Date(change.at).getTime() }))
    .sort((one, other) => one.time - other.time)
  const inside = ordered.filter(({ time }) => time > start && time <= end)
  const before = ordered.filter(({ time }) => time <= start).at(-1)
  const next = ordered.find(({ time }) => time > start)
  const points = [
    {
      time: start,
      to: before?.to ?? next?.from ?? now,
      code: before?.code ?? null,
    },
    ...inside,
  ]
  return points
    .map(({ time, to, code }, index) => ({
      severity: to,
      code,
      from: time,
      to: points[index + 1]?.time ?? end,
    }))
    .filter(({ from, to }) => to > from)
}

/** When the page was read. The service's clock may be ahead of this one: no change is later. */
export const endOf = (changes: readonly Pick<Change, 'at'>[], readAt: number): number =>
  Math.max(readAt, ...changes.map(({ at }) => new Date(at).getTime()))

/** How far back the changes reach: to the oldest of a list that goes on, but no more than `ms`. */
export function startOf(
  changes: readonly Pick<Change, 'at'>[],
  { end, ms, goesOn }: { end: number; ms: number; goesOn: boolean },
): number {
  const start = end - ms
  if (!goesOn) return start
  const times = changes.map(({ at }) => new Date(at).getTime())
  return Math.max(start, Math.min(end, ...times))
}

/** The share of the period in which it was healthy, in tenths of a percent. */
export function healthyPermille(segments: readonly Segment[]): number {
  const lengthOf = (some: readonly Segment[]) =>
    some.reduce((sum, { from, to }) => sum + to - from, 0)
  const all = lengthOf(segments)
  if (all === 0) return 1000
  const healthy = lengthOf(segments.filter(({ severity }) => severity === 'healthy'))
  return Math.floor((healthy * 1000) / all)
}
