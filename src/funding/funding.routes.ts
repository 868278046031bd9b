/** Routes of funding controls, funding actions and the funding signer. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { memberOf } from '#access/guard.ts'
import { sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { PageQuery, readPage } from '#platform/paging.ts'
import { Type } from '#platform/schema.ts'
import { lowerCased } from '#platform/values.ts'
import { VaultParams } from '#treasury/treasury.schema.ts'
import {
  ActionParams,
  AttachControlBody,
  FundingActionSchema,
  FundingControlSchema,
  NoControl,
  ProviderSignerSchema,
  RequestActionBody,
} from './funding.schema.ts'
import type { FundingRequestContext } from './funding-provider.ts'
import { readAction, readActions, readControl, readSigner } from './read-funding.ts'
import { requestAction } from './request-action.ts'
import { attachControl } from './request-control.ts'

const org = '/v1/consumer/organizations/:organizationId'
const control = component(FundingControlSchema)
const action = component(FundingActionSchema)
const actions = {
  ...Type.Array(action),
  headers: {
    Link: Type.String({
      description: 'The address of the next page, as `<…>; rel="next"`. Absent on the last page.',
      'x-extension': true,
    }),
  },
}

const attachErrors = {
  not_found: 'The organization has no such vault.',
  vault_archived: 'The vault is archived.',
  vault_unverified:
    'The vault is not verified, or the chain shows other data than our record of it.',
  treasury_owner_required:
    'No server wallet of the organization has the role `treasury_owner`. Assign it first.',
  state_conflict:
    "The wallet serves another vault, the vault's owner was linked too recently, or another " +
    'request came first.',
  dependency_unavailable:
    'The wallet provider, the chain or a worker does not answer, or no provider is configured.',
}

const requestErrors = {
  validation_failed: 'A field does not match this page, or a deposit has the amount 0.',
  signer_not_ready:
    'The default vault has no usable control, its policy has expired, or the token approval is ' +
    'too low.',
  vault_unverified: 'The default vault is not verified.',
  treasury_owner_required: "The signer's wallet is no longer a treasury owner. Attach it again.",
  policy_violation: 'The deposit is larger than `maxAmountBaseUnits` of the control.',
  insufficient_funds: 'The wallet holds fewer tokens than the amount. Send it more first.',
  transaction_mismatch:
    '`approvalTransactionHash` is not final yet, or not an approval of this amount for the vault.',
  transaction_failed: 'The token approval was reverted on the chain.',
  state_conflict: 'A deposit of this wallet is in progress. Wait until it has ended.',
  idempotency_key_reused: '`idempotencyKey` was used with another body.',
  idempotency_in_progress: 'The first request with this `idempotencyKey` is still running.',
  dependency_unavailable: 'The chain does not answer, or no wallet provider is configured.',
}

/** Sets the Link header of the next page (RFC 8288), because the body is a bare list. */
function linkNext(reply: FastifyReply, path: string, nextCursor: string | null, limit: number) {
  if (nextCursor === null) return
  reply.header('link', `<${path}?limit=${limit}&cursor=${nextCursor}>; rel="next"`)
}

export const fundingRoutes =
  (ctx: FundingRequestContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    await controlRoutes(ctx)(app, {})
    await signerRoutes(ctx)(app, {})
    await actionRoutes(ctx)(app, {})
    await requestRoutes(ctx)(app, {})
  }

