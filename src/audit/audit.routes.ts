/** Routes with which owners read and export their organization's audit trail. */
import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import type { RateLimits } from '#http/rate-limits.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { readPage } from '#platform/paging.ts'
import { TrailExportSchema, TrailHeadSchema, TrailPageSchema, TrailQuery } from './audit.schema.ts'
import { exportAuditTrail } from './export-audit-trail.ts'
import { readAuditEvents, readAuditHead } from './read-audit-events.ts'

const org = '/v1/consumer/organizations/:organizationId'
const tags = ['audit']

type AuditRoutesContext = Pick<Context, 'db' | 'clock' | 'ids'>

export const auditRoutes =
  (ctx: AuditRoutesContext, limits: Pick<RateLimits, 'countExport'>): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/audit-events`,
      {
        schema: {
          operationId: 'listAuditEvents',
          summary: 'List audit events',
          description:
            "For owners. The organization's own audit trail, newest first: changes by members " +
            'and by the service, and what operators read or changed. Filters can be combined. ' +
            'For a file that can be checked without the service, use ' +
            '`GET …/exports/audit.jsonl`.',
          tags,
          params: OrganizationParams,
          querystring: TrailQuery,
          response: answers(200, TrailPageSchema, [400, 401, 403], {
            validation_failed:
              'A parameter does not match this page, `from` is not before `to`, or bad `cursor`.',
          }),
          'x-extension': true,
        },
      },
      async (request) => {
        const { limit, cursor, ...query } = request.query
        const page = readPage({ ...(limit && { limit }), ...(cursor && { cursor }) })
        const input = { member: memberOf(request), query, page }
        const { items, nextCursor } = await readAuditEvents(ctx, input)
        return { auditEvents: items, nextCursor }
      },
    )

    app.get(
      `${org}/audit-head`,
      {
        schema: {
          operationId: 'getAuditHead',
          summary: 'Get the audit head',
          description:
            'For owners. The number and hash of the last event. Keep it outside the service, for ' +
            'example every night: an export that ends before a kept head was cut, and one that ' +
            'does not contain its hash was rewritten. `npm run audit -- verify` compares them.',
          tags,
          params: OrganizationParams,
          response: answers(200, component(TrailHeadSchema), [401, 403]),
          'x-extension': true,
        },
      },
      async (request) => readAuditHead(ctx, { member: memberOf(request) }),
    )

    await exportRoutes(ctx, limits)(app, {})
  }

const exportRoutes =
  (ctx: AuditRoutesContext, limits: Pick<RateLimits, 'countExport'>): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/exports/audit.jsonl`,
      {
        preHandler: limits.countExport,
        schema: {
          operationId: 'exportAuditTrail',
          summary: 'Export the audit trail',
          description:
            'For owners. Every event with its digest and hash, and the head as the last line. ' +
            '`npm run audit -- verify FILE` checks the file without the service. The export ' +
            'itself is an event.',
          tags,
          params: OrganizationParams,
          response: answers(200, TrailExportSchema as never, [401, 403], {
            rate_limited: 'Ten exports of the account in a minute. Wait for `Retry-After`.',
          }),
          'x-extension': true,
        },
      },
      async (request, reply) => {
        const member = memberOf(request)
        const { head, pages } = await exportAuditTrail(ctx, { actor: member })
        const name = `audit-${member.organizationId}-${head.sequence}.jsonl`
        reply.headers({
          'content-type': 'application/x-ndjson; charset=utf-8',
          'content-disposition': `attachment; filename="${name}"`,
          'cache-control': 'private, no-store',
        })
        return reply.send(Readable.from(pages, { highWaterMark: 1 }) as never)
      },
    )
  }
