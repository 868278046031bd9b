/**
 * Everything in the OpenAPI document that the interface does not have carries `x-extension: true`.
 * `interface.json` beside this file lists what the interface has: operations with their statuses,
 * parameters, body and answer fields, and the fields of its resources. Fields of objects that the
 * interface leaves open ("not shown") are no additions.
 */
import { expect, test } from 'vitest'
import { written } from '#test/support/contract.ts'
import contract from './interface.json' with { type: 'json' }

type Schema = {
  $ref?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  'x-extension'?: boolean
}
type Marked = { 'x-extension'?: boolean }
type Referring = { $ref?: string }
type Content = { content?: { 'application/json'?: { schema: Schema } } }
type Operation = Marked & {
  parameters?: (Marked & { name: string; in: string })[]
  requestBody?: Content & { required: boolean }
  responses: Record<string, Marked & Content & { headers?: Record<string, Marked & Referring> }>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
type Listed = { statuses: string; parameters?: string; body?: string; answer?: string }

const document = written as unknown as Document
const resources: Record<string, string> = contract.resources

const prefixes: Record<string, string> = {
  '{org}': '/v1/consumer/organizations/{organizationId}',
  '{proofs}': '/v1/admin/organizations/{organizationId}/integration-proofs/ledger/signatures',
}
const listed = new Map<string, Listed>(
  Object.entries(contract.operations).map(([name, operation]) => [
    name.replace(/\{org\}|\{proofs\}/, (prefix) => prefixes[prefix] ?? prefix).replace(/\/$/, ''),
    operation,
  ]),
)
const words = (text: string | undefined) => (text ?? '').split(' ').filter(Boolean)

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(
    ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
  ),
)

const resolved = <T extends Referring>({ $ref, ...rest }: T): T => {
  const found = $ref
    ?.slice(2)
    .split('/')
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document)
  return { ...(found as T | undefined), ...rest } as T
}

const resourceOf = (schema: Schema): string | undefined => {
  const one = schema.items ?? schema.anyOf?.[0] ?? schema
  return one.$ref?.split('/').at(-1)
}

/** Fields that differ from the interface: unmarked additions, marked or missing fields of it. */
function differences(name: string, schema: Schema | undefined, fields: string[]): string[] {
  const { properties = {} } = resolved(schema ?? {})
  const missing = fields.filter((field) => !(field in properties))
  const wrong = Object.entries(properties).filter(
    ([field, { 'x-extension': isMarked = false }]) => isMarked === fields.includes(field),
  )
  return [...missing, ...wrong.map(([field]) => field)].map((field) => `${name}: ${field}`)
}

function answerDifferences(name: string, { statuses, answer }: Listed, operation: Operation) {
  const [success = ''] = words(statuses)
  const schema = operation.responses[success]?.content?.['application/json']?.schema
  if (answer === undefined || schema === undefined) return []
  const resource = resourceOf(schema)
  if (resource === answer) return []
  const inline = resource ? document.components.schemas[resource] : schema
  return differences(`${name} ${success}`, inline, words(answer))
}

const marked = ([, part]: readonly [string, Marked]) => part['x-extension'] === true

test('the document has every operation of the interface', () => {
  const names = operations.map(([name]): string => name)
  expect([...listed.keys()].filter((name) => !names.includes(name))).toEqual([])
  expect(listed.size).toBe(84)
})

test('an operation is marked exactly when the interface does not have it', () => {
  const wrong = operations.filter((entry) => marked(entry) === listed.has(entry[0]))
  expect(wrong.map(([name]) => name)).toEqual([])
})

test('parameters, statuses and headers that the interface does not have are marked', () => {
  const wrong = operations.flatMap(([name, { parameters = [], responses }]) => {
    const known = listed.get(name)
    if (!known) return []
    const given = parameters.filter((parameter) => parameter.in !== 'path')
    const statuses = Object.entries(responses).filter(([status]) => status !== 'default')
    const headers = statuses.flatMap(([, response]) =>
      Object.entries(response.headers ?? {}).map(
        ([header, one]) => [header, resolved(one)] as const,
      ),
    )
    return [
      ...given.filter((one) => marked([name, one]) === words(known.parameters).includes(one.name)),
      ...statuses.filter((one) => marked(one) === words(known.statuses).includes(one[0])),
      ...headers.filter((one) => !marked(one)),
    ].map((one) => `${name}: ${JSON.stringify(one)}`)
  })
  expect(wrong).toEqual([])
})

test('fields of a body that the interface does not have are marked', () => {
  const wrong = operations.flatMap(([name, { requestBody }]) => {
    const known = listed.get(name)
    const schema = requestBody?.content?.['application/json']?.schema
    return known ? differences(`${name} body`, schema, words(known.body)) : []
  })
  expect(wrong).toEqual([])
})

test('fields of an answer or a resource that the interface does not have are marked', () => {
  const inline = operations.flatMap(([name, operation]) => {
    const known = listed.get(name)
    return known ? answerDifferences(name, known, operation) : []
  })
  const shared = Object.entries(resources).flatMap(([name, fields]) =>
    differences(name, document.components.schemas[name], words(fields)),
  )
  expect([...inline, ...shared]).toEqual([])
})

test('only PUT /v1/admin/session has an optional body', () => {
  const optional = operations.filter(([, { requestBody }]) => requestBody?.required === false)
  expect(optional.map(([name]) => name)).toEqual(['PUT /v1/admin/session'])
})

test('304 is declared wherever If-None-Match is read', () => {
  const conditional = operations.filter(([, { parameters = [] }]) =>
    parameters.some(({ name }) => name === 'if-none-match'),
  )
  expect(conditional.length).toBe(3)
  expect(conditional.filter(([, { responses }]) => !('304' in responses))).toEqual([])
})
