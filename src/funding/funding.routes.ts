/** Routes of funding controls, funding actions and the funding signer. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { memberOf } from '#access/guard.ts'
import { sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { PageQuery, readPage } from '#platform/paging.ts'
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

/** Sets the Link header of the next page (RFC 8288), because the body is a bare list. */
function linkNext(reply: FastifyReply, path: string, nextCursor: string | null, limit: number) {
  if (nextCursor === null) return
  reply.header('link', `<${path}?limit=${limit}&cursor=${nextCursor}>; rel="next"`)
}

export const fundingRoutes =
  (ctx: FundingRequestContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    await app.register(signerRoutes(ctx))
    await app.register(actionRoutes(ctx))
  }

const signerRoutes =
  (ctx: FundingRequestContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/vaults/:vaultId/funding-control`,
      {
        schema: {
          operationId: 'getFundingControl',
          summary: 'Get the funding control of a vault',
          description: 'What the funding signer may do for this vault; null before it is attached.',
          tags: ['funding'],
          params: VaultParams,
          response: answers(200, Type.Union([control, NoControl]), [401, 403, 404]),
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
            "Owners. Binds the provider's signer and policy to this vault and reads both back.",
          tags: ['funding'],
          params: VaultParams,
          body: AttachControlBody,
          response: answers(200, control, [401, 403, 404, 409, 503]),
        },
      },
      async (request) => {
        const { providerPolicyId: policyId, signerId } = request.body
        const { vaultId } = request.params
        return attachControl(ctx, { actor: memberOf(request), vaultId, signerId, policyId })
      },
    )

    app.get(
      `${org}/provider-signer`,
      {
        schema: {
          operationId: 'getProviderSigner',
          summary: 'Get the funding signer',
          description: "The provider's signer for the default vault, and what blocks it.",
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
            'Deposits and negative tests, newest first. The Link header leads to the next page.',
          tags: ['funding'],
          params: OrganizationParams,
          querystring: PageQuery,
          response: answers(200, Type.Array(action), [401, 403]),
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

    app.post(
      `${org}/provider-funding-actions`,
      {
        schema: {
          operationId: 'requestFundingAction',
          summary: 'Request a deposit or negative test',
          description:
            "Owners. The provider's signer deposits into the default vault, or is asked for a " +
            'withdrawal that its policy must deny.',
          tags: ['funding'],
          params: OrganizationParams,
          body: RequestActionBody,
          response: answers(202, action, [400, 401, 403, 409, 503]),
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

    app.get(
      `${org}/provider-funding-actions/:actionId`,
      {
        schema: {
          operationId: 'getFundingAction',
          summary: 'Get a funding action',
          tags: ['funding'],
          params: ActionParams,
          response: answers(200, action, [401, 403, 404]),
        },
      },
      async (request) =>
        readAction(ctx, { member: memberOf(request), actionId: request.params.actionId }),
    )
  }
