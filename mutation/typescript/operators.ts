/**
 * Wrong versions of a TypeScript file, by rules over its syntax tree. Types, imports and log
 * statements stay as they are: no test can, or need, notice a change there.
 */
import { parseAst } from 'rolldown/parseAst'
import { type Change, type Mutant, mutantOf } from '#mutation/mutant.ts'
import { sqlChanges } from './sql-operators.ts'

/** A node of the tree (ESTree). Positions count UTF-16 units, like the text itself. */
export type Node = { type: string; start: number; end: number; [key: string]: unknown }
type Found = Change & { rule: string }

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value

export const parse = (source: string): Node => parseAst(source, { lang: 'ts' }) as unknown as Node

/** Every node that becomes code, with its parent before it. */
export function* walk(node: Node): Generator<Node> {
  if (isTypeOnly(node)) return
  yield node
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) yield* walk(child)
  }
}

const UNWRAPPED = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'])
const isTypeOnly = ({ type }: Node): boolean =>
  type === 'ImportDeclaration' || (type.startsWith('TS') && !UNWRAPPED.has(type))

const SWAPPED: Readonly<Record<string, readonly [rule: string, after: string]>> = {
  '===': ['equality changed', '!=='],
  '!==': ['equality changed', '==='],
  '<': ['comparison changed', '<='],
  '<=': ['comparison changed', '<'],
  '>': ['comparison changed', '>='],
  '>=': ['comparison changed', '>'],
  '&&': ['logic changed', '||'],
  '||': ['logic changed', '&&'],
  '+': ['arithmetic changed', '-'],
  '-': ['arithmetic changed', '+'],
  '*': ['arithmetic changed', '/'],
}

const EXCHANGED = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
])

const isText = (node: unknown): boolean =>
  isNode(node) &&
  (node.type === 'TemplateLiteral' ||
    (node.type === 'Literal' && typeof node.value === 'string') ||
    (node.type === 'BinaryExpression' && (isText(node.left) || isText(node.right))))

/** The operator between two operands; comments between them do not occur here. */
function operatorChanges(source: string, node: Node): Found[] {
  const { left, right, operator } = node as { left?: Node; right?: Node; operator?: string } & Node
  if (!left || !right || operator === undefined) return []
  if (operator === '??') {
    const found = { index: left.end, before: source.slice(left.end, right.end), after: '' }
    return [{ rule: 'fallback removed', ...found }]
  }
  const [rule, after] = SWAPPED[operator] ?? []
  if (rule === undefined || after === undefined) return []
  if (operator === '+' && (isText(left) || isText(right))) return []
  const index = source.indexOf(operator, left.end)
  return index === -1 || index > right.start ? [] : [{ rule, index, before: operator, after }]
}

function conditionChanges(source: string, { test }: Node): Found[] {
  if (!isNode(test)) return []
  const before = source.slice(test.start, test.end)
  return [{ rule: 'condition negated', index: test.start, before, after: `!(${before})` }]
}

/** What a log says is for people. */
const isLog = (text: string): boolean => /^(?:await )?(?:\w+\.)*log\.\w+\(/.test(text)

function statementChanges(source: string, node: Node): Found[] {
  const before = source.slice(node.start, node.end)
  if (isLog(before)) return []
  const { expression } = node as { expression?: Node } & Node
  const inner = expression?.type === 'AwaitExpression' ? expression.argument : expression
  const isEffect =
    node.type === 'ThrowStatement' ||
    (isNode(inner) && ['CallExpression', 'AssignmentExpression'].includes(inner.type))
  const rule = node.type === 'ThrowStatement' ? 'refusal removed' : 'effect removed'
  return isEffect ? [{ rule, index: node.start, before, after: '{}' }] : []
}

function elementChanges(source: string, { start, end, elements }: Node): Found[] {
  const nodes = (elements as (Node | null)[]).filter((one) => one !== null)
  const before = source.slice(start, end)
  return nodes.map((dropped) => {
    const rest = nodes.filter((node) => node !== dropped)
    const after = `[${rest.map((node) => source.slice(node.start, node.end)).join(', ')}]`
    return { rule: 'element dropped', index: start, before, after }
  })
}

function bodyChanges(source: string, { body }: Node): Found[] {
  if (!isNode(body) || body.type !== 'BlockStatement') return []
  const statements = body.body as Node[]
  if (statements.length < 2) return []
  const before = source.slice(body.start, body.end)
  return [{ rule: 'return at once', index: body.start, before, after: '{ return }' }]
}

function literalChanges(source: string, { start, end, value }: Node): Found[] {
  const before = source.slice(start, end)
  if (typeof value === 'boolean') {
    return [{ rule: 'boolean changed', index: start, before, after: String(!value) }]
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') return []
  const after = before.endsWith('n') ? `(${before} + 1n)` : `(${before} + 1)`
  return [{ rule: 'number changed', index: start, before, after }]
}

function callChanges(source: string, { callee }: Node): Found[] {
  if (!isNode(callee) || callee.type !== 'MemberExpression') return []
  const { property } = callee as unknown as { property: Node }
  const before = source.slice(property.start, property.end)
  const after = EXCHANGED.get(before)
  return after === undefined
    ? []
    : [{ rule: 'method exchanged', index: property.start, before, after }]
}

type Finder = (source: string, node: Node) => Found[]

const FINDERS: Readonly<Record<string, Finder>> = {
  BinaryExpression: operatorChanges,
  LogicalExpression: operatorChanges,
  IfStatement: conditionChanges,
  ConditionalExpression: conditionChanges,
  WhileStatement: conditionChanges,
  ExpressionStatement: statementChanges,
  ThrowStatement: statementChanges,
  ArrayExpression: elementChanges,
  FunctionDeclaration: bodyChanges,
  FunctionExpression: bodyChanges,
  ArrowFunctionExpression: bodyChanges,
  Literal: literalChanges,
  CallExpression: callChanges,
  TaggedTemplateExpression: (source, node) =>
    sqlChanges(source.slice(node.start, node.end), node.start),
}

export function mutantsOf(file: string, source: string): Mutant[] {
  return [...walk(parse(source))].flatMap((node) =>
    (FINDERS[node.type]?.(source, node) ?? []).map(({ rule, ...change }) =>
      mutantOf({ file, source, rule }, change),
    ),
  )
}
