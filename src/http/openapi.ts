/** Generates the OpenAPI 3.1 document from the route schemas and the permission table. */
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { permissions } from '#access/permissions.ts'
import { type Static, type TSchema, Type } from '#platform/schema.ts'
import { ErrorEnvelopeSchema, type Errors, writeErrors } from './openapi-errors.ts'
import { readExamples, writeExamples } from './openapi-examples.ts'
import { headerComponents, writeHeaders } from './openapi-headers.ts'
import { collectMarks } from './openapi-marks.ts'
import { nameShapes, type OpenApi, operationsOf } from './openapi-names.ts'
import { collectRefs } from './openapi-refs.ts'
import { tags } from './openapi-tags.ts'

const API_VERSION = '0.0.1'

/** References a schema in `components` by name; handlers keep its static type. */
export const component = <T extends TSchema>(schema: T & { $id?: string }) =>
  Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` })

const errorRef = component(ErrorEnvelopeSchema)

const ownErrors = new WeakMap<object, Errors>()

/**
 * A route's responses: its success, its declared errors, and `default` for the universal ones.
 * `own` says when the route answers codes that do not follow from its token, role, body or key.
 */
export const answers = <Status extends number, T extends TSchema>(
  status: Status,
  schema: T,
  errors: readonly number[],
  own: Errors = {},
) => {
  const responses = {
    [status]: schema,
    ...Object.fromEntries(errors.map((error) => [error, errorRef])),
    default: errorRef,
  }
  ownErrors.set(responses, own)
  return responses as unknown as { [S in Status]: T }
}

const security = (method: string, url: string) => {
  const access = permissions[`${method} ${url}`]
  if (!access || access.realm === 'public') return []
  return [{ [`${access.realm}Token`]: [] }]
}

const bearer = (description: string) =>
  ({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description }) as const

const info = {
  title: 'Countersign',
  version: API_VERSION,
  description: 'Treasury and expense approval for companies that hold stablecoins.',
  contact: { name: 'Countersign' },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
}

const securitySchemes = {
  consumerToken: bearer('Access token of the consumer realm'),
  adminToken: bearer('Access token of the administrator realm'),
}

export async function registerOpenApi(
  app: FastifyInstance,
  { components }: { components: readonly (TSchema & { $id?: string })[] },
): Promise<void> {
  const marks = collectMarks()
  const refs = collectRefs(components)
  const errors = new Map<string, Parameters<typeof writeErrors>[1]>()
  for (const schema of [ErrorEnvelopeSchema, ...components]) app.addSchema(schema)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info,
      servers: [{ url: '/' }],
      tags: [...tags],
      components: { headers: headerComponents, securitySchemes },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `def-${index}`),
    },
    transform: ({ schema, url, route }) => {
      marks.read(schema, route)
      refs.read(schema as FastifySchema & { operationId?: string })
      errors.set(String(schema?.operationId), {
        access: permissions[`${route.method} ${url}`],
        own: ownErrors.get((schema?.response ?? {}) as object) ?? {},
        writes: route.method !== 'GET' && !route.config?.takesBytes,
      })
      const secured = { ...schema, security: security(String(route.method), url) }
      // Both spellings of such a path are answered.
      return { schema: secured as never, url: url.replace(/(.)\/$/, '$1') }
    },
    transformObject: (given) => {
      const document = marks.write(
        'openapiObject' in given ? given.openapiObject : given.swaggerObject,
      )
      refs.write(document as OpenApi)
      const examples = readExamples()
      for (const operation of operationsOf(document as OpenApi)) {
        const found = errors.get(String(operation.operationId))
        if (found) writeErrors(operation, found)
        writeHeaders(operation)
        writeExamples(operation, examples)
      }
      nameShapes(document as OpenApi)
      return document
    },
  })
}

declare module 'fastify' {
  interface FastifySchema {
    'x-extension'?: boolean
  }
}
