/**
 * Strict for bodies: nothing is coerced and nothing is dropped. Path, query and headers arrive as
 * text, so they are coerced. Formats are annotations: the patterns in `platform/values.ts` decide.
 */
import { isUuid } from '@countersign/proof/values.ts'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { AppError } from '#platform/errors.ts'
import { checksumCheck } from './address-check.ts'

const common = {
  strict: true,
  // Errors include their schema, from which the message is built.
  verbose: true,
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
    const isValid = validate(value)
    check.errors = validate.errors ?? null
    if (!isValid) return false
    const illFormed = httpPart === 'body' ? findIllFormed(value) : undefined
    check.errors = illFormed === undefined ? wrongChecksums(value) : [illFormedError(illFormed)]
    return check.errors.length === 0
  }
  return check
}

/**
 * Where a lone surrogate is. JSON can escape one and UTF-8 cannot store it; the published patterns
 * cannot refuse it in a way that every regular-expression engine reads alike.
 */
function findIllFormed(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, part] of Object.entries(value)) {
    if (!name.isWellFormed()) return path
    const found = findIllFormed(part, `${path}/${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

const illFormedError = (instancePath: string): ErrorObject => ({
  keyword: 'wellFormed',
  instancePath,
  schemaPath: '',
  params: {},
  message: 'must be well-formed Unicode',
})

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length === 0

/** No body and `{}` mean the same: a route without a body sees none, an optional body is `{}`. */
async function settleBody(request: FastifyRequest): Promise<void> {
  const { schema, config } = request.routeOptions
  if (schema?.body === undefined) {
    if (request.body !== undefined && !isEmptyObject(request.body)) {
      throw new AppError('validation_failed', {
        message: 'This request takes no body. Send none, or an empty object.',
      })
    }
    // No body and an empty object are the same request, also under an Idempotency-Key.
    request.body = undefined
    return
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
