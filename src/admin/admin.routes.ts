/** Routes that show operators all organizations. Every read is recorded in the audit trail. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { operatorOf } from '#access/guard.ts'
import { TrailPageSchema, TrailQuery } from '#audit/audit.schema.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { readPage } from '#platform/paging.ts'
import { CaseParams } from '#support/support.schema.ts'
import {
  AdminCaseSchema,
  AdminOverviewSchema,
  CaseListSchema,
  CasesQuery,
  FailuresSchema,
} from './admin.schema.ts'
import { executorRoutes } from './executors.routes.ts'
import { AdminOrganizationListSchema, AdminOrganizationsQuery } from './organization.schema.ts'
import { AdminOrganizationDetailSchema } from './organization-detail.schema.ts'
import { PaymentStoryParams, PaymentStorySchema } from './payment-story.schema.ts'
import { readCase, readCases } from './read-cases.ts'
import { readFailures, readOverview } from './read-failures.ts'
import { readOrganization } from './read-organization.ts'
import { readOrganizations } from './read-organizations.ts'
import { readPaymentStory } from './read-payment-story.ts'
import { readServiceTrail } from './read-service-trail.ts'

type AdminRoutesContext = Pick<
  Context,
  'db' | 'observerDb' | 'clock' | 'ids' | 'chain' | 'executor' | 'log'
>

const tags = ['administration']

/** Counts, failures and support cases across organizations. */
export const adminRoutes =
  (ctx: AdminRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/admin/overview',
      {
        schema: {
          operationId: 'getAdminOverview',
          summary: 'Get the admin overview',
          description:
            'For operators. Counts across all organizations. `GET /v1/admin/failures` lists what ' +
            'failed. The read is recorded in the audit trail of the service.',
          tags,
          response: answers(200, component(AdminOverviewSchema), [401, 403]),
        },
      },
      async (request) => readOverview(ctx, { operator: operatorOf(request) }),
    )

    app.get(
      '/v1/admin/failures',
      {
        schema: {
          operationId: 'listFailures',
          summary: 'List recent failures',
          description:
            'For operators. The last hundred failed analysis runs, payments, attempts and ' +
            'unrecorded payments of all organizations, newest first. Older ones are in ' +
            '`GET /v1/admin/organizations/{organizationId}`. The read is recorded in the audit ' +
            'trail of the service.',
          tags,
          response: answers(200, FailuresSchema, [401, 403]),
        },
      },
      async (request) => readFailures(ctx, { operator: operatorOf(request) }),
    )

    await caseRoutes(ctx)(app, {})
    await trailRoutes(ctx)(app, {})
  }

const caseRoutes =
  (ctx: AdminRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/admin/support-cases',
      {
        schema: {
          operationId: 'listAdminSupportCases',
          summary: 'List support cases',
          description:
            'For operators. Cases of all organizations, 25 on a page, filtered and sorted. ' +
            '`GET /v1/admin/support-cases/{caseId}` shows one with its notes and messages. The ' +
            'read is recorded in the audit trail of the service, with its filters.',
          tags,
          querystring: CasesQuery,
          response: answers(200, CaseListSchema, [401, 403]),
        },
      },
      async (request) => readCases(ctx, { operator: operatorOf(request), ...request.query }),
    )

    app.get(
      '/v1/admin/support-cases/:caseId',
      {
        schema: {
          operationId: 'getAdminSupportCase',
          summary: 'Get a support case',
          description:
            'For operators. With the notes of operators and the messages from members. Answer ' +
            "with `POST …/notes`. The read is recorded in the organization's audit trail.",
          'x-extension': true,
          tags,
          params: CaseParams,
          response: answers(200, component(AdminCaseSchema), [401, 403, 404], {
            not_found: 'There is no such case in any organization.',
          }),
        },
      },
      async (request) => {
        const { caseId } = request.params
        return readCase(ctx, { operator: operatorOf(request), caseId })
      },
    )
  }

const trailRoutes =
  (ctx: AdminRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/admin/audit-events',
      {
        schema: {
          operationId: 'listAdminAuditEvents',
          summary: "List the service's audit events",
          description:
            'For operators. Events that belong to no organization: sessions, operators, and ' +
            'reads across organizations, newest first. This read is recorded there as well, with ' +
            'its filters. Events of an organization are in its own trail.',
          tags,
          querystring: TrailQuery,
          response: answers(200, TrailPageSchema, [400, 401, 403], {
            validation_failed:
              'A parameter does not match this page, `from` is not before `to`, or `cursor` is ' +
              'unknown.',
          }),
          'x-extension': true,
        },
      },
      async (request) => {
        const { limit, cursor, ...query } = request.query
        const page = readPage({ ...(limit && { limit }), ...(cursor && { cursor }) })
        const input = { operator: operatorOf(request), query, page }
        const { items, nextCursor } = await readServiceTrail(ctx, input)
        return { auditEvents: items, nextCursor }
      },
    )
  }

/** Finding and reading organizations and their executors. */
export const adminOrganizationRoutes =
  (ctx: AdminRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/admin/organizations',
      {
        schema: {
          operationId: 'listAdminOrganizations',
          summary: 'List or search organizations',
          description:
            'For operators. All organizations, or those that match `q`, newest first. `GET ' +
            '/v1/admin/organizations/{organizationId}` shows one. The read is recorded in the ' +
            'audit trail of the service, with `q`.',
          tags,
          querystring: AdminOrganizationsQuery,
          response: answers(200, AdminOrganizationListSchema, [401, 403], {
            validation_failed:
              'A parameter does not match this page, or `q` is an address with a wrong checksum.',
          }),
        },
      },
      async (request) => {
        const { q = '', ...paging } = request.query
        const input = { operator: operatorOf(request), q, page: readPage(paging) }
        const { items, nextCursor } = await readOrganizations(ctx, input)
        return { organizations: items, nextCursor }
      },
    )

    app.get(
      '/v1/admin/organizations/:organizationId',
      {
        schema: {
          operationId: 'getAdminOrganization',
          summary: 'Get an organization',
          description:
            'For operators. The newest hundred rows of each kind, newest first, from one ' +
            'database snapshot; `truncated` names the kinds that have more. Signatures and what ' +
            "they sign are left out. The read is recorded in the organization's audit trail.",
          tags,
          params: OrganizationParams,
          response: answers(200, AdminOrganizationDetailSchema, [401, 403, 404], {
            not_found: 'There is no such organization.',
          }),
        },
      },
      async (request) =>
        readOrganization(ctx, { operator: operatorOf(request), ...request.params }),
    )

    await storyRoutes(ctx)(app, {})
    await executorRoutes(ctx)(app, {})
  }

const storyRoutes =
  (ctx: AdminRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/admin/organizations/:organizationId/payments/:paymentId',
      {
        schema: {
          operationId: 'getAdminPayment',
          summary: 'Get the story of a payment',
          description:
            'For operators. Everything that led to one payment: its expense, analysis, ' +
            'approvals, attempts, receipt and support cases, from one database snapshot. ' +
            'Signatures and what they sign are left out. The read is recorded in the ' +
            "organization's audit trail.",
          'x-extension': true,
          tags,
          params: PaymentStoryParams,
          response: answers(200, PaymentStorySchema, [401, 403, 404], {
            not_found: 'The organization does not exist, or has no such payment or expense.',
          }),
        },
      },
      async (request) =>
        readPaymentStory(ctx, { operator: operatorOf(request), ...request.params }),
    )
  }
