/**
 * The Idempotency-Key header. A key is scoped to the account, method, route and path parameters.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { accountOf } from '#access/guard.ts'
import { AppError } from '#platform/errors.ts'
import type { Answer, IdempotentRequest } from '#platform/idempotency.ts'
import { Type } from '#platform/schema.ts'
import { visibleAscii } from '#platform/values.ts'

const LENGTH_MAX = 255

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': visibleAscii({
    description:
      '1 to 255 visible ASCII characters. Repeating a key with the same body replays the first ' +
      'answer.',
    minLength: 1,
    maxLength: LENGTH_MAX + 2,
  }),
})

/** A key sent as a structured-field string (RFC 8941) is quoted; the quotes are not part of it. */
function unquoted(header: string): string {
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header
  if (key.length >= 1 && key.length <= LENGTH_MAX) return key
  throw new AppError('idempotency_key_required')
}

export function idempotentRequest(request: FastifyRequest): IdempotentRequest {
  const { method, url } = request.routeOptions
  return {
    accountId: accountOf(request).id,
    operation: `${method} ${url} ${JSON.stringify(request.params)}`,
    key: unquoted(String(request.headers['idempotency-key'])),
    body: request.body,
  }
}

export function sendAnswer<Body>(reply: FastifyReply, answer: Answer<Body>): Body {
  if (answer.replayed) reply.header('idempotent-replayed', 'true')
  return answer.body
}
