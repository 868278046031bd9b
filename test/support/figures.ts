/** The size that `npm run prove` gives a test, and the figures that the test reports to it. */
import { appendFileSync } from 'node:fs'

/** The environment holds the full size; the tests run the small one. */
export const sizeOf = (name: string, small: number): number => Number(process.env[name] ?? small)

export const isProof = (name: string): boolean => process.env[name] !== undefined

/**
 * Writes one line of JSON, only under `npm run prove`. Call it with counted values, and before the
 * assertions about them, so that the page shows what was counted even when a test fails.
 */
export function reportFigures(figures: Record<string, unknown>): void {
  const out = process.env.PROVE_OUT
  if (out) appendFileSync(out, `${JSON.stringify(figures)}\n`)
}

/** Of values in any order; `part` is 0.99 for the 99th percentile. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
  return Number((found ?? Number.NaN).toFixed(1))
}
