import { describe, expect, test } from 'vitest'
import { columnProblems, fileProblems, functionProblems } from './sizes.ts'

const file = (path: string, text: string) => [{ path, text }]
const A = 'src/expenses/a.ts'
const lines = (count: number) => '  work()\n'.repeat(count)

describe('a file', () => {
  test('of 300 lines is fine, one of 301 is noticed', () => {
    expect(fileProblems()(file(A, lines(300)))).toEqual([])
    expect(fileProblems()(file(A, lines(301)))).toEqual([`${A} has 301 lines`])
  })

  test.each(['src/expenses/a.store.ts', 'src/expenses/a.routes.ts'])(
    'that is a store or routes may have 400 lines, and no more: %s',
    (path) => {
      expect(fileProblems()(file(path, lines(400)))).toEqual([])
      expect(fileProblems()(file(path, lines(401)))).toEqual([`${path} has 401 lines`])
    },
  )

  test('whose name only resembles a store may have 300 lines', () => {
    for (const path of ['src/expenses/store.ts', 'src/expenses/a.store.test.ts']) {
      expect(fileProblems()(file(path, lines(301)))).toHaveLength(1)
    }
  })

  test('is let pass by an exception, as long as the exception is needed', () => {
    expect(fileProblems({ [A]: 'generated' })(file(A, lines(301)))).toEqual([])
    expect(fileProblems({ [A]: 'generated' })(file(A, lines(300)))).toEqual([
      `${A} needs no exception any more`,
    ])
  })
})

describe('a line', () => {
  test('of 100 columns is fine, one of 101 is noticed', () => {
    expect(columnProblems()(file(A, `a\n${'x'.repeat(100)}\n`))).toEqual([])
    const wide = file(A, `a\n${'x'.repeat(101)}\n`)
    expect(columnProblems()(wide)).toEqual([`${A}:2 has 101 columns`])
    expect(columnProblems({ [A]: 'generated' })(wide)).toEqual([])
    expect(columnProblems({ [A]: 'generated' })(file(A, 'a'))).toHaveLength(1)
  })

  test('is counted in characters, not in bytes', () => {
    expect(columnProblems()(file(A, 'é'.repeat(100)))).toEqual([])
    expect(columnProblems()(file(A, '😀'.repeat(100)))).toEqual([])
  })
})

describe('a function', () => {
  const problems = functionProblems()

  test.each([
    ['a declaration', 'function pay() {\n', '}\n'],
    ['an arrow', 'const pay = async (a: A): Promise<B> => {\n', '}\n'],
    ['an object', 'const pay = () => ({\n', '})\n'],
    ['a curried plugin', 'export const pay =\n  (ctx: C): P =>\n  async (app) => {\n', '}\n'],
    ['a method', 'const pay = {\n  now(a) {\n', '} }\n'],
  ])('of 70 lines is fine, one of 71 is noticed: %s', (_name, head, tail) => {
    expect(problems(file(A, `${head}${lines(68)}${tail}`))).toEqual([])
    const [problem, ...others] = problems(file(A, `${head}${lines(69)}${tail}`))
    expect(problem).toMatch(/^src\/expenses\/a\.ts:\d pay has 71 lines$/)
    expect(others).toEqual([])
  })

  test('is measured with its parameters', () => {
    const text = `function pay(\n  a: A,\n  b: B,\n): C {\n${lines(66)}}\n`
    expect(problems(file(A, text))).toEqual([`${A}:1 pay has 71 lines`])
  })

  test('is not ended by a bracket in a text or in a comment', () => {
    const text = `function pay() {\n  say('}')\n  // }\n  say(\`}\`)\n${lines(66)}}\n`
    expect(problems(file(A, text))).toHaveLength(1)
  })

  test('that describes a subject in tests may be longer, a test itself may not', () => {
    const block = (head: string) => `${head}\n${lines(80)}})\n`
    expect(problems(file('test/a.test.ts', block("describe('a', () => {")))).toEqual([])
    expect(problems(file('test/a.test.ts', block("describe.each([1])('a', (b) => {")))).toEqual([])
    expect(problems(file('test/a.test.ts', block("test('a', () => {")))).toHaveLength(1)
    const inner = `describe('a', () => {\n  test('b', () => {\n${lines(80)}  })\n})\n`
    expect(problems(file('test/a.test.ts', inner))).toHaveLength(1)
  })

  test('is let pass by an exception, as long as the exception is needed', () => {
    const long = `function pay() {\n${lines(80)}}\n`
    const exceptions = { [`${A} pay`]: 'one table' }
    expect(functionProblems(exceptions)(file(A, long))).toEqual([])
    expect(functionProblems(exceptions)(file(A, ''))).toEqual([
      `${A} pay needs no exception any more`,
    ])
  })
})
