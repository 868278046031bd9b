/** A file's functions, and the file with a counter at the start of each. */
import { isNode, type Node, parse, walk } from './operators.ts'

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

type Body = { start: number; end: number; isExpression: boolean }

function bodiesOf(source: string): Body[] {
  return [...walk(parse(source))]
    .filter(({ type, body }) => FUNCTIONS.has(type) && isNode(body))
    .map(({ body }) => {
      const { start, end, type } = body as Node
      return { start, end, isExpression: type !== 'BlockStatement' }
    })
}

export const countFunctions = (source: string): number => bodiesOf(source).length

/** The innermost function at a place, by number; -1 outside of all. */
export function functionAt(source: string, index: number): number {
  let found = -1
  for (const [number, { start, end }] of bodiesOf(source).entries()) {
    // Inner functions come after those around them.
    if (start <= index && index < end) found = number
  }
  return found
}

/** Every call of a function adds `file#number` to the set of the test file that runs. */
export function instrument(file: string, source: string): string {
  const inserts = bodiesOf(source).flatMap(({ start, end, isExpression }, number) => {
    const mark = `globalThis.__called?.add(${JSON.stringify(`${file}#${number}`)})`
    return isExpression
      ? [
          { at: start, order: number, text: `(${mark}, (` },
          { at: end, order: -number, text: '))' },
        ]
      : [{ at: start + 1, order: number, text: `${mark};` }]
  })
  let text = source
  // From the end, so that earlier places stay where they are.
  for (const insert of inserts.sort((a, b) => b.at - a.at || b.order - a.order)) {
    text = text.slice(0, insert.at) + insert.text + text.slice(insert.at)
  }
  return text
}
