import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { earlyRead } from '#access/early-reads.ts'
import { memberOf, operatorOf } from '#access/guard.ts'
import type { Member } from '#access/permissions.ts'
import type { ServiceHealth } from '#health/service-health.ts'
import { ETagHeader, IfNoneMatchHeaders, isKnown, notModified } from '#http/if-none-match.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { sha256 } from '#platform/digest.ts'
import { type TSchema, Type } from '#platform/schema.ts'
import { worstOf } from '#platform/severity.ts'
import { TRANSPORT_POLICY } from '#platform/transport-policy.ts'
import type { LiveScope } from './cursor.ts'
import { entityTagOf } from './entity-tag.ts'
import { createKeptSnapshots, readCurrent, type SerializedContent } from './kept-snapshots.ts'
import { LiveSnapshotSchema, SnapshotContentSchema, SnapshotHeadSchema } from './live.schema.ts'
import {
  readMemberContent,
  readOperatorSnapshot,
  type SnapshotContent,
  type SnapshotContext,
  severityOf,
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
    const kept = createKeptSnapshots()
    const current = earlyRead(
      ({ member }: { member: Member; params: unknown; query: unknown }) =>
        (reader) =>
          readCurrent(ctx, reader, { member, kept }),
    )
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
        config: current.config,
      },
      async (request, reply) => {
        const { params, query } = request
        const member = memberOf(request)
        const { organizationId } = member
        const now = await current.rowsOf(ctx.db, request, { member, params, query })
        const { services, content } = now
        const scope: LiveScope = { realm: 'consumer', organizationId }
        if (content) return answer(request, reply, { ctx, scope, services, content })
        const read = await readMemberContent(ctx, member)
        const { asOf, mark, until } = read
        const serialized = serialize(reply, read)
        kept.keep(member, { ...serialized, asOf, mark, until })
        return answer(request, reply, { ctx, scope, services, content: serialized })
      },
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
      async (request, reply) => {
        const { services, content: read } = await readOperatorSnapshot(ctx, operatorOf(request))
        const content = serialize(reply, read)
        const scope: LiveScope = { realm: 'admin', organizationId: null }
        return answer(request, reply, { ctx, scope, services, content })
      },
    )
  }

/** By the schema, as Fastify would, which compiles it once. */
const toJson = (reply: FastifyReply, value: object, schema: TSchema): string =>
  reply.serializeInput({ ...value }, schema as Record<string, unknown>) as string

function serialize(reply: FastifyReply, content: SnapshotContent): SerializedContent {
  const body = Buffer.from(toJson(reply, content, SnapshotContentSchema))
  const severity = severityOf({ ...content, services: [] })
  return { body, severity, digest: sha256(body).toString('base64url') }
}

type Parts = {
  ctx: Pick<SnapshotContext, 'clock'>
  scope: LiveScope
  services: ServiceHealth[]
  content: SerializedContent
}

/** Cached by the client only, and revalidated before every use. */
function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { ctx, scope, services, content: { body, digest, severity } }: Parts,
) {
  const tag = entityTagOf({ digest, services })
  reply.headers({
    etag: tag,
    'cache-control': 'private, no-cache',
    vary: 'Authorization',
    'x-poll-interval': String(TRANSPORT_POLICY.snapshotPollSeconds),
  })
  if (isKnown(request.headers['if-none-match'], tag)) return reply.code(304).send()
  const head = {
    serverTime: ctx.clock.now().toISOString(),
    scope,
    transportPolicy: TRANSPORT_POLICY,
    severity: worstOf([severity, ...services.map((service) => service.severity)]),
    services,
  }
  const opening = toJson(reply, head, SnapshotHeadSchema)
  // Two objects become one: the last brace of the first and the first of the second are dropped.
  const both = Buffer.concat([Buffer.from(`${opening.slice(0, -1)},`), body.subarray(1)])
  return reply.type('application/json; charset=utf-8').send(both)
}
