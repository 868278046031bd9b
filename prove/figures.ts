/** Reads the figures of a proof from what its run has told, and holds them against targets. */
import type { Figure } from './kinds.ts'

export type Told = Record<string, unknown>

/** `holds` is undefined for a figure that is only reported. */
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
  if (!isReached) throw new Error(`No target: ${target}`)
  return typeof value === 'number' && isReached(value, Number(limit))
}

function lookUp(told: Told, of: string | RegExp): unknown {
  if (typeof of === 'string') {
    return of
      .split('.')
      .reduce<unknown>((part, key) => (part as Told | null | undefined)?.[key], told)
  }
  const names = told.names
  return Array.isArray(names) ? names.filter((name) => of.test(String(name))).length : undefined
}

export function judge({ label, of, target }: Figure, told: Told): Judged {
  const found = lookUp(told, of)
  const value = typeof found === 'number' || typeof found === 'string' ? found : undefined
  return { label, value, target, holds: target === undefined ? undefined : reaches(value, target) }
}

/** One document, or lines of several files: what is told later is put beside, or over. */
export function joinTold(text: string): Told {
  try {
    return JSON.parse(text) as Told
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

type TestReport = { numPassedTests: number; numFailedTests: number; numTotalTests: number }

export const testFigures = (report: TestReport | null): Told =>
  report === null ? {} : { tests: { passed: report.numPassedTests, failed: report.numFailedTests } }
