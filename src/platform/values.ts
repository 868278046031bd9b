/**
 * The shared value shapes of the contract: JSON Schema, static type and parser side by side.
 * What enters is parsed here once; inside the service a value of these types is trusted.
 */
import { type Static, type TSchema, type TStringOptions, Type } from 'typebox'
import { getAddress, isAddress } from 'viem/utils'

export const INTEGER_MAX = Number.MAX_SAFE_INTEGER

const hex = (length: number) => `^0x[a-fA-F0-9]{${length}}$`

/** Versions 1 to 8 of the RFC 9562 variant, and the nil and max forms. */
const UUID_PATTERN =
  '^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}' +
  '|00000000-0000-0000-0000-000000000000' +
  '|[fF]{8}-[fF]{4}-[fF]{4}-[fF]{4}-[fF]{12})$'

/** Calendar-valid: 29 February only in leap years of the Gregorian rule, no second 60. */
const TIMESTAMP_PATTERN =
  '^(([0-9]{2}([02468][48]|[13579][26]|[2468]0)|([02468][048]|[13579][26])00)-02-29' +
  '|[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])' +
  '|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])))' +
  'T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?Z$'

export const ADDRESS_PATTERN = hex(40)
export const LOWER_ADDRESS_PATTERN = '^0x[\\da-f]{40}$'

const rules = new Map<string, string>()

/** A string with a pattern. `rule` says in words what the pattern says, after "must be". */
export const formatted = (pattern: string, rule: string, options: TStringOptions = {}) => {
  rules.set(pattern, rule)
  return Type.String({ ...options, pattern })
}

/** The words of a pattern; undefined for a pattern that was not made by `formatted`. */
export const ruleOf = (pattern: string): string | undefined => rules.get(pattern)

export const Uuid = formatted(UUID_PATTERN, 'a UUID', { format: 'uuid' })
const NOT_RESOLVED = 'Names, such as ENS names, are not resolved'

export const Address = formatted(
  ADDRESS_PATTERN,
  `an address: 0x and 40 hexadecimal digits. ${NOT_RESOLVED}`,
)
export const LowerAddress = formatted(
  LOWER_ADDRESS_PATTERN,
  `an address in lower case: 0x and 40 hexadecimal digits. ${NOT_RESOLVED}`,
)
export const Hash = formatted(hex(64), 'a hash: 0x and 64 hexadecimal digits')
export const Timestamp = formatted(
  TIMESTAMP_PATTERN,
  'a date and time in UTC, such as 2030-01-31T09:30:00Z',
  { format: 'date-time' },
)

const DECIMAL = 'a decimal integer as a string, without a sign or leading zeros'

export const BaseUnits = formatted('^(0|[1-9][0-9]*)$', DECIMAL)

/** Base units of at most so many digits. */
export const baseUnits = ({ digits }: { digits: number }) =>
  formatted(`^(0|[1-9][0-9]{0,${digits - 1}})$`, `${DECIMAL}, of at most ${digits} digits`)

export const PosInt = Type.Integer({ minimum: 1, maximum: INTEGER_MAX })
export const NonNeg = Type.Integer({ minimum: 0, maximum: INTEGER_MAX })

/** Marks a field as an addition to the interface. */
export const extension = { 'x-extension': true } as const

/** fast-json-stringify and the OpenAPI readers handle a type list better than `anyOf`. */
export const nullable = <T extends TSchema & { type?: unknown }>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] })

export const oneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

// Direction controls (U+202A to U+202E, U+2066 to U+2069) can make an approver read another name.
// Surrogates stay out of the patterns: without the u flag such a range would refuse every emoji.
// Lone surrogates are refused by the body validator instead (http/validators.ts).
const LINE_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*$'
const TEXT_PATTERN = '^[^\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$'

type TextLimits = { min?: number; max: number; description?: string }

/** One line of text a person wrote: no control characters. Lengths count code points. */
export const line = ({ min = 1, max, ...rest }: TextLimits) =>
  formatted(LINE_PATTERN, 'one line of text without control characters', {
    ...{ minLength: min, maxLength: max },
    ...rest,
  })

/** Text of several lines: new lines are kept, other control characters are refused. */
export const text = ({ min = 1, max, ...rest }: TextLimits) =>
  formatted(TEXT_PATTERN, 'text without control characters other than new lines', {
    ...{ minLength: min, maxLength: max },
    ...rest,
  })

/** Keys that callers choose: visible ASCII, without spaces. */
export const visibleAscii = (options: TStringOptions) =>
  formatted('^[!-~]+$', 'visible ASCII characters without spaces', options)

/** URL-safe base64 without padding, as cursors are written. */
export const urlSafeToken = (options: TStringOptions) =>
  formatted('^[A-Za-z0-9_-]+$', 'a cursor from an earlier answer', options)

const VISIBLE = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u

/** A name of blanks and fillers is no name. */
export const isVisible = (text: string): boolean => VISIBLE.test(text)

const matches = (pattern: string) => {
  const expression = new RegExp(pattern, 'u')
  return (value: unknown): value is string => typeof value === 'string' && expression.test(value)
}

export const isUuid = matches(UUID_PATTERN)
export const isTimestamp = matches(TIMESTAMP_PATTERN)
export const isHash = matches(hex(64))
export const isEvmAddress = (value: unknown): value is `0x${string}` =>
  typeof value === 'string' && isAddress(value, { strict: false })

export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'

const CHECKSUMMED_MAX = 10_000
const checksummedAlready = new Map<string, string>()

/** EIP-55, the only form that leaves the service. Lists have the same few over and over. */
export function checksummed(address: string): string {
  const known = checksummedAlready.get(address)
  if (known !== undefined) return known
  const made = getAddress(address.toLowerCase())
  if (checksummedAlready.size >= CHECKSUMMED_MAX) checksummedAlready.clear()
  checksummedAlready.set(address, made)
  return made
}

/**
 * False for an address whose mixed-case letters are not its EIP-55 checksum: a character was lost
 * or changed on the way. Letters of one case carry no checksum.
 */
export function hasRightChecksum(address: string): boolean {
  const digits = address.slice(2)
  const isMixed = /[a-f]/.test(digits) && /[A-F]/.test(digits)
  return !isMixed || !isEvmAddress(address) || checksummed(address) === address
}

/** The stored form: lower case, so that equality in SQL is equality of addresses. */
export const lowerCased = (address: string): string => address.toLowerCase()
