/**
 * Gives every shape in the document a name: values such as addresses, request bodies, answers and
 * nested objects. Routes validate with the inline schemas; only the document has the names.
 */
import { namedValues } from './openapi-values.ts'

export type Schema = {
  $ref?: string
  title?: string
  type?: string | string[]
  pattern?: string
  format?: string
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  additionalProperties?: boolean | Schema
  [keyword: string]: unknown
}

type Content = Record<string, { schema?: Schema }>
export type Operation = {
  operationId?: string
  parameters?: { name: string; schema?: Schema }[]
  requestBody?: { content?: Content }
  responses?: Record<string, { content?: Content }>
}
export type OpenApi = {
  paths?: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema> }
}

const refTo = (name: string): string => `#/components/schemas/${name}`
const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)
const capitalised = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** The items of `categories` are a `Category`. */
const singular = (plural: string): string =>
  plural.endsWith('ies') ? `${plural.slice(0, -3)}y` : plural.replace(/(?<!s)s$/, '')

const isObject = ({ properties }: Schema): boolean => properties !== undefined

const texts = new WeakMap<Schema, string>()

/** Every shape is compared with hundreds of components, which do not change once they are added. */
function textOf(component: Schema): string {
  const known = texts.get(component) ?? JSON.stringify(component)
  texts.set(component, known)
  return known
}

/** A value with a name of its own, as a reference; what else the schema says stays beside it. */
function nameValue(schema: Schema): Schema {
  const value = namedValues.find(({ pattern }) => pattern === schema.pattern)
  if (!value) return schema
  const { type, pattern: _pattern, format: _format, ...rest } = schema
  const $ref = refTo(value.name)
  return Array.isArray(type) ? { anyOf: [{ $ref }, { type: 'null' }], ...rest } : { $ref, ...rest }
}

/** Replaces schemas by references to components, which it adds to the document. */
function createNaming(components: Record<string, Schema>) {
  /** Equal shapes share a name. The first of the names that no other shape has is taken. */
  const add = (names: readonly string[], schema: Schema): string => {
    const { description: _description, 'x-extension': _mark, title: _title, ...shape } = schema
    const text = JSON.stringify(shape)
    const known = Object.entries(components).find(([, other]) => textOf(other) === text)
    if (known) return known[0]
    const name = names.find((free) => !components[free])
    if (!name) throw new Error(`Two shapes are named ${names[0]}. Give one a title.`)
    components[name] = shape
    return name
  }

  const refer = (schema: Schema, names: readonly string[]): Schema => {
    const { description, 'x-extension': mark, type, title } = schema
    const beside = { ...(description && { description }), ...(mark ? { 'x-extension': mark } : {}) }
    const isNullable = Array.isArray(type)
    const shape = isNullable ? { ...schema, type: 'object' } : schema
    const $ref = refTo(add(title === undefined ? names : [title], shape))
    return isNullable ? { anyOf: [{ $ref }, { type: 'null' }], ...beside } : { $ref, ...beside }
  }

  /** `name` is for an object without a title. */
  const visit = (schema: Schema, name: string): Schema => {
    const inner = visitParts(schema, name)
    return isObject(inner) ? refer(inner, [name]) : nameValue(inner)
  }

  const visitParts = (schema: Schema, name: string): Schema => {
    const { properties, items, anyOf, additionalProperties } = schema
    const parts = Object.entries(properties ?? {}).map(([key, part]) => {
      const isList = part.items !== undefined
      return [key, visit(part, name + capitalised(isList ? singular(key) : key))]
    })
    return {
      ...schema,
      ...(properties && { properties: Object.fromEntries(parts) }),
      ...(items && { items: visit(items, name) }),
      ...(anyOf && { anyOf: anyOf.map((part) => visit(part, name)) }),
      ...(typeof additionalProperties === 'object' && {
        additionalProperties: visit(additionalProperties, `${name}Value`),
      }),
    }
  }

  return { refer, visit, visitParts }
}

/** A page is named after what it lists. */
function answerName(operationId: string, { properties = {} }: Schema): string {
  const list = Object.values(properties).find(({ items }) => items?.$ref)
  const isPage = 'nextCursor' in properties || Object.keys(properties).length === 1
  return isPage && list?.items?.$ref
    ? `${nameOf(list.items.$ref)}List`
    : `${capitalised(operationId)}Answer`
}

const CODES_IN_NAME = 3

const statusNames: Record<string, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
}

const codesOf = ({ properties }: Schema): string[] | undefined =>
  properties?.error?.properties?.code?.enum as string[] | undefined

/** Most operations have these. A name with them says nothing about the operation. */
const COMMON_CODES: readonly string[] = ['realm_mismatch', 'account_disabled']

const joined = (codes: readonly string[]): string =>
  codes.map((code) => code.split('_').map(capitalised).join('')).join('Or')

/**
 * An error is named after the codes that matter, if they are few, otherwise after its status. The
 * operation is the last resort: others with the same codes would carry its name.
 */
function errorNames(operationId: string, status: string, codes: readonly string[]): string[] {
  const own = codes.filter((code) => !COMMON_CODES.includes(code))
  const general = statusNames[status] ?? `Error${status}`
  return [
    ...[own, codes].filter(({ length }) => length > 0 && length <= CODES_IN_NAME).map(joined),
    general,
    capitalised(operationId) + general,
  ]
}

export function nameShapes(document: OpenApi): void {
  const components = document.components?.schemas ?? {}
  const { refer, visit, visitParts } = createNaming(components)
  for (const { name, schema } of namedValues) components[name] = { ...schema }
  for (const name of Object.keys(components)) {
    if (namedValues.some((value) => value.name === name)) continue
    components[name] = visitParts(components[name] ?? {}, name)
  }
  for (const operation of operationsOf(document)) {
    const { operationId = '', parameters = [], requestBody, responses = {} } = operation
    for (const parameter of parameters) {
      parameter.schema = visit(parameter.schema ?? {}, capitalised(parameter.name))
    }
    for (const part of Object.values(requestBody?.content ?? {})) {
      part.schema = visit(part.schema ?? {}, `${capitalised(operationId)}Body`)
    }
    for (const [status, { content = {} }] of Object.entries(responses)) {
      const json = content['application/json']
      if (!json?.schema) continue
      const codes = codesOf(json.schema)
      json.schema = codes
        ? refer(json.schema, errorNames(operationId, status, codes))
        : visit(json.schema, answerName(operationId, json.schema))
    }
  }
}

export const operationsOf = ({ paths = {} }: OpenApi): Operation[] =>
  Object.values(paths).flatMap((item) => Object.values(item))
