/** Keeps the calls of the story: the newest success of each operation, and its parameters. */
import type { Example } from '#http/openapi-examples.ts'
import { shortened, shortenedText } from '#test/reference/shorten.ts'
import type { Answer, Call, TestApp } from '#test/support/app.ts'
import { document, findOperation, schemaProblem } from '#test/support/contract.ts'

type ParameterValue = NonNullable<Example['parameters']>[string]

type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  schema: { type?: string | string[] }
}
type Operation = { operationId: string; parameters?: Parameter[] }
type Placed = Operation & { place: string[] }

export type Recorder = {
  /** The same call, recorded. */
  around(call: TestApp['call']): TestApp['call']
  /** By operation id, in alphabetical order. */
  examples(): Record<string, Example>
}

const operations = (): Placed[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...(operation as unknown as Operation),
      place: ['paths', path, method],
    })),
  )

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

export function createRecorder(): Recorder {
  const newest = new Map<string, Example>()
  const others = new Map<string, Record<string, unknown>>()
  const parameters = new Map<string, Map<string, ParameterValue>>()

  const record = (method: string, url: string, { body, headers = {} }: Call, answer: Answer) => {
    const found = findOperation(method, url)
    const isUnchanged = answer.status === 304
    if (!found || answer.body?.error !== undefined) return
    const operation = found.operation as unknown as Operation
    if (answer.status >= 400) {
      others.set(operation.operationId, { [answer.status]: answer.body })
      return
    }
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
  const exampleOf = ({ operationId, place }: Placed, { name }: Parameter, index: number) => {
    const own = parameters.get(operationId)?.get(name)
    if (own !== undefined) return own
    const schema = [...place, 'parameters', String(index), 'schema']
    const others = [...parameters.values()].map((sent) => sent.get(name))
    return others.find((value) => value !== undefined && !schemaProblem(schema, value))
  }

  return {
    around:
      (call) =>
      async (method, url, options = {}) => {
        const answer = await call(method, url, options)
        record(method, url, options, answer)
        return answer
      },
    examples() {
      const entries = operations().flatMap((operation) => {
        const { operationId, parameters: declared = [] } = operation
        const example = newest.get(operationId)
        const other = others.get(operationId)
        if (!example) return []
        const values = declared.map(
          (one, index) => [one.name, exampleOf(operation, one, index)] as const,
        )
        const known = values.filter(([, value]) => value !== undefined)
        const all = Object.fromEntries(known) as Record<string, ParameterValue>
        const sent = known.length > 0 ? { parameters: all } : {}
        return [[operationId, { ...sent, ...example, ...(other && { others: other }) }] as const]
      })
      return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
    },
  }
}
