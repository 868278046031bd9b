/** Spans of requests and of the operations they call. Registered only while traces are on. */
import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { type RequestSpan, readTraceparent, type Tracer } from '#platform/tracing.ts'

const SERVER_ERROR = 500

/** Load balancers probe every few seconds. */
const isTraced = ({ routeOptions }: FastifyRequest): boolean =>
  !(routeOptions.url ?? '').startsWith('/health/')

export function registerRequestSpans(
  app: FastifyInstance,
  { tracer, trustsTraceparent }: { tracer: Tracer; trustsTraceparent: boolean },
): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>()
  app.addHook('onRoute', (route) => {
    const { operationId } = (route.schema ?? {}) as { operationId?: string }
    if (operationId !== undefined) route.handler = tracedHandler(tracer, operationId, route.handler)
  })
  app.addHook('onRequest', async (request) => {
    if (!isTraced(request)) return
    const route = request.routeOptions.url ?? 'unmatched'
    const { method, headers } = request
    const caller = trustsTraceparent ? readTraceparent(headers.traceparent) : undefined
    const span = tracer.openRequest(request.id, {
      name: `${method} ${route}`,
      kind: 'server',
      attributes: { 'http.request.method': method, 'http.route': route },
      parentSpanId: caller?.spanId,
    })
    if (span) spans.set(request, span)
  })
  // Not earlier: the body is read in socket events, outside the async context of the request.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request)
    if (span) span.run(done)
    else done()
  })
  app.addHook('onResponse', async (request, { statusCode }) =>
    spans.get(request)?.end({
      attributes: { 'http.response.status_code': statusCode },
      isFailed: statusCode >= SERVER_ERROR,
    }),
  )
}

const tracedHandler = (
  tracer: Tracer,
  operationId: string,
  handler: RouteHandlerMethod,
): RouteHandlerMethod =>
  function traced(request, reply) {
    const span = { name: operationId, kind: 'internal' } as const
    return tracer.inside(span, async () => handler.call(this, request, reply))
  }
