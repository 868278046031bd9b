/**
 * Validates bodies strictly: nothing is coerced and nothing is dropped. Path, query and headers
 * arrive as text, so they are coerced. Formats are annotations; the patterns in
 * `platform/values.ts` decide.
 */
import { isUuid } from '@countersign/proof/values.ts'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { AppError } from '#platform/errors.ts'
import type { TObject, TSchema } from '#platform/schema.ts'
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
// A query parameter that may be repeated is a list even when it is sent once.
const coercing = new Ajv({ ...common, coerceTypes: 'array', useDefaults: true })

/** Compiles a validator on its first use, which keeps start-up fast. */
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
 * Finds a lone surrogate. JSON can escape one but UTF-8 cannot encode it, and no regular expression
 * rejects it in the same way in every engine.
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

/**
 * Normalises the body: a route without a body sees undefined, and an omitted optional body is `{}`.
 */
function normalizeBody(request: FastifyRequest): void {
  const { schema, config } = request.routeOptions
  if (schema?.body === undefined) {
    if (request.body !== undefined && !isEmptyObject(request.body)) {
      throw new AppError('validation_failed', {
        message: 'This request takes no body. Send none, or an empty object.',
      })
    }
    // An empty object must produce the same Idempotency-Key fingerprint as no body.
    request.body = undefined
    return
  }
  if (request.body === undefined && config.optionalBody) request.body = {}
}

/** Lower-cases ids in the path, so that keys and comparisons agree. */
function lowerCaseIds(request: FastifyRequest): void {
  const params = request.params as Record<string, string>
  for (const name in params) {
    const value = params[name] as string
    if (name.endsWith('Id') && isUuid(value)) params[name] = value.toLowerCase()
  }
}

const NAME_MAX = 64

/**
 * Refuses query parameters that the route does not have: a filter that is misspelt and ignored
 * would list too much. Health probes are exempt, because load balancers may add parameters.
 */
function refuseUnknownQuery(request: FastifyRequest): void {
  const { schema, url } = request.routeOptions
  if (url === undefined || url.startsWith('/health/')) return
  const known = Object.keys((schema?.querystring as TObject | undefined)?.properties ?? {})
  const name = Object.keys(request.query as object).find((one) => !known.includes(one))
  if (name === undefined) return
  const shown = name.slice(0, NAME_MAX).toWellFormed()
  const advice = known.length > 0 ? `The parameters are ${known.join(', ')}.` : 'Send none.'
  throw new AppError('validation_failed', {
    message: `\`${shown}\` in the query is not a known parameter. ${advice}`,
  })
}

export function registerValidation(app: FastifyInstance): void {
  app.setValidatorCompiler(validatorCompiler)
  // With callbacks: a promise for each hook costs every request more than what it does.
  app.addHook('onRequest', (request, _reply, done) => {
    lowerCaseIds(request)
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    refuseUnknownQuery(request)
    normalizeBody(request)
    done()
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may be omitted. */
    optionalBody?: boolean
  }
}
