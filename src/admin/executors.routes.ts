/** Executors across organizations, and the executor of one. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { operatorOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { ExecutorStatusSchema } from '#executor/executor.schema.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { PageQuery, readPage } from '#platform/paging.ts'
import { AdminExecutorListSchema } from './executors.schema.ts'
import { readOrganizationExecutor, reconcileOrganizationExecutor } from './operate-executor.ts'
import { readExecutors } from './read-executors.ts'

type ExecutorRoutesContext = Pick<
  Context,
  'db' | 'observerDb' | 'clock' | 'ids' | 'chain' | 'executor' | 'log'
>

const tags = ['administration']
const noOrganization = { forbidden: 'There is no such organization.' }

export const executorRoutes =
  (ctx: ExecutorRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    await executorListRoutes(ctx)(app, {})

    app.get(
      '/v1/admin/organizations/:organizationId/executor',
      {
        schema: {
          operationId: 'getAdminExecutor',
          summary: 'Get an executor',
          description:
            "For operators. An organization's executor as its members see it. If its " +
            'provisioning failed, `POST …/executor/reconcile` retries it. The read is recorded ' +
            "in the organization's audit trail.",
          tags,
          params: OrganizationParams,
          response: answers(200, component(ExecutorStatusSchema), [401, 403], noOrganization),
        },
      },
      async (request) =>
        readOrganizationExecutor(ctx, { operator: operatorOf(request), ...request.params }),
    )

    app.post(
      '/v1/admin/organizations/:organizationId/executor/reconcile',
      {
        schema: {
          operationId: 'reconcileAdminExecutor',
          summary: 'Reconcile an executor',
          description:
            'For operators. Retries a failed provisioning, enqueues the lost job of a running ' +
            'one, or has the gas balance of an active executor read again; a job does the work. ' +
            "It is recorded in the organization's audit trail. Poll `GET …/executor` for the " +
            'outcome.',
          tags,
          params: OrganizationParams,
          response: answers(202, component(ExecutorStatusSchema), [401, 403, 409], {
            ...noOrganization,
            state_conflict: 'The organization has never provisioned an executor.',
          }),
        },
      },
      async (request, reply) => {
        const input = { operator: operatorOf(request), ...request.params }
        return reply.code(202).send(await reconcileOrganizationExecutor(ctx, input))
      },
    )
  }

const executorListRoutes =
  (ctx: ExecutorRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/admin/executors',
      {
        schema: {
          operationId: 'listAdminExecutors',
          summary: 'List executors',
          description:
            'For operators. The executors of all organizations with their gas, newest first, ' +
            'also those that another one has replaced. The read is recorded in the audit trail ' +
            'of the service.',
          'x-extension': true,
          tags,
          querystring: PageQuery,
          response: answers(200, AdminExecutorListSchema, [401, 403]),
        },
      },
      async (request) => {
        const page = readPage(request.query)
        const { items, nextCursor } = await readExecutors(ctx, {
          operator: operatorOf(request),
          page,
        })
        return { executors: items, nextCursor }
      },
    )
  }
