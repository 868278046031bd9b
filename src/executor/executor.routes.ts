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
          description:
            'For owners and managers. Returns the address that sends the payments of the ' +
            'organization, its gas balance, and the state of its provisioning. The live event ' +
            '`executor_gas_low` announces that the gas balance has become low.',
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
            'For owners. Requests an executor: a worker asks the provider for a key and binds ' +
            'its address. Poll `GET …/executor` until the `state` of `provisioning` is `active`; ' +
            'if it is `failed`, call `POST …/executor/reconcile`. Then send native ' +
            'coin to its address for gas, unless the provider sponsors it, and prepare a policy ' +
            'with `POST …/vaults/{vaultId}/policy-intents/prepare`. Once a policy in force ' +
            'names it, another can be provisioned: policies prepared from then on name the new ' +
            'one, which becomes `binding` when one of them is in force.',
          tags: ['executor'],
          params: OrganizationParams,
          headers: IdempotencyHeaders,
          response: answers(202, status, [400, 401, 403, 409], {
            state_conflict:
              'One is under way, no policy names the last one yet, or no more may be created.',
          }),
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
            'For owners and managers. Retries a failed provisioning, or enqueues the job of one ' +
            'under way again, or refreshes the gas balance of an active executor. The request is ' +
            'recorded in the audit trail. Read the outcome with `GET …/executor`.',
          tags: ['executor'],
          params: OrganizationParams,
          response: answers(202, status, [400, 401, 403, 409], {
            state_conflict:
              'There was no provisioning yet. Call `POST …/executor/provision` first.',
          }),
        },
      },
      async (request, reply) =>
        reply.code(202).send(await reconcileExecutor(ctx, { actor: memberOf(request) })),
    )
  }
