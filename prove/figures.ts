/** Reads a proof's figures from what its run reported, and compares them with their targets. */
import type { Figure } from './kinds.ts'

export type Figures = Record<string, unknown>

/** `holds` is undefined for a figure without a target. */
export type Judged = {
  label: string
  value: number | string | undefined
  target: string | undefined
  holds: boolean | undefined
}

const TARGET = /^(=|>=|<=|>|<) (-?\d+(?:\.\d+)?)$/

const compare: Record<string, (value: number, limit: number) => boolean> = {
  '=': (value, limit) => value === limit,
  '>=': (value, limit) => value >= limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '<': (value, limit) => value < limit,
}

export function reaches(value: unknown, target: string): boolean {
  const [, sign = '', limit] = TARGET.exec(target) ?? []
  const isReached = compare[sign]
  if (!isReached) throw new Error(`Not a target: ${target}`)
  return typeof value === 'number' && isReached(value, Number(limit))
}

function lookUp(figures: Figures, of: string | RegExp): unknown {
  if (typeof of === 'string') {
    return of
      .split('.')
      .reduce<unknown>((part, key) => (part as Figures | null | undefined)?.[key], figures)
  }
  const names = figures.names
  return Array.isArray(names) ? names.filter((name) => of.test(String(name))).length : undefined
}

export function judge({ label, of, target }: Figure, figures: Figures): Judged {
  const found = lookUp(figures, of)
  const value = typeof found === 'number' || typeof found === 'string' ? found : undefined
  return { label, value, target, holds: target === undefined ? undefined : reaches(value, target) }
}

/** One JSON document, or one object a line; a later value of a name replaces an earlier one. */
export function joinFigures(text: string): Figures {
  try {
    return JSON.parse(text) as Figures
  } catch {
    return Object.assign(
      {},
      ...text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    )
  }
}

type TestReport = { numPassedTests: number; numFailedTests: number }

export const testFigures = (report: TestReport | null): Figures =>
  report === null ? {} : { tests: { passed: report.numPassedTests, failed: report.numFailedTests } }
