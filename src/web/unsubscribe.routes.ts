/** The one-click requests of mail programs (RFC 8058), which come from anywhere by their nature. */
import type { FastifyPluginAsync } from 'fastify'
import { AppError } from '#platform/errors.ts'
import type { GatewayParts } from './session.routes.ts'
import { readBytes } from './upstream.ts'

const TOKEN = /^[A-Za-z0-9._~-]{1,1000}$/

export const unsubscribeRoutes =
  ({ upstream }: Pick<GatewayParts, 'upstream'>): FastifyPluginAsync =>
  async (app) => {
    app.removeAllContentTypeParsers()
    // The body only repeats that it is one click.
    app.addContentTypeParser('*', { parseAs: 'string' }, async () => undefined)
    app.post<{ Querystring: { token?: unknown } }>('/unsubscribe', async (request, reply) => {
      const { token } = request.query
      if (typeof token !== 'string' || !TOKEN.test(token)) {
        throw new AppError('validation_failed', { message: 'The link is not complete.' })
      }
      const answer = await upstream.send({
        method: 'POST',
        path: `/v1/consumer/email-unsubscriptions/${token}`,
        headers: {
          'x-forwarded-for': request.ip,
          'x-request-id': request.id,
          'content-length': '0',
        },
      })
      const body = await readBytes(answer)
      return reply
        .code(answer.statusCode ?? 502)
        .type('application/json')
        .header('cache-control', 'no-store')
        .send(body)
    })
  }
