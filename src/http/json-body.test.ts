import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { AppError } from '#platform/errors.ts'
import { parseJson } from './json-body.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const parse = (text: string) => parseJson(bytes(text))

/** Error code of the rejection; `parsed` when the body was accepted. */
function outcomeOf(body: string | Uint8Array): string {
  try {
    parseJson(typeof body === 'string' ? bytes(body) : body)
    return 'parsed'
  } catch (error) {
    return error instanceof AppError ? error.code : `not an AppError: ${error}`
  }
}

describe('a body without duplicate keys', () => {
  test.each([
    '{}',
    '[]',
    'null',
    '"text"',
    '-0.5e-7',
    ' { "a" : [ 1 , { "a" : "a" } ] , "b" : { "a" : null } } ',
    '{"a":"a","b":"a"}',
    '{"a":{"x":1},"b":{"x":2}}',
    '[{"a":1},{"a":2}]',
    '{"a":["b","b"],"b":1}',
    '{"a":"},{\\"a\\":","b":"\\\\"}',
    '{"a":"\\"a\\":1","A":1}',
    '{"":1," ":2}',
    '{"constructor":1,"toString":2,"hasOwnProperty":3,"prototype":4}',
    '{"é":1,"e\\u0301":2}',
    '{"a":1,"\\u0061b":2}',
  ])('%s parses as JSON.parse does', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  property.prop([fc.json({ stringUnit: 'grapheme' })])(
    'parses as JSON.parse does, for any value',
    (text) => {
      fc.pre(!text.includes('__proto__'))
      expect(parse(text)).toEqual(JSON.parse(text))
    },
  )
})

describe('a duplicate key', () => {
  test.each([
    ['{"a":1,"a":1}', 'with the same value'],
    ['{"a":1,"a":2}', 'with another value'],
    ['{"a":1,"b":2,"a":3}', 'with another key between'],
    ['{ "a" : 1 ,\n\t"a" : 2 }', 'with white space'],
    ['{"x":{"a":1,"a":2}}', 'inside an object'],
    ['[[{"a":1,"a":2}]]', 'inside a list'],
    ['{"x":[1,{"y":{"a":1,"b":[],"a":2}}]}', 'deep inside'],
    ['{"a":{"b":1},"a":2}', 'after an object'],
    ['{"a":[{"b":1}],"a":2}', 'after a list'],
    ['{"a":"}","a":2}', 'after a bracket in a string'],
    ['{"a":"\\"","a":2}', 'after a quote in a string'],
    ['{"":1,"":2}', 'that is empty'],
    ['{"a":1,"\\u0061":2}', 'spelled with an escape'],
    ['{"\\u0061":1,"\\u0061":2}', 'spelled with an escape both times'],
    ['{"/":1,"\\/":2}', 'spelled with an escaped slash'],
    ['{"\\u00e9":1,"é":2}', 'with an accent, one of them escaped'],
    ['{"\\ud83d\\ude00":1,"😀":2}', 'that is an emoji, one of them escaped'],
    ['{"\\n":1,"\\u000a":2}', 'that is a newline in two spellings'],
    ['{"constructor":1,"constructor":2}', 'named constructor'],
  ])('%s is rejected with 400 malformed_json: %s', (text) => {
    expect(JSON.parse(text)).toBeDefined()
    expect(outcomeOf(text)).toBe('malformed_json')
  })
})

describe('__proto__', () => {
  test.each([
    '{"__proto__":{}}',
    '{"__proto__":null}',
    '{"a":{"__proto__":{"isAdmin":true}}}',
    '[{"__proto__":[]}]',
    '{"\\u005f_proto__":{"isAdmin":true}}',
  ])('%s is rejected with 400 malformed_json', (text) => {
    expect(outcomeOf(text)).toBe('malformed_json')
  })

  test('is allowed as a value', () => {
    expect(parse('{"a":"__proto__"}')).toEqual({ a: '__proto__' })
    expect(parse('["__proto__","__proto__"]')).toEqual(['__proto__', '__proto__'])
  })
})

/** JSON as a tree that can express what an object cannot: the same key twice, in two spellings. */
type Tree = { text: string; hasBadObject: boolean }

const spellings = [
  (key: string) => JSON.stringify(key),
  (key: string) =>
    `"${[...key].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`,
]
const space = fc.constantFrom('', ' ', '\n\t')
const keyed = fc.record({
  key: fc.constantFrom('a', 'b', 'c', '__proto__', '"', '\\', '{', '', 'a:'),
  spell: fc.constantFrom(...spellings),
})

const { tree } = fc.letrec<{ tree: Tree; list: Tree; object: Tree; leaf: Tree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 5, withCrossShrink: true }, tie('leaf'), tie('list'), tie('object')),
  leaf: fc
    .constantFrom('1', 'null', '""', '"{\\"a\\":1,\\"a\\":1}"', '"\\\\"', '"a"', '[]', '{}')
    .map((text) => ({ text, hasBadObject: false })),
  list: fc.tuple(fc.array(tie('tree'), { maxLength: 4 }), space).map(([items, gap]) => ({
    text: `[${gap}${items.map(({ text }) => text).join(`${gap},`)}${gap}]`,
    hasBadObject: items.some(({ hasBadObject }) => hasBadObject),
  })),
  object: fc
    .tuple(fc.array(fc.tuple(keyed, tie('tree')), { maxLength: 4 }), space)
    .map(([entries, gap]) => {
      const keys = entries.map(([{ key }]) => key)
      const fields = entries.map(([{ key, spell }, { text }]) => `${spell(key)}${gap}:${text}`)
      return {
        text: `{${gap}${fields.join(`,${gap}`)}${gap}}`,
        hasBadObject:
          new Set(keys).size < keys.length ||
          keys.includes('__proto__') ||
          entries.some(([, { hasBadObject }]) => hasBadObject),
      }
    }),
}))

