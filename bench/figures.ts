/** The figures that a part of the benchmark reports to `run.ts`, with their targets. */
import { writeFile } from 'node:fs/promises'

export type Figure = {
  what: string
  value: number
  /** Empty for a ratio. */
  unit: '' | 'KiB' | 'MiB' | 'ms' | 'µs' | 'ns' | '/s'
  /** The baseline of a ratio. */
  beside?: string
  target?: { atLeast: number } | { atMost: number }
  /** Further figures that explain this one, by what they are. */
  more?: Record<string, string | number>
}

export const holds = ({ value, target }: Figure): boolean => {
  if (!target) return true
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost
}

export const targetText = ({ target, unit }: Figure): string => {
  if (!target) return ''
  return 'atLeast' in target ? `≥ ${target.atLeast}${unit}` : `≤ ${target.atMost} ${unit}`.trim()
}

/** Writes them to the file that `run.ts` named, and prints them. */
export async function handOver(figures: readonly Figure[]): Promise<void> {
  for (const figure of figures) {
    const { what, value, unit, more = {} } = figure
    const verdict = figure.target ? `  (${targetText(figure)})` : ''
    process.stdout.write(`${what}: ${value} ${unit}${verdict}  ${JSON.stringify(more)}\n`)
  }
  const file = process.env.BENCH_OUT
  if (file) await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`)
}
