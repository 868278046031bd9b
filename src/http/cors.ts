/**
 * Cross-origin requests of the configured browser applications. Tokens travel in a header, so no
 * request carries credentials, and an unknown origin gets no CORS header at all.
 */
import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

/** How long a browser may skip the preflight. Chromium allows two hours at most. */
const PREFLIGHT_MAX_AGE_SECONDS = 7_200

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Request headers that the API reads. */
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'Content-Disposition',
  'Idempotency-Key',
  'If-None-Match',
  'Last-Event-ID',
  'X-Request-Id',
]

/** Response headers that clients read; a page sees no others. */
const EXPOSED = [
  'Content-Disposition',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-Poll-Interval',
  'X-Request-Id',
]

/** Register it before the guard: browsers send preflights without a token. */
export async function registerCors(
  app: FastifyInstance,
  { origins }: { origins: readonly string[] },
): Promise<void> {
  if (origins.length === 0) return
  const known = new Set(origins)
  await app.register(cors, {
    origin: (origin, answer) => answer(null, origin !== undefined && known.has(origin)),
    methods: METHODS,
    allowedHeaders: ALLOWED,
    exposedHeaders: EXPOSED,
    credentials: false,
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
    // The plugin would answer in plain text; such a request is no preflight and needs no answer.
    strictPreflight: false,
  })
}