describe('any body', () => {
  property.prop([tree], { numRuns: 3_000 })(
    'is rejected exactly when an object in it repeats a key or has __proto__',
    ({ text, hasBadObject }) => {
      expect(outcomeOf(text)).toBe(hasBadObject ? 'malformed_json' : 'parsed')
      if (!hasBadObject) expect(parse(text)).toEqual(JSON.parse(text))
    },
  )

  property.prop([fc.string({ unit: 'binary' })])('parses or is 400 malformed_json', (text) => {
    expect(['parsed', 'malformed_json']).toContain(outcomeOf(text))
  })

  property.prop([fc.uint8Array()])('of any bytes parses or is 400 malformed_json', (body) => {
    expect(['parsed', 'malformed_json']).toContain(outcomeOf(body))
  })
})

describe('invalid JSON', () => {
  test.each([
    '',
    ' ',
    '{',
    '{"a":1',
    '{"a":1}}',
    '{"a":1} {"a":1}',
    "{'a':1}",
    '{a:1}',
    '{"a":1,}',
    '[1,]',
    '01',
    '+1',
    'NaN',
    'undefined',
    '"\n"',
    '{"a":1}\u0000',
    '// {}',
  ])('%j is 400 malformed_json', (text) => {
    expect(outcomeOf(text)).toBe('malformed_json')
  })

  test('rejects a byte order mark', () => {
    expect(outcomeOf(new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))).toBe('malformed_json')
  })

  test.each([
    ['a stray continuation byte', [0x80]],
    ['a truncated sequence', [0xc3]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['past the last code point', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin-1', [0xe9]],
  ])('rejects invalid UTF-8: %s', (_name, broken) => {
    expect(outcomeOf(new Uint8Array([0x22, ...broken, 0x22]))).toBe('malformed_json')
  })

  test('rejects UTF-16', () => {
    expect(outcomeOf(new Uint8Array(Buffer.from('{"a":1}', 'utf16le')))).toBe('malformed_json')
  })

  test('the error does not echo the body', () => {
    expect(() => parse('{"secret":"hunter2"')).toThrow(
      'The body is not valid JSON. Correct it and try again.',
    )
    expect(() => parse('{"hunter2":1,"hunter2":2}')).toThrow(
      'The body repeats a key or contains `__proto__`. Remove it and try again.',
    )
  })
})

describe('deep nesting', () => {
  const LEVELS = 20_000

  test('of lists and objects does not exhaust the stack', () => {
    expect(outcomeOf(`${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`)).toBe('parsed')
    expect(outcomeOf(`${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`)).toBe('parsed')
  })

  test('does not hide a duplicate key', () => {
    const inner = '{"a":1,"a":2}'
    const text = `${'[{"a":'.repeat(LEVELS)}${inner}${'}]'.repeat(LEVELS)}`
    expect(outcomeOf(text)).toBe('malformed_json')
  })

  test('that is not closed is 400 malformed_json', () => {
    expect(outcomeOf('['.repeat(LEVELS))).toBe('malformed_json')
    expect(outcomeOf('{"a":'.repeat(LEVELS))).toBe('malformed_json')
  })
})
