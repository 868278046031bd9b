/** Restores descriptions beside a reference, which the OpenAPI generator drops from a schema. */
import type { FastifySchema } from 'fastify'
import { type OpenApi, operationsOf } from './openapi-names.ts'

type Node = Record<string, unknown>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Walks a schema and its generated form together. */
function restore(given: unknown, written: unknown): void {
  if (!isNode(given) || !isNode(written)) return
  if ('$ref' in given && '$ref' in written) {
    const { description, 'x-extension': mark } = given
    if (description) written.description = description
    if (mark) written['x-extension'] = mark
    return
  }
  for (const [key, part] of Object.entries(given)) restore(part, written[key])
}

type Component = { $id?: string }

export function collectRefs(components: readonly Component[]) {
  const answers = new Map<string, Node>()
  return {
    read({ operationId = '', response }: { operationId?: string } & FastifySchema = {}): void {
      if (isNode(response)) answers.set(operationId, response)
    },
    write(document: OpenApi): void {
      const written = document.components?.schemas ?? {}
      for (const schema of components) restore(schema, written[schema.$id ?? ''])
      for (const { operationId = '', responses = {} } of operationsOf(document)) {
        for (const [status, { content = {} }] of Object.entries(responses)) {
          const given = answers.get(operationId)?.[status]
          // The description of a whole answer is the description of the response.
          if (isNode(given) && !('$ref' in given)) {
            restore(given, content['application/json']?.schema)
          }
        }
      }
    },
  }
}
