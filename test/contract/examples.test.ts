/** Every operation of the OpenAPI document has examples, and each is valid. */
import { statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readExamples } from '#http/openapi-examples.ts'
import { type ErrorCode, errorCodes, errorMessage } from '#platform/errors.ts'
import { schemaProblem, written } from '#test/support/contract.ts'

type Part = { schema?: { $ref?: string }; example?: unknown }
type Content = Record<string, Part>
type Operation = {
  operationId: string
  parameters?: (Part & { name: string })[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

type ErrorExample = { error: { code: ErrorCode; message: string; requestId: string } }

const operations = Object.entries(written.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, described]) => {
    const operation = described as unknown as Operation
    const place = ['paths', path, method]
    return { id: operation.operationId, operation, place }
  }),
)

/** Files have no example: neither an upload nor a download is text. */
const isFile = (type: string) => !/^(application\/(json|x-ndjson)|text\/event-stream)$/.test(type)
const isCsvExport = (content: Content) => Object.keys(content).join() === 'text/csv'

/** What is wrong with the examples of these media types. */
function problemsOf(place: string[], content: Content): string[] {
  return Object.entries(content).flatMap(([type, part]) => {
    if (isFile(type) && !isCsvExport(content)) return []
    const where = [...place, type].slice(3).join(' ')
    if (part.example === undefined) return [`${where}: has no example`]
    // Many answers share a component, which is compiled once.
    const schema = part.schema?.$ref?.slice(2).split('/') ?? [...place, type, 'schema']
    const problem = schemaProblem(schema, part.example)
    return problem === undefined ? [] : [`${where}: ${problem}`]
  })
}

describe('every operation', () => {
  test.each(operations)('$id has a valid example of its body', ({ operation, place }) => {
    const content = operation.requestBody?.content ?? {}
    expect(problemsOf([...place, 'requestBody', 'content'], content)).toEqual([])
  })

  test.each(operations)('$id has valid examples of its answers', ({ operation, place }) => {
    const withBody = Object.entries(operation.responses).filter(([status]) => status !== '204')
    const problems = withBody.flatMap(([status, { content = {} }]) =>
      problemsOf([...place, 'responses', status, 'content'], content),
    )
    expect(problems).toEqual([])
  })

  test.each(operations)('$id has valid examples of its parameters', ({ operation, place }) => {
    const problems = (operation.parameters ?? []).flatMap(({ name, example }, index) => {
      if (example === undefined) return [`${name}: has no example`]
      const problem = schemaProblem([...place, 'parameters', String(index), 'schema'], example)
      return problem === undefined ? [] : [`${name}: ${problem}`]
    })
    expect(problems).toEqual([])
  })
})

test('an error answer shows a code of the table, its message and a request id', () => {
  const examples = operations.flatMap(({ operation }) =>
    Object.entries(operation.responses)
      .filter(([status]) => status >= '400')
      .map(([, { content }]) => content?.['application/json']?.example as ErrorExample),
  )
  // Only readiness has an answer of its own when it fails.
  const errors = examples.filter((example) => 'error' in example).map(({ error }) => error)
  expect(examples.length - errors.length).toBe(1)
  for (const { code, message, requestId } of errors) {
    expect(errorCodes).toContain(code)
    expect(message).toBe(errorMessage(code))
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
  }
})

describe('the recorded examples', () => {
  test('are those of the operations in the document, in order: run npm run examples', () => {
    expect(Object.keys(readExamples())).toEqual(operations.map(({ id }) => id).toSorted())
  })

  test('contain no token of a person', () => {
    const tokens = JSON.stringify(readExamples()).match(/eyJ[\w-]+[.][\w-]+[.][\w-]+/g) ?? []
    expect(new Set(tokens).size).toBe(1)
    expect(tokens[0]?.length).toBeLessThan(100)
  })

  test('stay small', () => {
    expect(statSync('src/http/examples.json').size).toBeLessThan(400_000)
  })
})
