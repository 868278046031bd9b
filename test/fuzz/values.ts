/** Values from a JSON schema: valid, nearly valid and invalid ones. */
import { checksummed } from '@countersign/proof/values.ts'
import type { Random } from '#test/fuzz/random.ts'

export type Schema = {
  type?: string | string[]
  enum?: string[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  minItems?: number
}

const ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyz',
  'ABC 123 -_.,;:!?"\\\'/<>&%$#@~`^|',
  'äöüßéñçø€£ñ',
  '漢字仮名한국어العربيةעברית',
  '😀👩‍👩‍👧🏳️‍🌈𝒳🇫🇷',
  'e\u0301a\u030a\u200d\u200b\u202e\ufeff\u00ad',
]

/** Counts code points, as JSON Schema does. */
export function text(random: Random, min: number, max: number): string {
  const length = random.chance(0.1)
    ? random.pick([min, max])
    : random.integer(min, Math.min(max, 40))
  const alphabet = [...random.pick(ALPHABETS)]
  return Array.from({ length }, () => random.pick(alphabet)).join('')
}

const hex = (random: Random, length: number) =>
  Array.from({ length }, () => random.pick([...'0123456789abcdefABCDEF'])).join('')

export const uuid = (random: Random): string =>
  `${hex(random, 8)}-${hex(random, 4)}-7${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)}`

/** In one case, or in mixed case with its EIP-55 checksum. */
const address = (random: Random): string => {
  const digits = hex(random, 40)
  const lower = `0x${digits.toLowerCase()}`
  return random.pick([lower, `0x${digits.toUpperCase()}`, checksummed(lower)])
}

const lowerHex = (random: Random, pattern: string): string =>
  `0x${hex(random, pattern.includes('{64}') ? 64 : 40)}`.toLowerCase()

/** Of any length, or with at most this many digits. */
const BASE_UNITS = ['^(0|[1-9][0-9]*)$', '^(0|[1-9][0-9]{0,38})$', '^(0|[1-9][0-9]{0,77})$']

/** A value that fits the schema. */
export function fitting(random: Random, schema: Schema): unknown {
  if (Array.isArray(schema.type)) {
    const [type = 'null'] = schema.type
    return random.chance(0.3) ? null : fitting(random, { ...schema, type })
  }
  const { items, minItems = 0 } = schema
  if (items) {
    return Array.from({ length: minItems + random.integer(0, 2) }, () => fitting(random, items))
  }
  if (schema.format === 'date') return random.pick(['2020-02-29', '2099-12-31'])
  if (schema.pattern === '^[!-~]+$') return `${hex(random, 8)}!~`
  if (schema.enum) return random.pick(schema.enum)
  if (schema.pattern?.endsWith('Z)?$')) return random.pick(['2026-01-31', '2099-01-01T00:00:00Z'])
  if (schema.format === 'uuid') return uuid(random)
  if (schema.format === 'date-time') return '2099-01-01T00:00:00Z'
  if (schema.pattern?.includes('[\\da-f]')) return lowerHex(random, schema.pattern)
  if (Array.isArray(schema.type)) {
    const [type = 'null'] = schema.type
    return random.chance(0.2) ? null : fitting(random, { ...schema, type })
  }
  if (schema.pattern?.includes('@')) return `person${random.integer(0, 9)}@example.com`
  if (schema.pattern?.includes('{2})+')) return `0x${hex(random, 130)}`
  if (schema.pattern?.includes('{40}')) return address(random)
  if (schema.pattern?.includes('{64}')) return `0x${hex(random, 64)}`
  if (BASE_UNITS.includes(schema.pattern ?? '')) return String(random.integer(0, 1_000_000))
  const { minimum = 0, maximum = 1_000, minLength = 0, maxLength = 60 } = schema
  if (schema.type === 'integer') return random.pick([minimum, maximum, minimum + 1, 31_337])
  if (schema.type === 'string') return text(random, minLength, maxLength)
  if (schema.type === 'boolean') return random.chance(0.5)
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, part]) => [name, fitting(random, part)]),
  )
}

const deep = (levels: number): unknown => {
  let value: unknown = 'bottom'
  for (let level = 0; level < levels; level += 1) value = level % 2 ? { a: value } : [value]
  return value
}

const UGLY_TEXTS = [
  '\u0000',
  'a\u0000b',
  'line\nbreak',
  'tab\there',
  '\u0085\u2028\u2029',
  '\ud800',
  'x\udfffy',
  '\uffff',
  ' ',
  '   ',
  '\u00a0',
  "'; drop table accounts; --",
  '{{7*7}}<script>alert(1)</script>',
  '../../etc/passwd',
  '%00%0a',
  'NaN',
  'null',
  '0x',
  `0x${'0'.repeat(40)}`,
  `0X${'a'.repeat(40)}`,
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  '00000000-0000-9000-8000-000000000000',
]

const swapCase = (value: string): string => {
  const upper = value.toUpperCase()
  return upper === value ? value.toLowerCase() : upper
}

/** Valid except for an inserted piece or the case of its letters. */
export function spoilt(random: Random, value: unknown): unknown {
  if (typeof value !== 'string') return anything(random)
  const at = random.integer(0, value.length)
  // In an address with a checksum this is an error; elsewhere it may change nothing.
  if (random.chance(0.2)) return value.slice(0, at) + swapCase(value.slice(at))
  return value.slice(0, at) + random.pick(UGLY_TEXTS) + value.slice(at)
}

export const uglyText = (random: Random): string =>
  random.weighted<() => string>([
    [8, () => random.pick(UGLY_TEXTS)],
    [1, () => 'x'.repeat(random.integer(1_000, 60_000))],
    [1, () => '😀'.repeat(random.integer(20, 5_000))],
    [2, () => text(random, 0, 300)],
  ])()

/** Any JSON value, whatever the schema says. */
export const anything = (random: Random): unknown =>
  random.weighted<() => unknown>([
    [4, () => uglyText(random)],
    [1, () => null],
    [1, () => random.chance(0.5)],
    [2, () => random.pick([0, -0, -1, 1.5, 1e308, 2 ** 53, -(2 ** 53), 31_337, 0.1 + 0.2])],
    [1, () => random.pick<unknown>([[], {}, [null], { toString: 1 }, { constructor: {} }])],
    [1, () => deep(random.pick([3, 50, 1_000]))],
  ])()

/** At the boundary of what fits, on either side. */
export function edge(random: Random, schema: Schema): unknown {
  const { minLength = 0, maxLength = 200, minimum = 0, maximum = 1_000 } = schema
  if (schema.type === 'integer') {
    return random.pick([minimum - 1, minimum, maximum, maximum + 1, String(minimum), minimum + 0.5])
  }
  if (schema.type === 'string' && !schema.enum) {
    const length = random.pick([minLength - 1, minLength, maxLength, maxLength + 1])
    const unit = random.pick(['a', '漢', '😀'])
    return unit.repeat(Math.max(0, length))
  }
  return anything(random)
}
