/**
 * Restores what the OpenAPI generator drops from a route: optional bodies, and `x-extension` marks
 * on statuses, parameters and headers.
 */
import type { FastifySchema, RouteOptions } from 'fastify'

type Marked = { 'x-extension'?: boolean; schema?: { 'x-extension'?: boolean } }

type Operation = {
  operationId?: string
  parameters?: Marked[]
  requestBody?: { required?: boolean }
  responses?: Record<string, Marked & { headers?: Record<string, Marked> }>
}

type Document = { paths?: Record<string, Record<string, Operation>> }

type RouteSchema = { operationId?: string; response?: Record<string, Marked> }

/**
 * Clients read the mark on the parameter or header itself; the generator leaves it on the schema.
 */
function lift(marked: Marked): void {
  if (marked.schema?.['x-extension']) marked['x-extension'] = true
}

export function collectMarks() {
  const optionalBodies = new Set<string>()
  const addedStatuses = new Set<string>()

  const apply = ({ operationId = '', ...operation }: Operation): void => {
    const { parameters = [], requestBody, responses = {} } = operation
    if (requestBody && optionalBodies.has(operationId)) requestBody.required = false
    parameters.forEach(lift)
    for (const [status, response] of Object.entries(responses)) {
      if (addedStatuses.has(`${operationId} ${status}`)) response['x-extension'] = true
      Object.values(response.headers ?? {}).forEach(lift)
    }
  }

  return {
    read(schema: FastifySchema | undefined, { config }: Pick<RouteOptions, 'config'>): void {
      const { operationId = '', response = {} } = (schema ?? {}) as RouteSchema
      if (config?.optionalBody) optionalBodies.add(operationId)
      for (const [status, answer] of Object.entries(response)) {
        if (answer['x-extension']) addedStatuses.add(`${operationId} ${status}`)
      }
    },
    write<T extends object>(document: T): T {
      const { paths = {} } = document as Document
      for (const item of Object.values(paths)) Object.values(item).forEach(apply)
      return document
    },
  }
}
