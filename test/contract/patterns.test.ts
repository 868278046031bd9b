/** The published patterns mean the same in every regular-expression engine. */
import { describe, expect, test } from 'vitest'
import '#app.ts'
import { ruleOf } from '#platform/values.ts'
import { document } from '#test/support/contract.ts'
import { inBody } from '#test/support/schemas.ts'

type Found = { pattern: string; schema: Record<string, unknown>; isRequest: boolean }

function patternsIn(node: unknown, path: string[] = []): Found[] {
  if (typeof node !== 'object' || node === null) return []
  const schema = node as Record<string, unknown>
  const isRequest = path.includes('requestBody') || path.includes('parameters')
  const { pattern } = schema
  const own = typeof pattern === 'string' ? [{ pattern, schema, isRequest }] : []
  const parts = Object.entries(schema).flatMap(([name, part]) => patternsIn(part, [...path, name]))
  return [...own, ...parts]
}

const found = patternsIn(document)
const patterns = [...new Set(found.map(({ pattern }) => pattern))]
const requestPatterns = [
  ...new Set(found.filter(({ isRequest }) => isRequest).map(({ pattern }) => pattern)),
]
/** Patterns of text that a person writes: they list what is refused. */
const textPatterns = requestPatterns.filter((pattern) => pattern.startsWith('^[^'))

const samples: [string, string][] = [
  ['an emoji', 'Coffee ☕ and 😀'],
  ['an emoji of several code points', '👩‍👩‍👧‍👦'],
  ['a flag', '🇨🇭'],
  ['letters beyond the basic plane', '𝒜𐍈𠜎'],
  ['the last code point', '\u{10ffff}'],
  ['a high surrogate alone', 'a\ud83d'],
  ['a low surrogate alone', '\ude00a'],
  ['surrogates in the wrong order', '\ude00\ud83d'],
  ['an empty string', ''],
  ['a line break at the end', 'a\n'],
  ['a NUL', '\u0000'],
  ['a direction override', 'a\u202eb'],
  ['plain text', 'Team lunch'],
  ['a UUID', '01890a5d-ac96-774b-bcce-b302099a8057'],
  ['an address', `0x${'aB'.repeat(20)}`],
  ['a hash', `0x${'ab'.repeat(32)}`],
  ['an amount', '1000000'],
  ['a timestamp', '2028-02-29T12:00:00.000Z'],
]

test('the document has patterns, and patterns of text among them', () => {
  expect(patterns.length).toBeGreaterThan(10)
  expect(textPatterns).toHaveLength(2)
})

describe.each(patterns)('%s', (pattern) => {
  test.each(samples)('gives one result for %s with and without the u flag', (_name, sample) => {
    expect(new RegExp(pattern).test(sample)).toBe(new RegExp(pattern, 'u').test(sample))
  })

  test('is anchored and uses only what ECMA-262, PCRE, RE2, Java and Python share', () => {
    expect(pattern).toMatch(/^\^.*\$$/s)
    // Groups with a question mark are lookaround, flags or names; \x, \p and \w differ by engine.
    expect(pattern).not.toMatch(/\(\?/)
    expect(pattern.match(/\\[^ud]/g)).toBeNull()
    expect(pattern).not.toMatch(/\\u[dD][89a-fA-F]/)
  })
})

describe.each(textPatterns)('text under %s', (pattern) => {
  const modes = [new RegExp(pattern), new RegExp(pattern, 'u')]
  const verdicts = (text: string) => modes.map((expression) => expression.test(text))

  test.each(samples.slice(0, 5))('may hold %s', (_name, sample) => {
    expect(verdicts(sample)).toEqual([true, true])
  })

  test.each(['\u0000', '\u001b', '\u007f', '\u0085'])('may not hold the control %j', (control) => {
    expect(verdicts(`a${control}b`)).toEqual([false, false])
  })

  test.each(samples.slice(5, 8))('is refused by the service with %s', (_name, sample) => {
    const [schema] = found.filter((one) => one.isRequest && one.pattern === pattern)
    expect(inBody(schema?.schema as never)(sample)).toBe(false)
  })
})

test.each(requestPatterns)('a value that breaks %s is told the rule in words', (pattern) => {
  const rule = ruleOf(pattern)
  expect(rule).toBeTruthy()
  expect(rule).not.toMatch(/[\^$[\]\\]/)
})