const controlRoutes =
  (ctx: FundingRequestContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/vaults/:vaultId/funding-control`,
      {
        schema: {
          operationId: 'getFundingControl',
          summary: 'Get the funding control of a vault',
          description:
            'For owners and managers. What the funding signer may do for this vault: the ' +
            'attached control, or else the newest one in any state. `null` if no signer was ever ' +
            'attached; an owner attaches one with `POST …/funding-control`.',
          tags: ['funding'],
          params: VaultParams,
          response: answers(200, Type.Union([control, NoControl]), [401, 403, 404], {
            not_found: 'The organization has no such vault.',
          }),
        },
      },
      async (request, reply) => {
        const { vaultId } = request.params
        const found = await readControl(ctx, { member: memberOf(request), vaultId })
        if (found) return found
        // Fastify sends a plain null as an empty body.
        return reply
          .type('application/json')
          .serializer(() => 'null')
          .send({} as never)
      },
    )

    app.post(
      `${org}/vaults/:vaultId/funding-control`,
      {
        schema: {
          operationId: 'attachFundingControl',
          summary: 'Attach a funding signer to a vault',
          description:
            "For owners. Binds the wallet provider's signer and policy to a server wallet, so " +
            'that it may only deposit into this vault, and reads both back from the provider. ' +
            'Check `attachmentState` in the answer: only `verified` can deposit, and ' +
            '`failureCode` says what to correct. Repeat the request to continue after a failure; ' +
            'a new control replaces the one before. Next: `POST …/provider-funding-actions`.',
          tags: ['funding'],
          params: VaultParams,
          body: AttachControlBody,
          response: answers(200, control, [401, 403, 404, 409, 503], attachErrors),
        },
      },
      async (request) => {
        const { providerPolicyId: policyId, signerId } = request.body
        const { vaultId } = request.params
        return attachControl(ctx, { actor: memberOf(request), vaultId, signerId, policyId })
      },
    )
  }

const signerRoutes =
  (ctx: FundingRequestContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/provider-signer`,
      {
        schema: {
          operationId: 'getProviderSigner',
          summary: 'Get the funding signer',
          description:
            "For owners and managers. The wallet provider's signer for the default vault: the " +
            'ids that `POST …/vaults/{vaultId}/funding-control` needs, its limits, and in ' +
            '`blockers` what prevents a deposit. It is answered from stored observations, ' +
            'without asking the provider or the chain.',
          tags: ['funding'],
          params: OrganizationParams,
          response: answers(200, component(ProviderSignerSchema), [401, 403]),
        },
      },
      async (request) => readSigner(ctx, { member: memberOf(request) }),
    )
  }

const actionRoutes =
  (ctx: FundingRequestContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/provider-funding-actions`,
      {
        schema: {
          operationId: 'listFundingActions',
          summary: 'List funding actions',
          description:
            'For owners and managers. Deposits and negative tests, newest first, including the ' +
            'negative tests that the service makes by itself. The body is a bare list: if there ' +
            'are more, the `Link` header has the address of the next page with `rel="next"`.',
          tags: ['funding'],
          params: OrganizationParams,
          querystring: PageQuery,
          response: answers(200, actions, [401, 403]),
        },
      },
      async (request, reply) => {
        const page = readPage(request.query)
        const { items, nextCursor } = await readActions(ctx, { member: memberOf(request), page })
        const path = org.replace(':organizationId', request.params.organizationId)
        linkNext(reply, `${path}/provider-funding-actions`, nextCursor, page.limit)
        return items
      },
    )

    app.get(
      `${org}/provider-funding-actions/:actionId`,
      {
        schema: {
          operationId: 'getFundingAction',
          summary: 'Get a funding action',
          description:
            'For owners and managers. Shows how far a deposit or negative test is. While ' +
            '`reconciliationState` is `required`, its outcome is unknown: check it at the ' +
            'provider.',
          tags: ['funding'],
          params: ActionParams,
          response: answers(200, action, [401, 403, 404], {
            not_found: 'The organization has no such funding action.',
          }),
        },
      },
      async (request) =>
        readAction(ctx, { member: memberOf(request), actionId: request.params.actionId }),
    )
  }

const requestRoutes =
  (ctx: FundingRequestContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/provider-funding-actions`,
      {
        schema: {
          operationId: 'requestFundingAction',
          summary: 'Request a deposit or negative test',
          description:
            'For owners. Stores the request and enqueues a job: the funding signer deposits into ' +
            'the default vault, or is asked for a withdrawal that its policy must deny. Poll ' +
            '`GET …/provider-funding-actions/{actionId}`, or follow `integration.changed` ' +
            'events, until `state` is `confirmed`, `denied` or `failed`. A negative test that is ' +
            'not denied fails the control, and the signer is detached. Repeating a request with ' +
            'its `idempotencyKey` returns the first answer.',
          tags: ['funding'],
          params: OrganizationParams,
          body: RequestActionBody,
          response: answers(202, action, [400, 401, 403, 409, 503], requestErrors),
        },
      },
      async (request, reply) => {
        const { idempotencyKey, ...body } = request.body
        const { approvalTransactionHash: hash } = body
        const answer = await requestAction(ctx, {
          actor: memberOf(request),
          action: body.action,
          amount: BigInt(body.amountBaseUnits),
          idempotencyKey: idempotencyKey.toLowerCase(),
          approvalTransactionHash: hash === undefined ? null : lowerCased(hash),
          body,
        })
        return reply.code(202).send(sendAnswer(reply, answer))
      },
    )
  }
