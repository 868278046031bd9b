/** The rules that make mutants of TypeScript and SQL, and the counters of coverage. */
import { runInThisContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { partsOf } from '#mutation/document.ts'
import { functionAt, instrument } from '#mutation/typescript/instrument.ts'
import { mutantsOf } from '#mutation/typescript/operators.ts'

const changed = (source: string) =>
  mutantsOf('a.ts', source).map(({ rule, source: wrong }) => `${rule}: ${wrong}`)

test.each([
  ['a === b', ['equality changed: a !== b']],
  ['a <= b', ['comparison changed: a < b']],
  ['a && b', ['logic changed: a || b']],
  ['a ?? b', ['fallback removed: a']],
  ['a + b', ['arithmetic changed: a - b']],
  ["a + 'text'", []],
  ['x = true', ['effect removed: {}', 'boolean changed: x = false']],
  ['x(7n)', ['effect removed: {}', 'number changed: x((7n + 1n))']],
  ['if (a) throw b', ['condition negated: if (!(a)) throw b', 'refusal removed: if (a) {}']],
  ['ctx.log.error(a)', []],
  ['let a: [1, 2] | true', []],
  ['a.some(b)', ['effect removed: {}', 'method exchanged: a.every(b)']],
  ['f = () => { a(); return b }', 5],
])('%s', (source, expected) => {
  const found = changed(source)
  if (typeof expected === 'number') expect(found.length).toBeLessThanOrEqual(expected)
  else expect(found).toEqual(expect.arrayContaining([...expected]))
  if (Array.isArray(expected) && expected.length === 0) expect(found).toEqual([])
})

test('each element of a list is dropped once', () => {
  expect(changed('y = [a, ...b]').filter((one) => one.startsWith('element'))).toEqual([
    'element dropped: y = [...b]',
    'element dropped: y = [a]',
  ])
})

describe('of SQL', () => {
  test.each([
    [`and x.epoch = $${'{e}'}`, 'SQL condition removed'],
    ['and a <= now()', 'SQL condition removed'],
    ['a <= b', 'SQL comparison changed'],
    ["in ('a', 'b')", 'SQL state dropped from a list'],
    ['where id = 1 for no key update', 'SQL lock removed'],
  ])('%s', (text, rule) => {
    const rules = mutantsOf('a.ts', `sql\`select 1 ${text}\``).map((mutant) => mutant.rule)
    expect(rules).toContain(rule)
  })

  test('other templates are left alone', () => {
    expect(mutantsOf('a.ts', '`a <= b`')).toEqual([])
  })
})

test('ids do not change when lines move', () => {
  const idsOf = (source: string) => mutantsOf('a.ts', source).map(({ id }) => id)
  expect(idsOf('\n\nf(a === b)')).toEqual(idsOf('f(a === b)'))
})

test('a counter stands at the start of each function, and the code does the same', () => {
  const source = 'var f = (n) => ({ twice: () => n * 2 }); function g() { return f(4).twice() } g()'
  const scope = globalThis as { __called?: Set<string> }
  scope.__called = new Set()
  expect(runInThisContext(instrument('a.ts', source))).toBe(8)
  expect([...scope.__called].sort()).toEqual(['a.ts#0', 'a.ts#1', 'a.ts#2'])
  delete scope.__called
  expect(functionAt(source, source.indexOf('n * 2'))).toBe(1)
  expect(functionAt(source, source.lastIndexOf('g()'))).toBe(-1)
})

test('the document keeps one part when the other is written', () => {
  const heading = '# Mutation run of the TypeScript sources'
  expect(partsOf(`vault\n${heading}\nservice`)).toEqual({ vault: 'vault', typescript: 'service' })
  expect(partsOf('vault')).toEqual({ vault: 'vault', typescript: '' })
})
