/** The house rules about size: lines of a file (400 for stores and routes), functions, columns. */
import {
  codeOf,
  type Exceptions,
  functionsIn,
  lineAt,
  needless,
  type SourceFile,
} from './source.ts'

const LINES_MAX = 300
/** SQL and schemas are long and simple. */
const LONG_KINDS = /\.(?:store|routes)\.ts$/
const LONG_KINDS_LINES_MAX = 400
const FUNCTION_LINES_MAX = 70
const COLUMNS_MAX = 100

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n')

export const fileProblems =
  (exceptions: Exceptions = {}) =>
  (files: readonly SourceFile[]): string[] => {
    const long = files
      .map(({ path, text }) => ({ path, length: linesOf(text).length }))
      .filter(({ path, length }) => {
        const linesMax = LONG_KINDS.test(path) ? LONG_KINDS_LINES_MAX : LINES_MAX
        return length > linesMax
      })
    return [
      ...long
        .filter(({ path }) => !(path in exceptions))
        .map(({ path, length }) => `${path} has ${length} lines`),
      ...needless(
        exceptions,
        long.map(({ path }) => path),
      ),
    ]
  }

export const columnProblems =
  (exceptions: Exceptions = {}) =>
  (files: readonly SourceFile[]): string[] => {
    const wide = files.flatMap(({ path, text }) =>
      linesOf(text).flatMap((line, index) => {
        const columns = [...line].length
        const problem = `${path}:${index + 1} has ${columns} columns`
        return columns > COLUMNS_MAX ? [{ path, problem }] : []
      }),
    )
    return [
      ...wide.filter(({ path }) => !(path in exceptions)).map(({ problem }) => problem),
      ...needless(
        exceptions,
        wide.map(({ path }) => path),
      ),
    ]
  }

/** A block of tests may be as long as its subject. */
const isDescribeBlock = (code: string, start: number): boolean =>
  /\bdescribe\b(?:\.\w+)*\s*\((?:[^;{}]|\{[^{}]*\})*$/.test(
    code
      .slice(Math.max(0, start - 4_000), start)
      .split(/\n(?=\S)/)
      .at(-1) ?? '',
  )

/** Its name as far as one can tell: the word it is assigned to or declared as. */
function nameOf(code: string, start: number): string {
  const before = code.slice(0, start)
  const declared = /\bfunction\s*\*?\s+(\w+)\s*(?:<[^()]*>)?$/.exec(before)?.[1]
  const assigned = [...before.matchAll(/\b(?:const|let)\s+(\w+)\b[^;]*?=(?!=|>)/g)].at(-1)?.[1]
  return declared ?? assigned ?? 'a function'
}

export const functionProblems =
  (exceptions: Exceptions = {}) =>
  (files: readonly SourceFile[]): string[] => {
    const long = files.flatMap(({ path, text }) => {
      const code = codeOf(text)
      return functionsIn(text)
        .map(({ start, end }) => ({ start, length: linesOf(text.slice(start, end)).length }))
        .filter(({ length }) => length > FUNCTION_LINES_MAX)
        .filter(({ start }) => !isDescribeBlock(code, start))
        .map(({ start, length }) => ({
          key: `${path} ${nameOf(code, start)}`,
          problem: `${path}:${lineAt(text, start)} ${nameOf(code, start)} has ${length} lines`,
        }))
    })
    return [
      ...long.filter(({ key }) => !(key in exceptions)).map(({ problem }) => problem),
      ...needless(
        exceptions,
        long.map(({ key }) => key),
      ),
    ]
  }
