/** Routes that prepare, confirm and sync vault deployments and policies. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { IdempotencyHeaders, idempotentRequest, sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { PageQuery, readPage } from '#platform/paging.ts'
import { confirmDeployment, confirmPolicy } from './confirm-intent.ts'
import { prepareDeployment } from './deploy-vault.ts'
import { readDeployments, readPolicyIntents } from './read-intents.ts'
import { preparePolicy } from './set-policy.ts'
import { syncPolicy } from './sync-policy.ts'
import {
  ConfirmBody,
  DeploymentListSchema,
  DeploymentSchema,
  IntentParams,
  PolicyIntentListSchema,
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
          summary: 'Prepare a vault deployment',
          description:
            'For owners with a treasury-owner wallet. Returns the transaction that this wallet ' +
            'signs and sends; then confirm the intent with its hash.',
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
          summary: 'Confirm a vault deployment',
          description:
            'For owners. Submits the hash of the deployment transaction. The intent settles once ' +
            'the transaction is final; read `state` and `failureCode`.',
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
    await app.register(intentListRoutes(ctx))
  }

const policyRoutes =
  (ctx: IntentContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/vaults/:vaultId/policy-intents/prepare`,
      {
        schema: {
          operationId: 'preparePolicy',
          summary: 'Prepare a policy',
          description:
            'For owners. Returns the transaction that the owner of the vault signs and sends, ' +
            'and the changes from the current policy; then confirm the intent with its hash.',
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
          summary: 'Confirm a policy',
          description:
            'For owners. Submits the hash of the policy transaction. The intent settles once the ' +
            'transaction is final; read `state` and `failureCode`.',
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

    await app.register(syncRoutes(ctx))
  }

const intentListRoutes =
  (ctx: IntentContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/vault-deployments`,
      {
        schema: {
          operationId: 'listVaultDeployments',
          summary: 'List vault deployments',
          description:
            'For owners and managers. Prepared deployments with their transactions, newest ' +
            'first, to continue one that was prepared or submitted elsewhere.',
          tags: ['treasury'],
          params: OrganizationParams,
          querystring: PageQuery,
          response: answers(200, DeploymentListSchema, [400, 401, 403]),
          'x-extension': true,
        },
      },
      async (request) => {
        const input = { member: memberOf(request), page: readPage(request.query) }
        const { items, nextCursor } = await readDeployments(ctx, input)
        return { vaultDeployments: items, nextCursor }
      },
    )

    app.get(
      `${org}/vaults/:vaultId/policy-intents`,
      {
        schema: {
          operationId: 'listPolicyIntents',
          summary: 'List policy intents',
          description:
            'For owners and managers. Prepared policies of a vault with their transactions, ' +
            'newest first, to continue one that was prepared or submitted elsewhere.',
          tags: ['treasury'],
          params: VaultParams,
          querystring: PageQuery,
          response: answers(200, PolicyIntentListSchema, [400, 401, 403, 404]),
          'x-extension': true,
        },
      },
      async (request) => {
        const { vaultId } = request.params
        const input = { member: memberOf(request), vaultId, page: readPage(request.query) }
        const { items, nextCursor } = await readPolicyIntents(ctx, input)
        return { policyIntents: items, nextCursor }
      },
    )
  }

const syncRoutes =
  (ctx: IntentContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/policies/sync`,
      {
        schema: {
          operationId: 'syncPolicy',
          summary: 'Sync a policy',
          description:
            'For owners and managers. Returns the policy that a transaction on chain configured. ' +
            'Answers 409 until the service has read it; try again.',
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
