/** What operators see of all organizations; each look is in the trail. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { operatorOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { ExecutorStatusSchema } from '#executor/executor.schema.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { readPage } from '#platform/paging.ts'
import {
  AdminOrganizationDetailSchema,
  AdminOrganizationListSchema,
  AdminOrganizationsQuery,
  AdminOverviewSchema,
  CaseListSchema,
  CasesQuery,
  FailuresSchema,
} from './admin.schema.ts'
import { readOrganizationExecutor, reconcileOrganizationExecutor } from './operate-executor.ts'
import { readCases } from './read-cases.ts'
import { readFailures, readOverview } from './read-failures.ts'
import { readOrganization } from './read-organization.ts'
import { readOrganizations } from './read-organizations.ts'

type AdminRoutesContext = Pick<
  Context,
  'db' | 'observerDb' | 'clock' | 'ids' | 'chain' | 'executor' | 'log'
>

const tags = ['administration']

/** The whole at a glance: figures, failures and cases. */
export const adminRoutes =
  (ctx: AdminRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/admin/overview',
      {
        schema: {
          operationId: 'getAdminOverview',
          summary: 'The whole in a few figures',
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
          summary: 'What went wrong last, a hundred of each kind',
          tags,
          response: answers(200, FailuresSchema, [401, 403]),
        },
      },
      async (request) => readFailures(ctx, { operator: operatorOf(request) }),
    )

    app.get(
      '/v1/admin/support-cases',
      {
        schema: {
          operationId: 'listSupportCases',
          summary: 'Support cases of all organizations, page by page',
          tags,
          querystring: CasesQuery,
          response: answers(200, CaseListSchema, [401, 403]),
        },
      },
      async (request) => readCases(ctx, { operator: operatorOf(request), ...request.query }),
    )
  }

/** Organizations: found, looked into, and their executors. */
export const adminOrganizationRoutes =
  (ctx: AdminRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/admin/organizations',
      {
        schema: {
          operationId: 'listAdminOrganizations',
          summary: 'Organizations, newest first, or those that a term leads to',
          tags,
          querystring: AdminOrganizationsQuery,
          response: answers(200, AdminOrganizationListSchema, [401, 403]),
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
          summary: 'An organization with the newest of everything it has',
          tags,
          params: OrganizationParams,
          response: answers(200, AdminOrganizationDetailSchema, [401, 403, 404]),
        },
      },
      async (request) =>
        readOrganization(ctx, { operator: operatorOf(request), ...request.params }),
    )

    app.get(
      '/v1/admin/organizations/:organizationId/executor',
      {
        schema: {
          operationId: 'getOrganizationExecutor',
          summary: 'The executor of an organization and how far it is',
          tags,
          params: OrganizationParams,
          response: answers(200, component(ExecutorStatusSchema), [401, 403]),
        },
      },
      async (request) =>
        readOrganizationExecutor(ctx, { operator: operatorOf(request), ...request.params }),
    )

    app.post(
      '/v1/admin/organizations/:organizationId/executor/reconcile',
      {
        schema: {
          operationId: 'reconcileOrganizationExecutor',
          summary: 'Try a failed executor again, and read its gas balance anew',
          tags,
          params: OrganizationParams,
          response: answers(202, component(ExecutorStatusSchema), [401, 403, 409]),
        },
      },
      async (request, reply) => {
        const input = { operator: operatorOf(request), ...request.params }
        return reply.code(202).send(await reconcileOrganizationExecutor(ctx, input))
      },
    )
  }
