/** Validates every answer of a test against the committed OpenAPI document. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

type Operation = {
  security?: unknown[]
  responses: Record<string, { content?: Record<string, unknown> }>
}
type Document = { paths: Record<string, Record<string, Operation>> }

const ROOT = join(import.meta.dirname, '..', '..')
/** As it is written, with references. */
export const written: Document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8'))

type Node = { [key: string]: unknown }

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

const target = (ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => (at as Node)[part], written)

/** `anyOf` a shape and null, as a schema without names would say it. */
function nullable({ anyOf, ...rest }: Node): Node {
  const [shape, none] = anyOf as Node[]
  if ((anyOf as Node[]).length !== 2 || none?.type !== 'null') return { anyOf, ...rest }
  return { ...shape, ...rest, type: [shape?.type, 'null'] }
}

function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved)
  if (!isNode(value)) return value
  const { $ref, ...rest } = value
  const own = Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, resolved(part)]))
  const node = typeof $ref === 'string' ? { ...(resolved(target($ref)) as Node), ...own } : own
  return Array.isArray(node.anyOf) ? nullable(node) : node
}

/** With every reference replaced by what it refers to. */
export const document = resolved(written) as Document

/** Any route may answer these, declared or not. */
const UNIVERSAL = ['400', '401', '413', '415', '429', '500', '503']

// Most validators run a few times only, so compiling them counts more than their speed.
const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } })
formats.default(ajv)
ajv.addSchema(written, 'openapi')

const templates = Object.keys(document.paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+').replace(/\/$/, '')}/?$`),
}))

const pointerPart = (part: string) =>
  encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'))

export function findOperation(method: string, url: string) {
  const pathname = url.split('?')[0] ?? ''
  const found = templates.find(
    ({ path, pattern }) => pattern.test(pathname) && document.paths[path]?.[method.toLowerCase()],
  )
  return (
    found && { path: found.path, operation: document.paths[found.path]?.[method.toLowerCase()] }
  )
}

type Validator = ReturnType<typeof ajv.getSchema>

/** By the text of their schema: hundreds of answers have the same few. */
const validators = new Map<string, Validator>()

function validatorAt(place: readonly string[]): Validator {
  const at = place.reduce<unknown>((node, part) => (isNode(node) ? node[part] : undefined), written)
  const text = JSON.stringify(at) ?? ''
  const known = validators.get(text)
  if (known) return known
  const validate = ajv.getSchema(`openapi#/${place.map(pointerPart).join('/')}`)
  validators.set(text, validate)
  return validate
}

/** What is wrong with a value of the schema at this place of the document; undefined if nothing. */
export function schemaProblem(place: readonly string[], value: unknown): string | undefined {
  const validate = validatorAt(place)
  if (!validate) return 'has no schema'
  return validate(value) ? undefined : ajv.errorsText(validate.errors)
}

export type Answered = { status: number; body: unknown; text: string }

/** Returns what is wrong with an answer, or nothing when it matches the contract. */
export function contractProblem(method: string, url: string, answer: Answered): string | undefined {
  const found = findOperation(method, url)
  if (!found?.operation) return undefined
  const { path, operation } = found
  const status = String(answer.status)
  const isDeclared = status in operation.responses
  if (!isDeclared && !UNIVERSAL.includes(status)) return `${method} ${path} answered ${status}`
  // The interface declares a schema for a 204, but in HTTP it has no body.
  if (status === '204') return answer.text === '' ? undefined : `${method} ${path} 204 has a body`
  const key = isDeclared ? status : 'default'
  if (!operation.responses[key]?.content) {
    return answer.text === '' ? undefined : `${method} ${path} ${status} has a body`
  }
  // Not JSON but a stream: its events are validated where they are read.
  if (!operation.responses[key]?.content?.['application/json']) return undefined
  const place = ['paths', path, method.toLowerCase(), 'responses', key]
  const problem = schemaProblem([...place, 'content', 'application/json', 'schema'], answer.body)
  return problem && `${method} ${path} ${status}: ${problem} in ${answer.text}`
}
