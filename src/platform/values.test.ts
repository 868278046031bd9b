import { checksummed, isEvmAddress, isHash, isUuid } from '@countersign/proof/values.ts'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { inBody, inQuery, notStrings } from '#test/support/schemas.ts'
import {
  Address,
  BaseUnits,
  Hash,
  lowerCased,
  NonNeg,
  nullable,
  oneOf,
  PosInt,
  Uuid,
} from './values.ts'

describe('UUID', () => {
  const accepts = inBody(Uuid)
  const uuid = (version: string, variant: string) =>
    `0190a1b2-c3d4-${version}567-${variant}abc-def012345678`

  test.each([...'12345678'])('version %s is accepted', (version) => {
    expect(accepts(uuid(version, '8'))).toBe(true)
  })

  test.each([...'09abcdefAF'])('version %s is refused', (version) => {
    expect(accepts(uuid(version, '8'))).toBe(false)
  })

  test.each([...'89abAB'])('variant %s is accepted', (variant) => {
    expect(accepts(uuid('7', variant))).toBe(true)
  })

  test.each([...'01234567cdefCF'])('variant %s is refused', (variant) => {
    expect(accepts(uuid('7', variant))).toBe(false)
  })

  test('the nil and the max form are accepted, the max form in either case', () => {
    expect(accepts('00000000-0000-0000-0000-000000000000')).toBe(true)
    expect(accepts('ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe(true)
    expect(accepts('FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF')).toBe(true)
  })

  test('upper and mixed case are accepted', () => {
    expect(accepts(uuid('4', '9').toUpperCase())).toBe(true)
    expect(accepts('0190A1b2-C3d4-7567-Aabc-DEF012345678')).toBe(true)
  })

  test.each([
    ['', 'empty'],
    ['0190a1b2c3d475678abcdef012345678', 'no hyphens'],
    ['{0190a1b2-c3d4-7567-8abc-def012345678}', 'braces'],
    ['urn:uuid:0190a1b2-c3d4-7567-8abc-def012345678', 'a URN'],
    ['0190a1b2-c3d4-7567-8abc-def01234567', 'one digit short'],
    ['0190a1b2-c3d4-7567-8abc-def0123456789', 'one digit long'],
    ['0190a1b2-c3d4-7567-8abc-def01234567g', 'a letter past f'],
    [' 0190a1b2-c3d4-7567-8abc-def012345678', 'a leading space'],
    ['0190a1b2-c3d4-7567-8abc-def012345678\n', 'a trailing new line'],
    ['00000000-0000-0000-0000-000000000001', 'almost nil'],
    ['ffffffff-ffff-ffff-ffff-fffffffffffe', 'almost max'],
    ['0190a1b2-c3d4-7567-8abc-def01234567８', 'a full-width digit'],
  ])('%j is refused: %s', (value) => {
    expect(accepts(value)).toBe(false)
    expect(isUuid(value)).toBe(false)
  })

  property.prop([fc.uuid({ version: [1, 2, 3, 4, 5, 6, 7, 8] })])(
    'every UUID of versions 1 to 8 is accepted',
    (value) => {
      expect(accepts(value)).toBe(true)
      expect(isUuid(value)).toBe(true)
    },
  )

  test.each(notStrings)('%j is not a string and is refused', (value) => {
    expect(accepts(value)).toBe(false)
    expect(isUuid(value)).toBe(false)
  })
})

describe.each([
  { name: 'ADDRESS', schema: Address, digits: 40, parser: isEvmAddress },
  { name: 'HASH', schema: Hash, digits: 64, parser: isHash },
])('$name', ({ schema, digits, parser }) => {
  const accepts = inBody(schema)
  const hex = fc.string({
    unit: fc.constantFrom(...'0123456789abcdefABCDEF'),
    minLength: digits,
    maxLength: digits,
  })

  property.prop([hex])('0x and the right number of hex digits of one case is accepted', (body) => {
    for (const digits of [body.toLowerCase(), body.toUpperCase()]) {
      expect(accepts(`0x${digits}`)).toBe(true)
      expect(parser(`0x${digits}`)).toBe(true)
    }
    expect(parser(`0x${body}`)).toBe(true)
  })

  test.each([
    ['no prefix', 'a'.repeat(digits)],
    ['an upper-case prefix', `0X${'a'.repeat(digits)}`],
    ['one digit short', `0x${'a'.repeat(digits - 1)}`],
    ['one digit long', `0x${'a'.repeat(digits + 1)}`],
    ['a letter past f', `0x${'a'.repeat(digits - 1)}g`],
    ['a full-width digit', `0x${'a'.repeat(digits - 1)}１`],
    ['a leading space', ` 0x${'a'.repeat(digits)}`],
    ['a trailing new line', `0x${'a'.repeat(digits)}\n`],
    ['nothing', ''],
    ['only the prefix', '0x'],
  ])('%s is refused', (_name, value) => {
    expect(accepts(value)).toBe(false)
    expect(parser(value)).toBe(false)
  })

  test.each(notStrings)('%j is not a string and is refused', (value) => {
    expect(accepts(value)).toBe(false)
    expect(parser(value)).toBe(false)
  })
})

describe('addresses', () => {
  // The examples of EIP-55.
  const examples = [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ]

  test.each(examples)('%s is returned checksummed, whatever its case', (address) => {
    expect(checksummed(address.toLowerCase())).toBe(address)
    expect(checksummed(`0x${address.slice(2).toUpperCase()}`)).toBe(address)
    expect(checksummed(address)).toBe(address)
    expect(lowerCased(address)).toBe(address.toLowerCase())
  })
})

describe('BASE_UNITS', () => {
  const accepts = inBody(BaseUnits)

  property.prop([fc.bigInt({ min: 0n, max: 10n ** 80n })])(
    'any integer is accepted and returned exactly',
    (amount) => {
      expect(accepts(String(amount))).toBe(true)
      expect(BigInt(String(amount))).toBe(amount)
    },
  )

  test.each(['0', '1', '9', '10', '1000000', String(2n ** 256n - 1n)])('%s is accepted', (value) =>
    expect(accepts(value)).toBe(true),
  )

  test.each([
    ...['', '00', '01', '007', '-0', '-1', '+1', '1.0', '.5', '1.', '1e6', '1E6', '0x10', '1_000'],
    ...['1,000', ' 1', '1 ', '1\n', '\t1', '１', '٣', '１２', 'NaN', 'Infinity', 'one', '1n', '²'],
  ])('%j is refused', (value) => expect(accepts(value)).toBe(false))

  test.each(notStrings)('%j is not a string and is refused', (value) =>
    expect(accepts(value)).toBe(false),
  )

  property.prop([fc.string({ unit: 'binary' })])(
    'a string is accepted only as the canonical decimal form of its number',
    (value) => {
      const isCanonical = /^\p{ASCII}+$/u.test(value) && canonicalNumber(value) === value
      expect(accepts(value)).toBe(isCanonical)
    },
  )
})

/** The same rule another way: parse the number, format it, compare. */
function canonicalNumber(value: string): string | undefined {
  try {
    const amount = BigInt(value)
    return amount < 0n ? undefined : amount.toString()
  } catch {
    return undefined
  }
}

describe.each([
  { name: 'POSINT', schema: PosInt, least: 1 },
  { name: 'NONNEG', schema: NonNeg, least: 0 },
])('$name', ({ schema, least }) => {
  const accepts = inBody(schema)
  const reads = inQuery(schema)

  test('accepts exactly its limits', () => {
    expect(accepts(least)).toBe(true)
    expect(accepts(least - 1)).toBe(false)
    expect(accepts(9_007_199_254_740_991)).toBe(true)
    expect(accepts(9_007_199_254_740_992)).toBe(false)
  })

  test.each([-1, -9_007_199_254_740_991, 1.5, 0.1, 1e300, Number.NaN, Number.POSITIVE_INFINITY])(
    '%s is refused',
    (value) => expect(accepts(value)).toBe(false),
  )

  test.each([['1'], [''], ['one'], [true], [false], [null], [[]], [[1]], [{}], [undefined]])(
    'is not coerced in a body: %j is refused',
    (value) => expect(accepts(value)).toBe(false),
  )

  test('is parsed from text in a query', () => {
    expect(reads('1')).toBe(1)
    expect(reads('9007199254740991')).toBe(9_007_199_254_740_991)
  })

  test('is refused when given twice in a query', () => {
    expect(reads(['1', '2'])).toBe('refused')
  })

  test.each(['', 'one', '1.5', '-1', '9007199254740992', '1,0', '1 0', 'NaN', 'true', '１'])(
    'is refused in a query: %j',
    (value) => expect(reads(value)).toBe('refused'),
  )
})

describe('nullable', () => {
  const accepts = inBody(nullable(BaseUnits))

  test('accepts exactly null or the schema', () => {
    expect(accepts(null)).toBe(true)
    expect(accepts('5')).toBe(true)
    expect(accepts('05')).toBe(false)
    expect(accepts(5)).toBe(false)
    expect(accepts('null')).toBe(false)
  })
})

describe('oneOf', () => {
  const accepts = inBody(oneOf(['owner', 'manager']))

  test('accepts exactly its values', () => {
    expect(accepts('owner')).toBe(true)
    expect(accepts('manager')).toBe(true)
    for (const value of ['Owner', 'owner ', 'employee', '', null, 0, ['owner']]) {
      expect(accepts(value)).toBe(false)
    }
  })
})
