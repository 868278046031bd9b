/** Many seeds in a row, added up. */
import { simulate } from './simulate.ts'
import type { Variant } from './variants.ts'
import { rightEngine } from './variants.ts'

export type Series = {
  variant: string
  seeds: number
  payments: number
  attempts: number
  /** Releases by a member, after a payment was blocked or failed. */
  releases: number
  staleWrites: number
  faults: number
  faultsByKind: Record<string, number>
  movesByKind: Record<string, number>
  violations: number
  violationsByKind: Record<string, number>
  failingSeeds: number[]
  /** How many seeds were run up to and including the first violation. */
  seedsToDetection: number | null
}

const addTo = (sums: Record<string, number>, key: string, count = 1) => {
  sums[key] = (sums[key] ?? 0) + count
}

export const emptySeries = (variant: string): Series => ({
  variant,
  seeds: 0,
  payments: 0,
  attempts: 0,
  releases: 0,
  staleWrites: 0,
  faults: 0,
  faultsByKind: {},
  movesByKind: {},
  violations: 0,
  violationsByKind: {},
  failingSeeds: [],
  seedsToDetection: null,
})

export async function runSeries({
  from,
  seeds,
  variant = rightEngine,
  isGuarded = false,
  isDelegated = false,
  isProvenByReceipt = false,
  until = () => false,
}: {
  from: number
  seeds: number
  variant?: Variant
  isGuarded?: boolean
  isDelegated?: boolean
  isProvenByReceipt?: boolean
  /** Called after each seed. */
  until?: (series: Series) => boolean
}): Promise<Series> {
  const series = emptySeries(variant.name)
  for (let seed = from; seed < from + seeds && !until(series); seed += 1) {
    const report = await simulate({ seed, variant, isGuarded, isDelegated, isProvenByReceipt })
    series.seeds += 1
    series.payments += report.payments
    series.attempts += report.attempts
    series.releases += report.releases
    series.staleWrites += report.staleWrites
    for (const [kind, count] of report.faults) {
      series.faults += count
      addTo(series.faultsByKind, kind, count)
    }
    for (const [move, count] of report.moves) addTo(series.movesByKind, move, count)
    for (const { kind } of report.violations) addTo(series.violationsByKind, kind)
    series.violations += report.violations.length
    if (report.violations.length === 0) continue
    series.failingSeeds.push(seed)
    series.seedsToDetection ??= series.seeds
  }
  return series
}

/** The trace of a seed, line by line. */
export async function traceOf(
  seed: number,
  { variant = rightEngine, isDelegated = false }: { variant?: Variant; isDelegated?: boolean } = {},
): Promise<string> {
  const lines: string[] = []
  await simulate({ seed, variant, isDelegated, trace: (line) => lines.push(line) })
  return lines.join('\n')
}
