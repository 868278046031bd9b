/** Request ids, the access log and the request metrics: by route template, never by URL. */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#context.ts'
import { inRequest } from '#platform/request-trace.ts'

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** A well-formed id from the caller is kept, so that logs on both sides can be joined. */
export const requestIdOf = (request: IncomingMessage, { ids }: Pick<Context, 'ids'>): string => {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : ids.next()
}

/** Once for each request, when it is over. */
export function recordRequest(
  { log, metrics }: Pick<Context, 'log' | 'metrics'>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { method, account, caller } = request
  const route = request.routeOptions.url ?? 'unmatched'
  const { statusCode: status, elapsedTime } = reply
  metrics.request({ method, route, status, seconds: elapsedTime / 1000 })
  // Load balancers probe every few seconds: only a probe that failed is worth a line.
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
): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  // Not earlier: the body is read in socket events, outside the request's context.
  app.addHook('preValidation', (request, _reply, done) => inRequest(request.id, done))
  // Its line is made of fields that cannot hold a secret: nothing has to be looked for in it.
  const about = { metrics: ctx.metrics, log: ctx.log.child({}, { redact: [] }) }
  app.addHook('onResponse', async (request, reply) => recordRequest(about, request, reply))
}
