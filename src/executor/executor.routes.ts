import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { IdempotencyHeaders, idempotentRequest, sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { ExecutorStatusSchema } from './executor.schema.ts'
import { provisionExecutor, reconcileExecutor } from './provision-executor.ts'
import { readExecutor } from './read-executor.ts'

const org = '/v1/consumer/organizations/:organizationId'
const status = component(ExecutorStatusSchema)

export const executorRoutes =
  (
    ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'chain' | 'executor' | 'log' | 'config'>,
  ): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/executor`,
      {
        schema: {
          operationId: 'getExecutor',
          summary: 'The executor of the organization and how far it is',
          tags: ['executor'],
          params: OrganizationParams,
          response: answers(200, status, [401, 403]),
        },
      },
      async (request) => readExecutor(ctx, { member: memberOf(request) }),
    )

    app.post(
      `${org}/executor/provision`,
      {
        schema: {
          operationId: 'provisionExecutor',
          summary: 'Ask for an executor; it is made in the background',
          tags: ['executor'],
          params: OrganizationParams,
          headers: IdempotencyHeaders,
          response: answers(202, status, [400, 401, 403, 409]),
        },
      },
      async (request, reply) => {
        const input = { actor: memberOf(request), request: idempotentRequest(request) }
        return reply.code(202).send(sendAnswer(reply, await provisionExecutor(ctx, input)))
      },
    )

    app.post(
      `${org}/executor/reconcile`,
      {
        schema: {
          operationId: 'reconcileExecutor',
          summary: 'Try a failed executor again, and read its gas balance anew',
          tags: ['executor'],
          params: OrganizationParams,
          response: answers(202, status, [400, 401, 403, 409]),
        },
      },
      async (request, reply) =>
        reply.code(202).send(await reconcileExecutor(ctx, { actor: memberOf(request) })),
    )
  }
