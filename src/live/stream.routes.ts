import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { accountOf, callerOf, memberOf } from '#access/guard.ts'
import { isManager } from '#access/permissions.ts'
import { answerHead, openEventStream } from '#http/event-stream.ts'
import { answers } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { createHub, type HubContext } from './hub.ts'
import { openAdminStream, openStream, type StreamRequest } from './open-stream.ts'
import { EventStreamSchema, StreamHeaders, StreamQuery } from './stream.schema.ts'

const tags = ['live']
const errors = {
  dependency_unavailable:
    'The database is unavailable, or this process stops or has too many streams. Retry.',
}
const memberResponse = answers(200, EventStreamSchema as never, [], {
  ...errors,
  unauthenticated: 'There is no valid access token, or the caller is not an active member.',
})
const operatorResponse = answers(200, EventStreamSchema as never, [], {
  ...errors,
  unauthenticated: 'There is no valid access token, or the caller is not an active operator.',
})

type ResumePosition = { cursor: string | undefined; lastEventId: string | undefined }

/** A client that reconnects by itself repeats its first URL and adds the Last-Event-ID header. */
const streamRequest = (
  ctx: HubContext,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { cursor, lastEventId }: ResumePosition,
): Omit<StreamRequest, 'viewer'> => ({
  cursor: lastEventId || cursor || undefined,
  expiresAtSeconds: callerOf(request).expiresAtSeconds,
  openOutlet: (onClose) => {
    const { backlogMaxBytes } = ctx.config.streams
    return openEventStream(ctx, { request, reply }, { backlogMaxBytes, onClose })
  },
})

/** One hub per application. It starts with the first stream and stops before the server does. */
export const streamRoutes =
  (ctx: HubContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    const hub = createHub(ctx)
    app.addHook('preClose', () => hub.stop())

    app.get(
      '/v1/consumer/organizations/:organizationId/live/stream',
      {
        preHandler: answerHead,
        schema: {
          operationId: 'streamLive',
          summary: 'Stream live events',
          description:
            'For any member. Server-Sent Events of the organization: owners and managers receive ' +
            'all, employees those of their own expenses and of services. Read `GET ' +
            '…/live/snapshot` first, and open the stream with its `cursor`. The answer below ' +
            'says how events are framed, how to resume, and why a stream ends.',
          tags,
          params: OrganizationParams,
          querystring: StreamQuery,
          headers: StreamHeaders,
          response: memberResponse,
        },
      },
      async (request, reply) => {
        const member = memberOf(request)
        const { organizationId, accountId } = member
        const scope = { realm: 'consumer', organizationId } as const
        const { cursor } = request.query
        const lastEventId = request.headers['last-event-id']
        await openStream(ctx, hub, {
          ...streamRequest(ctx, { request, reply }, { cursor, lastEventId }),
          viewer: { scope, accountId, seesAll: isManager(member) },
        })
      },
    )

    app.get(
      '/v1/admin/live/stream',
      {
        preHandler: answerHead,
        schema: {
          operationId: 'streamAdminLive',
          summary: 'Stream operator events',
          description:
            'For operators. Server-Sent Events of all organizations and of the service. Read ' +
            '`GET /v1/admin/live/snapshot` first, and open the stream with its `cursor`. The ' +
            'answer below says how events are framed, how to resume, and why a stream ends. ' +
            'Opening it is recorded in the audit trail of the service, once in ten minutes.',
          tags,
          querystring: StreamQuery,
          headers: StreamHeaders,
          response: operatorResponse,
        },
      },
      async (request, reply) => {
        const { id: accountId } = accountOf(request)
        const { cursor } = request.query
        const lastEventId = request.headers['last-event-id']
        await openAdminStream(ctx, hub, {
          ...streamRequest(ctx, { request, reply }, { cursor, lastEventId }),
          viewer: { scope: { realm: 'admin', organizationId: null }, accountId, seesAll: true },
          operator: { realm: 'admin', accountId, requestId: request.id },
        })
      },
    )
  }
