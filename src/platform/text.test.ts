import { describe, expect, test } from 'vitest'
import { inBody, notStrings } from '#test/support/schemas.ts'
import { isVisible, line, text } from './values.ts'

const controls = Array.from({ length: 0xa0 }, (_, code) => code).filter(
  (code) => code < 0x20 || code >= 0x7f,
)
const named = (code: number) => `U+${code.toString(16).padStart(4, '0')}`

describe.each([
  { name: 'line', shape: line, allowed: [] as number[], refused: [0x2028, 0x2029] },
  { name: 'text', shape: text, allowed: [0x0a, 0x0d], refused: [] as number[] },
])('$name', ({ shape, allowed, refused }) => {
  const accepts = inBody(shape({ max: 4 }))

  test('refuses every control character except the newlines it allows', () => {
    const passed = [...controls, 0x2028, 0x2029].filter((code) =>
      accepts(`a${String.fromCodePoint(code)}b`),
    )
    const others = [0x2028, 0x2029].filter((code) => !refused.includes(code))
    expect(passed.map(named)).toEqual([...allowed, ...others].map(named))
  })

  test('refuses a control character in the first and last place', () => {
    expect(accepts('\u0000a')).toBe(false)
    expect(accepts('a\u0000')).toBe(false)
    expect(accepts('a\n')).toBe(allowed.includes(0x0a))
  })

  test('refuses lone surrogates and accepts whole pairs', () => {
    for (const lone of [
      '\ud800',
      '\udbff',
      '\udc00',
      '\udfff',
      'a\ud83d',
      '\ude00a',
      '\ude00\ud83d',
    ]) {
      expect(accepts(lone)).toBe(false)
    }
    expect(accepts('\ud83d\ude00')).toBe(true)
  })

  test('counts code points: four emoji are as long as four letters', () => {
    expect(accepts('abcd')).toBe(true)
    expect(accepts('abcde')).toBe(false)
    expect(accepts('😀😀😀😀')).toBe(true)
    expect(accepts('😀😀😀😀😀')).toBe(false)
    // One family on the screen is seven code points.
    expect(accepts('👨‍👩‍👧‍👦')).toBe(false)
  })

  test('has at least one character by default', () => {
    expect(accepts('')).toBe(false)
    expect(inBody(shape({ min: 0, max: 4 }))('')).toBe(true)
    expect(inBody(shape({ min: 2, max: 4 }))('😀')).toBe(false)
    expect(inBody(shape({ min: 2, max: 4 }))('😀😀')).toBe(true)
  })

  test.each(['é', 'ｅ', 'ß', '漢字', 'a\u0301', '%_', "'--", '<b>', '{a}'])(
    'keeps %j unchanged',
    (value) => expect(accepts(value)).toBe(true),
  )

  test.each(notStrings)('%j is not a string and is refused', (value) =>
    expect(accepts(value)).toBe(false),
  )
})

test.each(['\u202a', '\u202e', '\u2066', '\u2069', '\u2028', '\u2029'])(
  'a line with %j, which reverses or breaks it visually, is refused',
  (character) => expect(inBody(line({ max: 9 }))(`a${character}b`)).toBe(false),
)

test.each([
  ['a', true],
  [' é ', true],
  ['😀', true],
  ['  ', false],
  ['\u200b\u200b', false],
  ['\u3164\u3164', false],
  ['\u00ad\ufeff', false],
])('%j is visible: %s', (value, visible) => expect(isVisible(value)).toBe(visible))
