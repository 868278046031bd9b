/** Keeps the calls of the story: by operation, its newest success and the parameters it was given. */

import { schemaAccepts } from '#test/reference/schemas.ts'
import { shortened, shortenedText } from '#test/reference/shorten.ts'
import type { Answer, Call, TestApp } from '#test/support/app.ts'
import { document, findOperation } from '#test/support/contract.ts'

type ParameterValue = string | number | string[]

export type Example = {
  parameters?: Record<string, ParameterValue>
  /** The request's body, where it is JSON. */
  body?: unknown
  status: number
  /** The media type of an answer that is text but not JSON. */
  type?: string
  answer?: unknown
}

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  schema: { type?: string | string[] }
}
type Operation = { operationId: string; parameters?: Parameter[] }

export type Recorder = {
  call: TestApp['call']
  /** By operation id, in alphabetical order. */
  examples(): Record<string, Example>
}

const operations = (): Operation[] =>
  Object.values(document.paths).flatMap((item) => Object.values(item)) as unknown as Operation[]

/** As its schema says; undefined where the request did not send it. */
function sentValue(
  { name, in: place, schema }: Parameter,
  { path, url, headers }: { path: string; url: string; headers: Record<string, string> },
): ParameterValue | undefined {
  if (place === 'header') return headers[name.toLowerCase()]
  const [pathname = '', query = ''] = url.split('?')
  if (place === 'path') {
    const index = path.split('/').indexOf(`{${name}}`)
    return typed(decodeURIComponent(pathname.split('/')[index] ?? ''), schema)
  }
  const given = new URLSearchParams(query).getAll(name)
  if (schema.type === 'array') return given.length > 0 ? given : undefined
  return given[0] === undefined ? undefined : typed(given[0], schema)
}

const typed = (text: string, { type }: Parameter['schema']): string | number =>
  type === 'integer' || type === 'number' ? Number(text) : text

/** Files and downloads are no text. */
function answerOf({ body, text, headers }: Answer): Pick<Example, 'type' | 'answer'> {
  const [type = ''] = String(headers['content-type'] ?? '').split(';')
  if (type === 'application/json') return { answer: shortened(body) }
  const isText = type.startsWith('text/') || type === 'application/x-ndjson'
  return isText ? { type, answer: shortenedText(type, text) } : {}
}

export function recordCalls(call: TestApp['call']): Recorder {
  const newest = new Map<string, Example>()
  const parameters = new Map<string, Map<string, ParameterValue>>()

  const record = (method: string, url: string, { body, headers = {} }: Call, answer: Answer) => {
    const found = findOperation(method, url)
    const isUnchanged = answer.status === 304
    if (!found || (answer.status >= 300 && !isUnchanged)) return
    const operation = found.operation as unknown as Operation
    const sent = parameters.get(operation.operationId) ?? new Map<string, ParameterValue>()
    for (const parameter of operation.parameters ?? []) {
      const value = sentValue(parameter, { path: found.path, url, headers })
      if (value !== undefined) sent.set(parameter.name, value)
    }
    parameters.set(operation.operationId, sent)
    if (isUnchanged) return
    newest.set(operation.operationId, {
      ...(body !== undefined && { body: shortened(body) }),
      status: answer.status,
      ...answerOf(answer),
    })
  }

  /** Its own value, or that of another operation with such a parameter. */
  const exampleOf = (operationId: string, { name, schema }: Parameter) => {
    const own = parameters.get(operationId)?.get(name)
    if (own !== undefined) return own
    const others = [...parameters.values()].map((sent) => sent.get(name))
    return others.find((value) => value !== undefined && schemaAccepts(schema, value))
  }

  return {
    async call(method, url, options = {}) {
      const answer = await call(method, url, options)
      record(method, url, options, answer)
      return answer
    },
    examples() {
      const entries = operations().flatMap((operation) => {
        const { operationId, parameters: declared = [] } = operation
        const example = newest.get(operationId)
        if (!example) return []
        const values = declared.map((one) => [one.name, exampleOf(operationId, one)] as const)
        const known = values.filter(([, value]) => value !== undefined)
        const all = Object.fromEntries(known) as Record<string, ParameterValue>
        return [
          [operationId, known.length > 0 ? { parameters: all, ...example } : example] as const,
        ]
      })
      return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
    },
  }
}
