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
const response = answers(200, EventStreamSchema as never, [])

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
            'Server-Sent Events of the organization. Employees receive their own events and ' +
            'those of services. Resume with Last-Event-ID or `cursor`.',
          tags,
          params: OrganizationParams,
          querystring: StreamQuery,
          headers: StreamHeaders,
          response,
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
            'For operators. Server-Sent Events of all organizations. Resume with Last-Event-ID ' +
            'or `cursor`.',
          tags,
          querystring: StreamQuery,
          headers: StreamHeaders,
          response,
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
