import { canonicalJson, organizationHash, uuidToBytes32 } from '@countersign/proof/digest.ts'
import { fc, test as property } from '@fast-check/vitest'
import { keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { fingerprint, sha256 } from './digest.ts'

/** The same value with the keys of every object in the opposite order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reordered(child)]),
  )
}

const json = fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 4 })

describe('canonical JSON', () => {
  test('writes the example of RFC 8785', () => {
    const value = {
      // biome-ignore lint/correctness/noPrecisionLoss: the RFC's own example
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    }
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
  })

  test('sorts keys by UTF-16 code units, as the RFC does', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6']
    const value = Object.fromEntries(keys.map((key) => [key, 0]))
    const written = Object.keys(JSON.parse(canonicalJson(value)))
    expect(written).toEqual(['1', '\r', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'])
  })

  test.each([[undefined], [() => 1], [Symbol('a')]])(
    'refuses %s, which has no JSON form',
    (value) => {
      expect(() => canonicalJson(value)).toThrow(TypeError)
    },
  )

  test.each([[Number.NaN], [Number.POSITIVE_INFINITY], ['\ud800']])('refuses %j', (value) => {
    expect(() => canonicalJson(value)).toThrow()
  })

  property.prop([json])('is equivalent to JSON', (value) => {
    expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
  })

  property.prop([json])('does not depend on the order of keys', (value) => {
    expect(canonicalJson(reordered(value))).toBe(canonicalJson(value))
  })
})

describe('sha256', () => {
  test.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ])('of %j is the published one', (data, digest) => {
    expect(sha256(data).toString('hex')).toBe(digest)
    expect(sha256(Buffer.from(data)).toString('hex')).toBe(digest)
  })
})

describe('the fingerprint of a request', () => {
  test('is the SHA-256 of its canonical JSON', () => {
    const body = { role: 'employee', note: ['ä', 1, null] }
    expect(fingerprint(body)).toEqual(sha256('{"note":["ä",1,null],"role":"employee"}'))
  })

  test('is the same for no body and null', () => {
    expect(fingerprint(undefined)).toEqual(fingerprint(null))
    expect(fingerprint({})).not.toEqual(fingerprint(null))
  })

  property.prop([json, json])('is equal for equal bodies only', (one, other) => {
    const areEqual = canonicalJson(one) === canonicalJson(other)
    expect(fingerprint(one).equals(fingerprint(other))).toBe(areEqual)
    expect(fingerprint(one).equals(fingerprint(reordered(one)))).toBe(true)
  })

  test('distinguishes a number from its text, and 1 from true', () => {
    const prints = [{ a: 1 }, { a: '1' }, { a: true }, { a: [1] }, { a: null }, {}].map((body) =>
      fingerprint(body).toString('hex'),
    )
    expect(new Set(prints).size).toBe(prints.length)
  })
})

describe('the hash of an organization', () => {
  const organizationId = '01890a5d-ac96-774b-bcce-b302099a8057'
  const salt = Buffer.alloc(32, 7)

  test('is what the contract would compute from the same three words', () => {
    // keccak256(abi.encode("countersign.org.v1", id, salt)), written out by hand.
    const word = (hex: string) => hex.padStart(64, '0')
    const text = Buffer.from('countersign.org.v1').toString('hex').padEnd(64, '0')
    const id = word(organizationId.replaceAll('-', ''))
    const encoded = word('60') + id + salt.toString('hex') + word('12') + text
    expect(organizationHash({ organizationId, salt })).toBe(keccak256(`0x${encoded}`))
  })

  test('changes with the organization and with the salt', () => {
    const hashes = [
      organizationHash({ organizationId, salt }),
      organizationHash({ organizationId: organizationId.replace('01', '02'), salt }),
      organizationHash({ organizationId, salt: Buffer.alloc(32, 8) }),
    ]
    expect(new Set(hashes).size).toBe(3)
    expect(organizationHash({ organizationId: organizationId.toUpperCase(), salt })).toBe(hashes[0])
  })

  test('has the UUID right-aligned in its word', () => {
    expect(uuidToBytes32(organizationId)).toBe(
      `0x${'0'.repeat(32)}01890a5dac96774bbcceb302099a8057`,
    )
  })

  test('refuses a salt of another length', () => {
    for (const length of [0, 31, 33]) {
      expect(() => organizationHash({ organizationId, salt: Buffer.alloc(length) })).toThrow()
    }
  })
})
