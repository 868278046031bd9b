/** The OpenAPI 3.1 document, made from the route schemas and the table of permissions. */
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { permissions } from '#access/permissions.ts'
import { collectMarks } from './openapi-marks.ts'

const API_VERSION = '0.0.1'

const ErrorEnvelopeSchema = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.String({ minLength: 1 }),
        message: Type.String({ minLength: 1 }),
        requestId: Type.String({ minLength: 1 }),
      },
      { additionalProperties: false },
    ),
  },
  { $id: 'Error', additionalProperties: false },
)

/** A schema that stands in `components` and is named there; handlers keep its static type. */
export const component = <T extends TSchema>(schema: T & { $id?: string }) =>
  Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` })

const errorRef = component(ErrorEnvelopeSchema)

/** A route's answers: its success, the errors its row declares, and one entry for the rest. */
export const answers = <Status extends number, T extends TSchema>(
  status: Status,
  schema: T,
  errors: readonly number[],
) =>
  ({
    [status]: schema,
    ...Object.fromEntries(errors.map((error) => [error, errorRef])),
    default: errorRef,
  }) as unknown as { [S in Status]: T }

const security = (method: string, url: string) => {
  const access = permissions[`${method} ${url}`]
  if (!access || access.realm === 'public') return []
  return [{ [`${access.realm}Token`]: [] }]
}

const bearer = (description: string) =>
  ({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description }) as const

export async function registerOpenApi(
  app: FastifyInstance,
  { components }: { components: readonly (TSchema & { $id?: string })[] },
): Promise<void> {
  const marks = collectMarks()
  for (const schema of [ErrorEnvelopeSchema, ...components]) app.addSchema(schema)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Countersign',
        version: API_VERSION,
        description: 'Treasury and expense approval for companies that hold stablecoins.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      tags: [
        { name: 'health', description: 'Is the service up, and can it work' },
        { name: 'identity', description: 'Sessions and who the caller is' },
        {
          name: 'wallets',
          description: 'Wallets of the caller, and how their keys are handed over',
        },
        { name: 'organizations', description: 'Organizations of the caller' },
        { name: 'members', description: 'Members of an organization and their wallet roles' },
        { name: 'invitations', description: 'How people join an organization' },
        { name: 'treasury', description: 'Vaults on the chain and their policies' },
        { name: 'executor', description: 'Who sends the payments of an organization' },
        { name: 'recipients', description: 'Whom an organization may pay' },
        { name: 'approvals', description: 'What an approver signs' },
        { name: 'payments', description: 'What leaves a vault, and why' },
        { name: 'funding', description: 'The signer that may deposit into a vault and do no more' },
        { name: 'integrations', description: 'The parts the service depends on, for operators' },
        { name: 'ledger proofs', description: 'Hardware wallets tried out, outside production' },
        { name: 'support', description: 'Cases that members open and operators work on' },
        { name: 'administration', description: 'What operators see of all organizations' },
        { name: 'push', description: 'Devices that are told, and what they were told of' },
        { name: 'expenses', description: 'What people ask to be paid, and its analysis' },
        { name: 'live', description: 'What waits for the caller, and what just happened' },
      ],
      components: {
        securitySchemes: {
          consumerToken: bearer('Access token of the consumer realm'),
          adminToken: bearer('Access token of the administrator realm'),
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `def-${index}`),
    },
    transform: ({ schema, url, route }) => {
      marks.read(schema, route)
      const secured = { ...schema, security: security(String(route.method), url) }
      return { schema: secured as never, url }
    },
    transformObject: (document) =>
      marks.write('openapiObject' in document ? document.openapiObject : document.swaggerObject),
  })
}

declare module 'fastify' {
  interface FastifySchema {
    'x-extension'?: boolean
  }
}
