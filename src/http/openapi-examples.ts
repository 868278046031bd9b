/**
 * Examples in the document. Those of requests and successful answers are recorded: `npm run
 * examples` runs a story through the API and writes `examples.json`. Those of errors come from the
 * error table.
 */
import { readFileSync } from 'node:fs'
import { type ErrorCode, errorMessage } from '#platform/errors.ts'
import type { Operation, Schema } from './openapi-names.ts'

/** One recorded call of an operation. */
export type Example = {
  /** By name: of the path, the query and the headers. */
  parameters?: Record<string, string | number | string[]>
  body?: unknown
  status: number
  /** The media type of an answer that is text but not JSON. */
  type?: string
  answer?: unknown
  /** By status: JSON answers that are neither a success nor an error of the table. */
  others?: Record<string, unknown>
}

type Examples = Record<string, Example>
type Part = { schema?: Schema; example?: unknown }
type Content = Record<string, Part>

const JSON_TYPE = 'application/json'
const REQUEST_ID = '0198a3c4-5d6e-7f80-9a1b-2c3d4e5f6071'

/** Read when the document is built, so that no process needs the file to start. */
export const readExamples = (): Examples =>
  JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8'))

/** For answers whose codes no route names. */
const usual: Record<string, ErrorCode> = {
  400: 'validation_failed',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  409: 'state_conflict',
  default: 'internal',
}

function firstCode(status: string, { properties, $ref }: Schema): ErrorCode | undefined {
  if ($ref?.endsWith('/Error')) return usual[status]
  const codes = properties?.error?.properties?.code?.enum as ErrorCode[] | undefined
  return codes?.[0]
}

/** An error answer shows the first of its codes. */
function writeErrorExample(status: string, content: Content): void {
  const json = content[JSON_TYPE]
  const code = firstCode(status, json?.schema ?? {})
  if (!json || !code) return
  json.example = { error: { code, message: errorMessage(code), requestId: REQUEST_ID } }
}

/** `example` on the parameters, the request body and the answers. Call it before `nameShapes`. */
export function writeExamples(operation: Operation, examples: Examples): void {
  const { operationId = '', parameters = [], requestBody, responses = {} } = operation
  for (const [status, { content = {} }] of Object.entries(responses)) {
    writeErrorExample(status, content)
  }
  const recorded = examples[operationId]
  if (!recorded) return
  for (const parameter of parameters as { name: string; example?: unknown }[]) {
    const value = recorded.parameters?.[parameter.name]
    if (value !== undefined) parameter.example = value
  }
  const sent: Part | undefined = requestBody?.content?.[JSON_TYPE]
  if (sent && recorded.body !== undefined) sent.example = recorded.body
  const { status, type = JSON_TYPE, answer, others = {} } = recorded
  const answered: Part | undefined = responses[status]?.content?.[type]
  if (answered && answer !== undefined) answered.example = answer
  for (const [other, value] of Object.entries(others)) {
    const part: Part | undefined = responses[other]?.content?.[JSON_TYPE]
    if (part) part.example = value
  }
}
