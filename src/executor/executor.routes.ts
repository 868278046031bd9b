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
          summary: 'Get the executor',
          description: 'For owners and managers. Its binding, gas balance and provisioning.',
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
          summary: 'Provision the executor',
          description:
            'For owners. A worker creates the executor; poll until `provisioning` is active or ' +
            'failed. Answers 409 if one exists or is being provisioned.',
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
          summary: 'Reconcile the executor',
          description:
            'For owners and managers. Retries a failed provisioning and refreshes the gas ' +
            'balance. Answers 409 before the first provisioning.',
          tags: ['executor'],
          params: OrganizationParams,
          response: answers(202, status, [400, 401, 403, 409]),
        },
      },
      async (request, reply) =>
        reply.code(202).send(await reconcileExecutor(ctx, { actor: memberOf(request) })),
    )
  }
