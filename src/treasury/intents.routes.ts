/** Routes that prepare, confirm and sync vault deployments and policies. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { IdempotencyHeaders, idempotentRequest, sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { PageQuery, readPage } from '#platform/paging.ts'
import type { Static } from '#platform/schema.ts'
import { confirmDeployment, confirmPolicy } from './confirm-intent.ts'
import { prepareDeployment } from './deploy-vault.ts'
import {
  ConfirmBody,
  DeploymentListSchema,
  DeploymentSchema,
  IntentParams,
  PolicyIntentListSchema,
  PolicyIntentSchema,
  PreparePolicyBody,
  SyncPolicyBody,
  VaultIntentParams,
} from './intents.schema.ts'
import { fromStoredTiers } from './policy-limits.ts'
import { readDeployments, readPolicyIntents } from './read-intents.ts'
import { type PreparePolicy, preparePolicy } from './set-policy.ts'
import { syncPolicy } from './sync-policy.ts'
import { PolicySchema, PrepareDeploymentBody, VaultParams } from './treasury.schema.ts'

const org = '/v1/consumer/organizations/:organizationId'

const OTHER_TRANSACTION = 'The intent already has another transaction. Prepare a new intent.'

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
            'For owners who have a wallet with the role `treasury_owner`. Returns the ' +
            'transaction that this wallet signs and sends; the service never holds its key. ' +
            'Nothing changes on chain until it is sent. Then submit its hash with `POST ' +
            '…/vault-deployments/{intentId}/confirm`.',
          tags: ['treasury'],
          params: OrganizationParams,
          headers: IdempotencyHeaders,
          body: PrepareDeploymentBody,
          response: answers(201, component(DeploymentSchema), [400, 401, 403, 409], {
            treasury_owner_required:
              'No wallet of the caller has the role `treasury_owner`, or only a server wallet ' +
              'has it.',
          }),
        },
      },
      async (request, reply) => {
        const { label, changeDelaySeconds = 0 } = request.body
        const input = {
          actor: memberOf(request),
          label,
          changeDelaySeconds,
          request: idempotentRequest(request),
        }
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
            'For owners. Submits the hash of the transaction that the wallet has sent. The ' +
            'answer waits up to two seconds; after that a job polls until the transaction is ' +
            'final, and `GET …/vault-deployments` shows the outcome. A confirmed deployment adds ' +
            'a verified vault: next, prepare its policy. After `transaction_not_found` another ' +
            'hash may be submitted.',
          tags: ['treasury'],
          params: IntentParams,
          body: ConfirmBody,
          response: answers(200, component(DeploymentSchema), [400, 401, 403, 404, 409], {
            not_found: 'The organization has no such vault deployment.',
            state_conflict: OTHER_TRANSACTION,
          }),
        },
      },
      async (request) => {
        const { intentId } = request.params
        return confirmDeployment(ctx, { actor: memberOf(request), intentId, ...request.body })
      },
    )

    await policyRoutes(ctx)(app, {})
    await intentListRoutes(ctx)(app, {})
  }

const policyErrors = {
  validation_failed:
    'A field does not match this page, the caps or tiers are out of order, a period lacks a cap, ' +
    'or `expiresAt` is in the past.',
  not_found: 'The organization has no such vault.',
  vault_archived: 'The vault is archived.',
  vault_unverified: 'The vault is not verified yet, or it is disabled.',
  executor_not_ready: 'There is no active executor. Call `POST …/executor/provision` first.',
  policy_violation:
    'No vault accepts these approvers, recipients or executor, a server wallet could sign, a ' +
    'tier asks for more approvers than there are, or the lifetime cap is below what was paid.',
} as const

const confirmErrors = {
  not_found: 'The vault has no such policy intent.',
  state_conflict: OTHER_TRANSACTION,
} as const

const amountOrOff = (given: string | null | undefined): bigint | null | undefined =>
  typeof given === 'string' ? BigInt(given) : given

function termsOf(body: Static<typeof PreparePolicyBody>): PreparePolicy['terms'] {
  const { expiresAt, automaticEnabled, paused, periodSeconds, tiers } = body
  return {
    expiresAt,
    automaticEnabled,
    paused,
    approvedCap: BigInt(body.approvedCap),
    automaticCap: BigInt(body.automaticCap),
    lifetimeCap: BigInt(body.lifetimeCap),
    reserveFloor: BigInt(body.reserveFloor),
    periodSeconds,
    periodCap: amountOrOff(body.periodCap),
    automaticPeriodCap: amountOrOff(body.automaticPeriodCap),
    tiers: tiers && fromStoredTiers(tiers),
  }
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
            'For owners. The caller chooses the caps, the expiry and the switches; executor, ' +
            'approvers and recipients are those that are active in the organization now. Returns ' +
            'the transaction that the owner of the vault signs and sends, and `changes` to show ' +
            'before signing. If only recipients change, `kind` is `recipients`: the policy keeps ' +
            'its version, and approvals that wait stay valid. Nothing changes on chain until it ' +
            'is sent. Then submit its hash with `POST …/policy-intents/{intentId}/confirm`.',
          tags: ['treasury'],
          params: VaultParams,
          headers: IdempotencyHeaders,
          body: PreparePolicyBody,
          response: answers(
            201,
            component(PolicyIntentSchema),
            [400, 401, 403, 404, 409],
            policyErrors,
          ),
        },
      },
      async (request, reply) => {
        const answer = await preparePolicy(ctx, {
          actor: memberOf(request),
          vaultId: request.params.vaultId,
          terms: termsOf(request.body),
          request: idempotentRequest(request),
        })
        return reply.code(201).send(sendAnswer(reply, answer))
      },
    )

    await policyConfirmationRoutes(ctx)(app, {})
    await syncRoutes(ctx)(app, {})
  }

const policyConfirmationRoutes =
  (ctx: IntentContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/vaults/:vaultId/policy-intents/:intentId/confirm`,
      {
        schema: {
          operationId: 'confirmPolicy',
          summary: 'Confirm a policy',
          description:
            'For owners. Submits the hash of the transaction that the wallet has sent. The ' +
            'answer waits up to two seconds; after that a job polls until the transaction is ' +
            'final, and `GET …/vaults/{vaultId}/policy-intents` shows the outcome. A new policy ' +
            'voids approvals that were signed under an earlier one. After ' +
            '`transaction_not_found` another hash may be submitted.',
          tags: ['treasury'],
          params: VaultIntentParams,
          body: ConfirmBody,
          response: answers(
            200,
            component(PolicyIntentSchema),
            [400, 401, 403, 404, 409],
            confirmErrors,
          ),
        },
      },
      async (request) => {
        const { vaultId, intentId } = request.params
        const input = { actor: memberOf(request), vaultId, intentId, ...request.body }
        return confirmPolicy(ctx, input)
      },
    )
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
            'first, to continue one that was prepared or submitted on another device: send the ' +
            'transaction of a `prepared` one, or wait for a `submitted` one.',
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
            'newest first, to continue one that was prepared or submitted on another device: ' +
            'send the transaction of a `prepared` one, or wait for a `submitted` one.',
          tags: ['treasury'],
          params: VaultParams,
          querystring: PageQuery,
          response: answers(200, PolicyIntentListSchema, [400, 401, 403, 404], {
            not_found: 'The organization has no such vault.',
          }),
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
            'For owners and managers. Waits up to two seconds until the service has read the ' +
            'policy that a transaction configured on chain, and returns it. It changes nothing: ' +
            'the service reads every policy of a verified vault by itself, whoever sent it.',
          tags: ['treasury'],
          params: OrganizationParams,
          body: SyncPolicyBody,
          response: answers(200, component(PolicySchema), [400, 401, 403, 409], {
            state_conflict:
              'The service has not read the policy yet: retry. It reads only vaults that are ' +
              'registered here.',
            transaction_failed: 'The transaction was reverted.',
            transaction_mismatch: 'The transaction configures no policy.',
          }),
        },
      },
      async (request) => {
        const { chainTransactionHash: transactionHash } = request.body
        return syncPolicy(ctx, { member: memberOf(request), transactionHash })
      },
    )
  }
