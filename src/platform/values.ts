/**
 * Shared value schemas of the API, with their static types. Input is validated once at the boundary
 * and trusted inside the service.
 */
import {
  ADDRESS_PATTERN,
  DATE_PATTERN,
  HASH_PATTERN,
  INTEGER_MAX,
  TIMESTAMP_PATTERN,
  UUID_PATTERN,
} from '@countersign/proof/values.ts'
import { type Static, type TSchema, type TStringOptions, Type } from './schema.ts'

export const LOWER_ADDRESS_PATTERN = '^0x[\\da-f]{40}$'

const rules = new Map<string, string>()

/** A string with a pattern. `rule` completes the error message "must be …". */
export const formatted = (pattern: string, rule: string, options: TStringOptions = {}) => {
  rules.set(pattern, rule)
  return Type.String({ ...options, pattern })
}

/** The rule of a pattern; undefined for one that `formatted` did not create. */
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
export const Hash = formatted(HASH_PATTERN, 'a hash: 0x and 64 hexadecimal digits')
export const Timestamp = formatted(
  TIMESTAMP_PATTERN,
  'a date and time in UTC, such as 2030-01-31T09:30:00Z',
  { format: 'date-time' },
)
export const CalendarDate = formatted(
  DATE_PATTERN,
  'a date of the years 2000 to 2099, such as 2030-01-31',
  { format: 'date' },
)

const DECIMAL = 'a decimal integer as a string, without a sign or leading zeros'

export const BaseUnits = formatted('^(0|[1-9][0-9]*)$', DECIMAL)

/** Base units with a maximum number of digits. */
export const baseUnits = ({ digits }: { digits: number }) =>
  formatted(`^(0|[1-9][0-9]{0,${digits - 1}})$`, `${DECIMAL}, of at most ${digits} digits`)

/** A schema with a description of what the value means where it is used. */
export const described = <T extends TSchema>(schema: T, description: string) =>
  Type.Unsafe<Static<T>>({ ...schema, description })

/** As a field, and as the path parameter of everything inside an organization. */
export const OrganizationId = described(Uuid, 'The organization that this belongs to')
export const CreatedAt = described(Timestamp, 'When it was created')
export const UpdatedAt = described(Timestamp, 'When it last changed')

export const PosInt = Type.Integer({ minimum: 1, maximum: INTEGER_MAX })
export const NonNeg = Type.Integer({ minimum: 0, maximum: INTEGER_MAX })

/** Marks a field as an extension of the API contract. */
export const extension = { 'x-extension': true } as const

/** A schema with a description, as an extension of the API contract. */
export const added = <T extends TSchema>(schema: T, description: string) =>
  Type.Unsafe<Static<T>>({ ...schema, description, ...extension })

/** fast-json-stringify and the OpenAPI readers handle a type list better than `anyOf`. */
export const nullable = <T extends TSchema & { type?: unknown }>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] })

export const oneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

export const oneOfOrNull = <const T extends readonly string[]>(values: T) =>
  Type.Unsafe<T[number] | null>({ type: ['string', 'null'], enum: [...values, null] })

// Direction controls (U+202A to U+202E, U+2066 to U+2069) could disguise a name.
// The patterns do not exclude surrogates: without the u flag they would refuse every emoji.
// The body validator refuses lone surrogates instead (http/validators.ts).
const LINE_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*$'
const TEXT_PATTERN = '^[^\\u0000-\\u0009\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$'

type TextLimits = { min?: number; max: number; description?: string }

/** One line of free text without control characters. Lengths count code points. */
export const line = ({ min = 1, max, ...rest }: TextLimits) =>
  formatted(LINE_PATTERN, 'one line of text without control characters', {
    minLength: min,
    maxLength: max,
    ...rest,
  })

/** Multi-line free text. Control characters other than new lines are refused. */
export const text = ({ min = 1, max, ...rest }: TextLimits) =>
  formatted(TEXT_PATTERN, 'text without control characters other than new lines', {
    minLength: min,
    maxLength: max,
    ...rest,
  })

/** Keys chosen by callers: visible ASCII without spaces. */
export const visibleAscii = (options: TStringOptions) =>
  formatted('^[!-~]+$', 'visible ASCII characters without spaces', options)

/** Cursors: URL-safe base64 without padding. */
export const urlSafeToken = (options: TStringOptions) =>
  formatted('^[A-Za-z0-9_-]+$', 'a cursor from an earlier answer', options)

const VISIBLE = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u

/** False if the text has only blank or invisible characters. */
export const isVisible = (text: string): boolean => VISIBLE.test(text)

const isLineText = new RegExp(LINE_PATTERN, 'u')

/** The rule of `line` for text from elsewhere: visible, well-formed, counted in code points. */
export const isLine = (text: string, { max }: { max: number }): boolean =>
  text.isWellFormed() && isVisible(text) && isLineText.test(text) && [...text].length <= max

const EMAIL_PATTERN = "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@([A-Za-z0-9-]+[.])*[A-Za-z0-9-]+$"
const EMAIL_LENGTH = { minLength: 3, maxLength: 254 }
const isEmailText = new RegExp(EMAIL_PATTERN)

export const Email = formatted(EMAIL_PATTERN, 'an e-mail address', EMAIL_LENGTH)

export const isEmail = (text: string): boolean =>
  isEmailText.test(text) &&
  text.length >= EMAIL_LENGTH.minLength &&
  text.length <= EMAIL_LENGTH.maxLength

/** Added beside an account id. Null until the person has a name. */
export const DisplayName = Type.Optional(
  nullable(
    Type.String({
      description:
        'Name of the person: their own choice, or from their newest ID token. Null if none',
      ...extension,
    }),
  ),
)

/** The stored form, so that SQL can compare addresses by equality. */
export const lowerCased = (address: string): string => address.toLowerCase()
