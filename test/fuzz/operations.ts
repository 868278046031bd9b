/** The operations of the OpenAPI document. */
import type { Schema } from '#test/fuzz/values.ts'
import { document } from '#test/support/contract.ts'

export type Parameter = { name: string; in: 'path' | 'query' | 'header'; schema: Schema }

export type Operation = {
  operationId: string
  method: string
  path: string
  realm: 'public' | 'consumer' | 'admin'
  parameters: Parameter[]
  body: Schema | undefined
}

type Described = {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  security?: Record<string, unknown>[]
}

function describeOperation(path: string, method: string, described: Described): Operation {
  const [scheme] = Object.keys(described.security?.[0] ?? {})
  return {
    operationId: described.operationId,
    method: method.toUpperCase(),
    path,
    realm: scheme === undefined ? 'public' : scheme === 'adminToken' ? 'admin' : 'consumer',
    parameters: described.parameters ?? [],
    body: described.requestBody?.content['application/json']?.schema,
  }
}

export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) =>
    describeOperation(path, method, described as unknown as Described),
  ),
)
