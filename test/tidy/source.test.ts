import { describe, expect, test } from 'vitest'
import { codeOf, functionsIn, scan } from './source.ts'

/** Samples write `#{` where source has the beginning of an interpolation. */
const ts = (text: string) => text.replaceAll('#{', '$\u007b')

const literals = (text: string) => scan(ts(text)).literals.map((literal) => literal.text)
const kept = (text: string) => codeOf(ts(text)).replace(/\s+/g, ' ').trim()

describe('the scanner', () => {
  test.each([
    ['a // b', 'a'],
    ['a /* b */ c', 'a c'],
    ["a('b // c')", 'a( )'],
    ['a("it\'s", b)', 'a( , b)'],
    ["a('\\'', b)", 'a( , b)'],
    ['a(`b`, c)', 'a( , c)'],
    ['a(`b #{c} d`, e)', 'a( c , e)'],
    ['a(`b #{c({ d: `e #{f} g` })} h`, i)', 'a( c({ d: f }) , i)'],
    ['a = /b[/"]c/.test(d)', 'a = .test(d)'],
    ['a = b / c / d', 'a = b / c / d'],
    ['a = (b) / c // d', 'a = (b) / c'],
    ['return /`/.test(a)', 'return .test(a)'],
  ])('finds the code of %s', (text, code) => {
    expect(kept(text)).toBe(code)
  })

  test('keeps every position and every line', () => {
    const text = ts('a\n/* b\n c */ d `e\n#{f}` "g"\n')
    expect(codeOf(text)).toHaveLength(text.length)
    expect(codeOf(text).split('\n')).toHaveLength(text.split('\n').length)
    expect(codeOf(text).indexOf('f')).toBe(text.indexOf('f'))
  })

  test('reads strings and templates, with $ for what is put in', () => {
    expect(literals("a('b', `c #{d(`e`)} f`)")).toEqual(['b', 'c $ f', 'e'])
    expect(literals('// `a`\nb(/`c`/)')).toEqual([])
  })
})

describe('functions', () => {
  const found = (text: string) =>
    functionsIn(text).map(({ start, end }) => text.slice(start, end).replace(/\s+/g, ' '))

  test.each([
    ['function a(b) { c }', '(b) { c }'],
    ['async function a<T>(b: T): Promise<T> { c }', '(b: T): Promise<T> { c }'],
    ['function a(b): { c: d } { e }', '(b): { c: d } { e }'],
    ['function a(b): b is c { d }', '(b): b is c { d }'],
    ['const a = (b) => { c }', '(b) => { c }'],
    ['const a = (b): C<D> => { e }', '(b): C<D> => { e }'],
    ['const a = (b) => ({ c })', '(b) => ({ c })'],
    ['const a = { b(c) { d } }', '(c) { d }'],
    ['class A { constructor(b) { c } }', '(b) { c }'],
  ])('%s is one', (text, span) => {
    expect(found(text)).toEqual([span])
  })

  test.each(['if (a) { b }', 'for (a of b) { c }', 'while (a) { b }', 'a(b)'])(
    '%s is none',
    (text) => expect(found(text)).toEqual([]),
  )

  test('are found inside one another', () => {
    expect(found('a((b) => { c(() => { d }) })')).toEqual([
      '(b) => { c(() => { d }) }',
      '() => { d }',
    ])
  })
})
