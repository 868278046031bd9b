import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { memberOf, operatorOf } from '#access/guard.ts'
import { ETagHeader, IfNoneMatchHeaders, isKnown, notModified } from '#http/if-none-match.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { Type } from '#platform/schema.ts'
import { TRANSPORT_POLICY } from '#platform/transport-policy.ts'
import { entityTagOf } from './entity-tag.ts'
import { LiveSnapshotSchema } from './live.schema.ts'
import {
  type LiveSnapshot,
  readMemberSnapshot,
  readOperatorSnapshot,
  type SnapshotContext,
} from './snapshot.ts'

const org = '/v1/consumer/organizations/:organizationId'
const tags = ['live']
const polling =
  'Follow `GET …/live/stream` from its `cursor`; without a stream, poll every `X-Poll-Interval` ' +
  'seconds. Sent as `If-None-Match`, the `ETag` is answered with 304 and no body while nothing ' +
  'has changed.'
const PollInterval = Type.String({
  description: 'Seconds to wait before the next poll',
  'x-extension': true,
})
const snapshot = component(LiveSnapshotSchema)
const response = {
  ...answers(200, snapshot, [401, 403]),
  200: { ...snapshot, headers: { ETag: ETagHeader, 'X-Poll-Interval': PollInterval } },
  304: notModified,
}

export const snapshotRoutes =
  (ctx: SnapshotContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/live/snapshot`,
      {
        schema: {
          operationId: 'getLiveSnapshot',
          summary: 'Get a live snapshot',
          description:
            'For any member. Tasks of the caller, recent events and the health of services, read ' +
            `at one moment. Employees see their own expenses, owners and managers all. ${polling}`,
          tags,
          params: OrganizationParams,
          headers: IfNoneMatchHeaders,
          response,
        },
      },
      async (request, reply) =>
        answer(request, reply, await readMemberSnapshot(ctx, memberOf(request))),
    )

    app.get(
      '/v1/admin/live/snapshot',
      {
        schema: {
          operationId: 'getAdminLiveSnapshot',
          summary: 'Get an operator snapshot',
          description:
            'For operators. Open cases, failed analyses and stuck payments of all organizations, ' +
            `without amounts and names, recent events and the health of services. ${polling} The ` +
            'read is recorded in the audit trail of the service, once in ten minutes.',
          tags,
          headers: IfNoneMatchHeaders,
          response,
        },
      },
      async (request, reply) =>
        answer(request, reply, await readOperatorSnapshot(ctx, operatorOf(request))),
    )
  }

/** Cached by the client only, and revalidated before every use. */
function answer(request: FastifyRequest, reply: FastifyReply, snapshot: LiveSnapshot) {
  const tag = entityTagOf(snapshot)
  reply.headers({
    etag: tag,
    'cache-control': 'private, no-cache',
    vary: 'Authorization',
    'x-poll-interval': String(TRANSPORT_POLICY.snapshotPollSeconds),
  })
  if (isKnown(request.headers['if-none-match'], tag)) return reply.code(304).send()
  return reply.send(snapshot)
}
