/** Evidence with one field changed by one. */
import type { Evidence } from '@countersign/proof/evidence.ts'
import { expect } from 'vitest'
import { lowerCased } from '#platform/values.ts'

type Part = Record<string, unknown>

/** As read from a file: parts that shared a list or an object do not any more. */
export const copyOf = (evidence: Evidence): Evidence => JSON.parse(JSON.stringify(evidence))

/** `path`: names joined by dots, such as `approvals.0.digest`. */
export function withChangedField(from: Evidence, path: string): Evidence {
  const evidence = copyOf(from)
  const names = path.split('.')
  const last = names.pop() ?? ''
  const place = names.reduce((part, name) => part[name] as Part, evidence as unknown as Part)
  expect(place, path).toHaveProperty(last)
  place[last] = next(place[last])
  return evidence
}

function next(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  // In lower case, because a changed address has another checksum.
  const text = /^0x[0-9a-f]{40}$/i.test(String(value)) ? lowerCased(String(value)) : String(value)
  if (/^\d{4}-\d\d-\d\dT/.test(text))
    return text.replace(/\d(?=\.\d{3}Z$)/, (d) => String((Number(d) + 1) % 10))
  if (/^\d+$/.test(text)) return (BigInt(text) + 1n).toString()
  const last = text.slice(-1)
  const digit = Number.parseInt(last, 16)
  return `${text.slice(0, -1)}${Number.isNaN(digit) ? 'x' : ((digit + 1) % 16).toString(16)}`
}
