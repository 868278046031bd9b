/** The error handler: the only place that turns an error into a status and the error envelope. */
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from 'fastify'
import { isOutage } from '#platform/database/database.ts'
import {
  AppError,
  type ErrorCode,
  errorMessage,
  errorStatus,
  type FailedCheck,
} from '#platform/errors.ts'
import { messageOf } from './validation-message.ts'

export type ErrorEnvelope = { error: { code: string; message: string; requestId: string } }

/** Statuses that any route may answer, declared or not. */
const UNIVERSAL = new Set([400, 401, 413, 415, 429, 500, 503])

const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_NOT_FOUND: 'not_found',
}

export const envelope = (code: string, message: string, requestId: string): ErrorEnvelope => ({
  error: { code, message, requestId },
})

function asAppError(error: FastifyError, { routeOptions }: FastifyRequest): AppError {
  if (error instanceof AppError) return error
  if (error.validation) return validationError(error)
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(error, routeOptions)
  const known = frameworkCodes[error.code]
  if (known) return new AppError(known, { cause: error })
  if (isOutage(error))
    return new AppError('dependency_unavailable', { retryAfterSeconds: 1, cause: error })
  const { statusCode = 500 } = error
  if (statusCode < 500) return new AppError('validation_failed', { cause: error })
  return new AppError('internal', { cause: error })
}

const tooLarge = (cause: Error, { bodyLimit }: { bodyLimit?: number }): AppError => {
  const kibibytes = Math.floor((bodyLimit ?? 0) / 1024)
  const message = `The body is larger than ${kibibytes} KiB. Send a smaller one.`
  return new AppError('payload_too_large', { cause, ...(kibibytes > 0 && { message }) })
}

/** The Idempotency-Key header has its own error code. */
function validationError({ validation, validationContext }: FastifyError): AppError {
  if (validationContext === 'headers' && isAboutKey(validation?.[0])) {
    return new AppError('idempotency_key_required')
  }
  // For a union Ajv reports one error per branch and the union's own error last.
  const last = validation?.at(-1)
  if (!last) return new AppError('validation_failed')
  const message = messageOf(last, validationContext)
  return new AppError('validation_failed', { message })
}

const isAboutKey = (found: FastifySchemaValidationError | undefined): boolean =>
  found === undefined ||
  found.instancePath === '/idempotency-key' ||
  found.params.missingProperty === 'idempotency-key'

const BAD_REQUESTS: ReadonlySet<ErrorCode> = new Set(['idempotency_key_reused', 'state_conflict'])

type FittedError = { status: number; code: ErrorCode; message: string }

/**
 * Maps an error to a status that the route declares. Where 404 is not declared it becomes 403, and
 * where 403 is not declared it becomes 401, so that the answer does not reveal what exists.
 */
export function fitToRoute(
  error: AppError,
  declared: ReadonlySet<number> | undefined,
): FittedError {
  const status = errorStatus(error.code)
  const fitted: FittedError = { status, code: error.code, message: error.message }
  if (!declared || declared.has(status) || UNIVERSAL.has(status)) return fitted
  // A route that declares no 409 reports a reused key or an exceeded quota as 400.
  if (BAD_REQUESTS.has(error.code) && declared.has(400)) {
    return { ...fitted, status: 400 }
  }
  if (status === 404 && declared.has(403)) {
    return { status: 403, code: 'forbidden', message: errorMessage('forbidden') }
  }
  if (status === 403 || status === 404) {
    if (error.code === 'account_disabled') return { ...fitted, status: 401 }
    return { status: 401, code: 'unauthenticated', message: errorMessage('unauthenticated') }
  }
  return { status: 500, code: 'internal', message: errorMessage('internal') }
}

const declaredStatuses = (request: FastifyRequest): Set<number> | undefined => {
  const response = request.routeOptions.schema?.response
  return response ? new Set(Object.keys(response).map(Number)) : undefined
}

/** Logs why authentication failed, so that an integrator can find the reason by request id. */
function logFailedCheck({ log, id, routeOptions }: FastifyRequest, error: AppError): void {
  const failed: FailedCheck = error.failed ?? {
    credential: 'access_token',
    claim: 'account',
    expected: 'an account that may call this route',
    found: error.code,
  }
  log.info({ requestId: id, route: routeOptions.url, ...failed }, 'authentication failed')
}

function answer(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const appError = asAppError(error, request)
  const { status, code, message } = fitToRoute(appError, declaredStatuses(request))
  if (status >= 500) {
    request.log.error({ requestId: request.id, code, err: appError.cause ?? appError }, 'failed')
  }
  if (status === 401 || appError.failed) logFailedCheck(request, appError)
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  if (appError.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(appError.retryAfterSeconds))
  }
  return reply.code(status).send(envelope(code, message, request.id))
}

/**
 * Answers a path that cannot be decoded. It matches no route and runs no hook, and Fastify's
 * default answer would echo the path.
 */
export function answerBadPath(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const { code, message } = new AppError('validation_failed', {
    message: 'The path is not a valid URL path. Check its percent-encoding.',
  })
  reply.header('x-request-id', request.id)
  reply.code(errorStatus(code)).send(envelope(code, message, request.id))
}

export function registerErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler<FastifyError>(answer)
  app.setNotFoundHandler((request, reply) => {
    const { code, message } = new AppError('not_found', {
      message: 'No operation has this method and path. GET /openapi.json lists all of them.',
    })
    return reply.code(404).send(envelope(code, message, request.id))
  })
}
