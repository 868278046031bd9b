/** The OpenAPI document as a reference: everything has a name and a description. */
import { describe, expect, test } from 'vitest'
import { errorCodes } from '#platform/errors.ts'
import { written } from '#test/support/contract.ts'

type Schema = {
  $ref?: string
  description?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  enum?: string[]
  additionalProperties?: boolean | Schema
}
type Part = { schema?: Schema; description?: string; name?: string }
type Response = {
  description?: string
  content?: Record<string, Part>
  headers?: Record<string, object>
}
type Operation = {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: Part[]
  requestBody?: { content: Record<string, Part> }
  responses: Record<string, Response>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const document = written as unknown as Document
const components = Object.entries(document.components.schemas)
const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
const named = operations.map((operation) => [operation.operationId, operation] as const)

/** Objects in place, instead of a reference to a component. */
function inlineObjects(schema: Schema | undefined, path: string): string[] {
  if (!schema) return []
  const { properties, items, anyOf = [], additionalProperties } = schema
  const inner = [items, ...anyOf, additionalProperties].filter((part) => typeof part === 'object')
  return [
    ...(properties ? [path] : []),
    ...inner.flatMap((part) => inlineObjects(part as Schema, path)),
  ]
}

const isError = ({ properties }: Schema) => properties?.error?.properties?.code !== undefined

describe('every component', () => {
  test.each(components)('%s: its properties have descriptions', (_name, { properties = {} }) => {
    expect(Object.keys(properties).filter((key) => !properties[key]?.description)).toEqual([])
  })

  test.each(components)('%s: its nested objects have names', (name, schema) => {
    if (isError(schema) || name === 'Error') return
    const parts = Object.entries(schema.properties ?? {})
    expect(parts.flatMap(([key, part]) => inlineObjects(part, `${name}.${key}`))).toEqual([])
  })

  test.each(components)('%s: its name is a word or two', (name) => {
    expect(name).toMatch(/^[A-Z][A-Za-z]+$/)
  })
})

/** The errors of each operation, by the names of their components. */
const errorNames = operations.map(({ responses }) =>
  Object.values(responses).flatMap(({ content }) => {
    const name = content?.['application/json']?.schema?.$ref?.split('/').at(-1) ?? ''
    return isError(document.components.schemas[name] ?? {}) ? [name] : []
  }),
)

test('an error that several operations share has the name of none', () => {
  const ids = operations.map(({ operationId: id }) => id.charAt(0).toUpperCase() + id.slice(1))
  const shared = new Set(
    errorNames.flat().filter((name, index, all) => all.indexOf(name) !== index),
  )
  expect(shared).toContain('ForbiddenOrRoleRequired')
  expect([...shared].filter((name) => ids.some((id) => name.startsWith(id)))).toEqual([])
})

describe('every operation', () => {
  test.each(named)('%s has a summary, a description and a tag', (_id, operation) => {
    const { summary, description, tags } = operation
    expect(summary).toMatch(/^[A-Z][^.]{3,60}$/)
    expect(description?.length).toBeGreaterThan(60)
    expect(tags).toHaveLength(1)
  })

  test.each(named)('%s describes its parameters', (_id, { parameters = [] }) => {
    expect(parameters.filter(({ description }) => !description).map(({ name }) => name)).toEqual([])
  })

  test.each(named)('%s names its body and its answers', (id, { requestBody, responses }) => {
    const parts = [...Object.values(requestBody?.content ?? {}), ...Object.values(responses)]
    const contents = parts.flatMap((part) =>
      'content' in part ? Object.values(part.content ?? {}) : [part as Part],
    )
    expect(contents.flatMap(({ schema }) => inlineObjects(schema, id))).toEqual([])
  })

  test.each(named)('%s says which error codes it answers, and when', (_id, { responses }) => {
    for (const [status, { description, content }] of Object.entries(responses)) {
      const ref = content?.['application/json']?.schema?.$ref?.split('/').at(-1) ?? ''
      const schema = document.components.schemas[ref] ?? {}
      expect(description, status).not.toBe('Default Response')
      if (!isError(schema)) continue
      const codes = schema.properties?.error?.properties?.code?.enum ?? []
      expect(errorCodes).toEqual(expect.arrayContaining(codes))
      for (const code of codes) expect(description).toContain(`\`${code}\``)
    }
  })

  test.each(named)('%s declares its response headers', (_id, { responses }) => {
    for (const { headers } of Object.values(responses))
      expect(headers).toHaveProperty('X-Request-Id')
  })
})
