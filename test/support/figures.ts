/** What `npm run prove` asks of a test: its size, and the figures that it has found. */
import { appendFileSync } from 'node:fs'

/** The full size stands in the environment; `npm test` runs the small one. */
export const sizeOf = (name: string, small: number): number => Number(process.env[name] ?? small)

export const isProof = (name: string): boolean => process.env[name] !== undefined

/** One line of JSON; nobody is told when nobody has asked. */
export function tellFigures(figures: Record<string, unknown>): void {
  const out = process.env.PROVE_OUT
  if (out) appendFileSync(out, `${JSON.stringify(figures)}\n`)
}

/** Of values in any order; `part` is 0.99 for the 99th. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
  return Number((found ?? Number.NaN).toFixed(1))
}
