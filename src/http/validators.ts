/**
 * Strict for bodies: nothing is coerced and nothing is dropped. Path, query and headers arrive as
 * text, so they are coerced. Formats are annotations: the patterns in `platform/values.ts` decide.
 */
import { Ajv, type ValidateFunction } from 'ajv'
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { AppError } from '#platform/errors.ts'
import { isUuid } from '#platform/values.ts'
import { checksumCheck, inWords } from './address-check.ts'

const common = {
  strict: true,
  allowUnionTypes: true,
  validateFormats: false,
  keywords: ['x-extension'],
}
const strict = new Ajv({ ...common, coerceTypes: false, removeAdditional: false })
const coercing = new Ajv({ ...common, coerceTypes: true, useDefaults: true })

/** Compiled when first needed: a start does not wait for what nobody may ask. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const ajv = httpPart === 'body' ? strict : coercing
  let validate: ValidateFunction | undefined
  const wrongChecksums = checksumCheck(schema)
  const check: ReturnType<FastifySchemaCompiler<TSchema>> = (value) => {
    validate ??= ajv.compile(schema)
    check.errors = validate(value) ? wrongChecksums(value) : inWords(validate.errors ?? [])
    return check.errors.length === 0
  }
  return check
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length === 0

/** A route without a body takes none; one whose body is optional sees an empty object. */
async function settleBody(request: FastifyRequest): Promise<void> {
  const { schema, config } = request.routeOptions
  if (schema?.body === undefined) {
    if (request.body === undefined || isEmptyObject(request.body)) return
    throw new AppError('validation_failed', { message: 'This request takes no body.' })
  }
  if (request.body === undefined && config.optionalBody) request.body = {}
}

/** One spelling of an id from here on, so that keys and comparisons agree. */
async function lowerCaseIds(request: FastifyRequest): Promise<void> {
  const params = request.params as Record<string, string>
  for (const [name, value] of Object.entries(params)) {
    if (name.endsWith('Id') && isUuid(value)) params[name] = value.toLowerCase()
  }
}

export function registerValidation(app: FastifyInstance): void {
  app.setValidatorCompiler(validatorCompiler)
  app.addHook('onRequest', lowerCaseIds)
  app.addHook('preValidation', settleBody)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may be left out. */
    optionalBody?: boolean
  }
}
