/**
 * Addresses, hashes and bytes as viem types them, `0x${string}`, so that an answer goes into a
 * wallet's call as it is. Requests keep `string`: what people type has no such type, and the
 * service checks it anyway.
 */
import type { SchemaObject } from 'openapi-typescript'
import ts from 'typescript'
import type { Document } from './operations-source.ts'

const HEX = ts.factory.createTemplateLiteralType(ts.factory.createTemplateHead('0x'), [
  ts.factory.createTemplateLiteralTypeSpan(
    ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
    ts.factory.createTemplateTail(''),
  ),
])

const isHex = (schema: object): boolean =>
  'type' in schema &&
  schema.type === 'string' &&
  'pattern' in schema &&
  String(schema.pattern).startsWith('^0x')

export const hexType = (schema: SchemaObject): ts.TypeNode | undefined =>
  isHex(schema) ? HEX : undefined

type Node = Record<string, unknown>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** The document with every hex value in a request as plain text. */
export function withTextInRequests(document: Document): Document {
  const copy = structuredClone(document)
  const schemas = (copy.components?.schemas ?? {}) as Record<string, Node>
  const seen = new Set<Node>()

  const loosen = (node: unknown): void => {
    if (!isNode(node) || seen.has(node)) return
    seen.add(node)
    if (isHex(node)) delete node.pattern
    const name = typeof node.$ref === 'string' ? node.$ref.split('/').at(-1) : undefined
    const target = name === undefined ? undefined : schemas[name]
    if (target && isHex(target)) {
      const { pattern: _, ...text } = target
      const { $ref: __, ...own } = node
      delete node.$ref
      Object.assign(node, text, own)
    } else loosen(target)
    for (const value of Object.values(node)) loosen(value)
  }

  for (const operation of Object.values(copy.paths).flatMap((methods) => Object.values(methods))) {
    loosen(operation.requestBody)
    loosen(operation.parameters)
  }
  return copy
}
