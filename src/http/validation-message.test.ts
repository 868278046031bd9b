import { describe, expect, test } from 'vitest'
import { type TSchema, Type } from '#platform/schema.ts'
import { Address, BaseUnits, line, nullable, oneOf, PosInt, Uuid } from '#platform/values.ts'
import { messageOf } from './validation-message.ts'
import { validatorCompiler } from './validators.ts'

const closed = { additionalProperties: false }

function refusal(schema: TSchema, value: unknown, httpPart = 'body'): string {
  const validate = validatorCompiler({ schema, httpPart, method: 'POST', url: '/' })
  expect(validate(value)).toBe(false)
  return messageOf(validate.errors?.at(-1) ?? {}, httpPart)
}

const field = (schema: TSchema, value: unknown) =>
  refusal(Type.Object({ it: schema }, closed), { it: value })

describe('the message for a value that breaks a rule names the field and the rule', () => {
  test.each<[string, TSchema, unknown, string]>([
    ['an enum', oneOf(['approved', 'automatic']), 'auto', 'be one of approved, automatic'],
    ['a type', Type.Integer(), '1', 'be an integer'],
    ['a boolean', Type.Boolean(), 'yes', 'be true or false'],
    ['two types', nullable(Type.Number()), 'x', 'be a number or null'],
    ['a list', Type.Array(Type.String()), {}, 'be a list'],
    ['a literal', Type.Literal(1), 2, 'be 1'],
    ['both lengths', line({ min: 2, max: 9 }), 'a', 'have from 2 to 9 characters'],
    ['a minimum length', Type.String({ minLength: 3 }), 'a', 'have at least 3 characters'],
    ['a maximum length', Type.String({ maxLength: 3 }), 'long', 'have at most 3 characters'],
    ['an exact length', Type.String({ minLength: 2, maxLength: 2 }), 'a', 'have 2 characters'],
    ['a range', PosInt, 0, 'be from 1 to 9007199254740991'],
    ['a minimum', Type.Number({ minimum: 5 }), 1, 'be at least 5'],
    ['entries', Type.Array(Type.String(), { maxItems: 1 }), ['', ''], 'have at most 1 entries'],
    ['a UUID', Uuid, 'x', 'be a UUID'],
    [
      'an address',
      Address,
      '0x1',
      'be an address: 0x and 40 hexadecimal digits. Names, such as ENS names, are not resolved',
    ],
    [
      'an amount',
      BaseUnits,
      '007',
      'be a decimal integer as a string, without a sign or leading zeros',
    ],
    [
      'a control character',
      line({ max: 9 }),
      'a\tb',
      'be one line of text without control characters',
    ],
    [
      'half a surrogate pair',
      line({ max: 9 }),
      'a\ud83d',
      'be well-formed Unicode, without lone surrogates',
    ],
    [
      'an unknown pattern',
      Type.String({ pattern: '^[ab]+$' }),
      'c',
      'be in the format that the OpenAPI document gives',
    ],
    [
      'a union',
      Type.Union([Type.Literal(1), Type.Literal(2)]),
      3,
      'match the schema in the OpenAPI document',
    ],
  ])('%s', (_name, schema, value, rule) => {
    expect(field(schema, value)).toBe(`\`it\` must ${rule}.`)
  })
})

describe('the field', () => {
  const body = Type.Object({ name: Type.String(), role: Type.Optional(Type.String()) }, closed)

  test('that is missing is named', () => {
    expect(refusal(body, {})).toBe('`name` is required.')
  })

  test('that is unknown is named, truncated to 64 characters, with the known fields', () => {
    expect(refusal(body, { name: 'a', isAdmin: true })).toBe(
      '`isAdmin` is not a known field. The fields are name, role.',
    )
    expect(refusal(body, { name: 'a', ['x'.repeat(99)]: 1 })).toBe(
      `\`${'x'.repeat(64)}\` is not a known field. The fields are name, role.`,
    )
  })

  test('in an object or a list is named with its path', () => {
    const keys = Type.Object({ keys: Type.Object({ auth: Type.String() }) })
    expect(refusal(keys, { keys: {} })).toBe('`keys.auth` is required.')
    expect(refusal(keys, { keys: { auth: 1 } })).toBe('`keys.auth` must be a string.')
    const list = Type.Object({ wallets: Type.Array(Type.Object({ address: Address })) })
    expect(refusal(list, { wallets: [{ address: '' }] })).toMatch(/^`wallets\[0\]\.address` must/)
  })

  test('of a query or a path says so', () => {
    const query = Type.Object({ limit: Type.Integer({ minimum: 1, maximum: 200 }) })
    expect(refusal(query, { limit: '0' }, 'querystring')).toBe(
      '`limit` in the query must be from 1 to 200.',
    )
    const path = Type.Object({ vaultId: Uuid })
    expect(refusal(path, { vaultId: 'x' }, 'params')).toBe('`vaultId` in the path must be a UUID.')
  })

  test('is the body where it is not an object', () => {
    expect(refusal(body, [])).toBe('The body must be a JSON object.')
    expect(refusal(body, undefined)).toBe('The body must be a JSON object.')
  })
})
