/** Request ids, the access log and request metrics. Both use the route template, never the URL. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#context.ts'
import { inRequest } from '#platform/request-trace.ts'
import { currentTracer, readTraceparent } from '#platform/tracing.ts'
import { registerRequestSpans } from './request-spans.ts'

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/**
 * Keeps a well-formed id from the caller, so that logs on both sides can be joined. A trusted
 * caller's trace goes first: the trace of a request is found by its id.
 */
export const requestIdOf = (
  request: IncomingMessage,
  { ids }: Pick<Context, 'ids'>,
  { trustsTraceparent = false }: { trustsTraceparent?: boolean } = {},
): string => {
  const trace = trustsTraceparent ? readTraceparent(request.headers.traceparent) : undefined
  if (trace) return trace.traceId
  const given = request.headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : ids.next()
}

/** Call once per request, when its response has ended. */
export function recordRequest(
  { log, metrics }: Pick<Context, 'log' | 'metrics'>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { method, account, caller } = request
  const route = request.routeOptions.url ?? 'unmatched'
  const { statusCode: status, elapsedTime } = reply
  metrics.request({ method, route, status, seconds: elapsedTime / 1000 })
  // Load balancers probe every few seconds, so only failed probes are logged.
  if (route.startsWith('/health/') && status < 400) return
  log.info(
    {
      requestId: request.id,
      method,
      route,
      status,
      ms: Math.round(elapsedTime),
      accountId: account?.id,
      realm: caller?.realm,
    },
    'request',
  )
}

export function registerRequestLog(
  app: FastifyInstance,
  ctx: Pick<Context, 'log' | 'metrics'>,
  tracing?: { trustsTraceparent: boolean },
): void {
  const tracer = currentTracer()
  // Gateways have none: the API's span is the root that jobs name as their parent.
  if (tracer && tracing) registerRequestSpans(app, { tracer, ...tracing })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  // Not earlier: the body is read in socket events, outside the async context of the request.
  app.addHook('preValidation', (request, _reply, done) => inRequest(request.id, done))
  // These log fields cannot contain secrets, so redaction is skipped.
  const accessLog = { metrics: ctx.metrics, log: ctx.log.child({}, { redact: [] }) }
  app.addHook('onResponse', (request, reply, done) => {
    recordRequest(accessLog, request, reply)
    done()
  })
}
