/** Vault deployments and policies: prepare, confirm, sync. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { IdempotencyHeaders, idempotentRequest, sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { confirmDeployment, confirmPolicy } from './confirm-intent.ts'
import { prepareDeployment } from './deploy-vault.ts'
import { preparePolicy } from './set-policy.ts'
import { syncPolicy } from './sync-policy.ts'
import {
  ConfirmBody,
  DeploymentSchema,
  IntentParams,
  PolicyIntentSchema,
  PolicySchema,
  PrepareDeploymentBody,
  PreparePolicyBody,
  SyncPolicyBody,
  VaultIntentParams,
  VaultParams,
} from './treasury.schema.ts'

const org = '/v1/consumer/organizations/:organizationId'

type IntentContext = Pick<Context, 'db' | 'clock' | 'ids' | 'chain' | 'log'>

export const intentRoutes =
  (ctx: IntentContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/vault-deployments/prepare`,
      {
        schema: {
          operationId: 'prepareVaultDeployment',
          summary: "The transaction that deploys a vault from the caller's own wallet",
          tags: ['treasury'],
          params: OrganizationParams,
          headers: IdempotencyHeaders,
          body: PrepareDeploymentBody,
          response: answers(201, component(DeploymentSchema), [400, 401, 403, 409]),
        },
      },
      async (request, reply) => {
        const { label } = request.body
        const input = { actor: memberOf(request), label, request: idempotentRequest(request) }
        return reply.code(201).send(sendAnswer(reply, await prepareDeployment(ctx, input)))
      },
    )

    app.post(
      `${org}/vault-deployments/:intentId/confirm`,
      {
        schema: {
          operationId: 'confirmVaultDeployment',
          summary: 'Say which transaction deploys the vault',
          tags: ['treasury'],
          params: IntentParams,
          body: ConfirmBody,
          response: answers(200, component(DeploymentSchema), [400, 401, 403, 404, 409]),
        },
      },
      async (request) => {
        const { intentId } = request.params
        return confirmDeployment(ctx, { actor: memberOf(request), intentId, ...request.body })
      },
    )

    await app.register(policyRoutes(ctx))
  }

const policyRoutes =
  (ctx: IntentContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/vaults/:vaultId/policy-intents/prepare`,
      {
        schema: {
          operationId: 'preparePolicy',
          summary: 'The transaction that configures a policy, with what it changes',
          tags: ['treasury'],
          params: VaultParams,
          headers: IdempotencyHeaders,
          body: PreparePolicyBody,
          response: answers(201, component(PolicyIntentSchema), [400, 401, 403, 404, 409]),
        },
      },
      async (request, reply) => {
        const { approvedCap, automaticCap, lifetimeCap, reserveFloor, ...rest } = request.body
        const answer = await preparePolicy(ctx, {
          actor: memberOf(request),
          vaultId: request.params.vaultId,
          terms: {
            ...rest,
            approvedCap: BigInt(approvedCap),
            automaticCap: BigInt(automaticCap),
            lifetimeCap: BigInt(lifetimeCap),
            reserveFloor: BigInt(reserveFloor),
          },
          request: idempotentRequest(request),
        })
        return reply.code(201).send(sendAnswer(reply, answer))
      },
    )

    app.post(
      `${org}/vaults/:vaultId/policy-intents/:intentId/confirm`,
      {
        schema: {
          operationId: 'confirmPolicy',
          summary: 'Say which transaction configures the policy',
          tags: ['treasury'],
          params: VaultIntentParams,
          body: ConfirmBody,
          response: answers(200, component(PolicyIntentSchema), [400, 401, 403, 404, 409]),
        },
      },
      async (request) => {
        const { vaultId, intentId } = request.params
        const input = { actor: memberOf(request), vaultId, intentId, ...request.body }
        return confirmPolicy(ctx, input)
      },
    )

    app.post(
      `${org}/policies/sync`,
      {
        schema: {
          operationId: 'syncPolicy',
          summary: 'The policy that a transaction on the chain has configured',
          tags: ['treasury'],
          params: OrganizationParams,
          body: SyncPolicyBody,
          response: answers(200, component(PolicySchema), [400, 401, 403, 409]),
        },
      },
      async (request) => {
        const { chainTransactionHash: transactionHash } = request.body
        return syncPolicy(ctx, { member: memberOf(request), transactionHash })
      },
    )
  }
