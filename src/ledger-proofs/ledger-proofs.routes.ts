/** Routes for proofs that a hardware wallet signs what the service prepares. Not in production. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { operatorOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { AppError } from '#platform/errors.ts'
import { PageQuery, readPage } from '#platform/paging.ts'
import { claimProof } from './claim-proof.ts'
import { confirmProof } from './confirm-proof.ts'
import {
  ConfirmProofBody,
  LedgerProofListSchema,
  LedgerProofSchema,
  PrepareProofBody,
  ProofParams,
} from './ledger-proofs.schema.ts'
import { prepareProof } from './prepare-proof.ts'
import { readProof, readProofs } from './read-proof.ts'

const proofs = '/v1/admin/organizations/:organizationId/integration-proofs/ledger/signatures'
const tags = ['ledger proofs']
const record = component(LedgerProofSchema)

const proofKeyOf = (
  request: FastifyRequest<{ Params: { organizationId: string; id: string } }>,
) => ({
  actor: operatorOf(request),
  organizationId: request.params.organizationId,
  proofId: request.params.id,
})

type ProofRoutesContext = Pick<Context, 'db' | 'observerDb' | 'clock' | 'ids' | 'chain' | 'config'>

export const ledgerProofRoutes =
  (ctx: ProofRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    // Runs after the access guard and before path and body are parsed.
    app.addHook('onRequest', async () => {
      if (ctx.config.production) throw new AppError('non_production_only')
    })

    app.post(
      proofs,
      {
        schema: {
          operationId: 'prepareLedgerProof',
          summary: 'Prepare a ledger proof',
          description:
            'For operators, outside production only. Returns the transaction or typed data that ' +
            'the hardware wallet signs.',
          tags,
          params: OrganizationParams,
          body: PrepareProofBody,
          response: answers(201, record, [400, 403]),
        },
      },
      async (request, reply) => {
        const { organizationId } = request.params
        const input = { actor: operatorOf(request), organizationId, request: request.body }
        return reply.code(201).send(await prepareProof(ctx, input))
      },
    )

    app.get(
      proofs,
      {
        schema: {
          operationId: 'listLedgerProofs',
          summary: 'List ledger proofs',
          description:
            "For operators, outside production only. An organization's proofs, newest first.",
          'x-extension': true,
          tags,
          params: OrganizationParams,
          querystring: PageQuery,
          response: answers(200, LedgerProofListSchema, [400, 401, 403, 404]),
        },
      },
      async (request) => {
        const { organizationId } = request.params
        const input = { actor: operatorOf(request), organizationId, page: readPage(request.query) }
        const { items, nextCursor } = await readProofs(ctx, input)
        return { proofs: items, nextCursor }
      },
    )

    app.get(
      `${proofs}/:id`,
      {
        schema: {
          operationId: 'getLedgerProof',
          summary: 'Get a ledger proof',
          description: 'For operators, outside production only.',
          tags,
          params: ProofParams,
          response: answers(200, record, [403, 404]),
        },
      },
      async (request) => readProof(ctx, proofKeyOf(request)),
    )

    await app.register(claimRoutes(ctx))
  }

const claimRoutes =
  (ctx: ProofRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${proofs}/:id/claim`,
      {
        schema: {
          operationId: 'claimLedgerProof',
          summary: 'Claim a ledger proof',
          description:
            'For operators, outside production only. Answers 409 if it is already claimed.',
          tags,
          params: ProofParams,
          response: answers(200, record, [403, 409]),
        },
      },
      async (request) => claimProof(ctx, proofKeyOf(request)),
    )

    app.post(
      `${proofs}/:id/confirm`,
      {
        schema: {
          operationId: 'confirmLedgerProof',
          summary: 'Confirm a ledger proof',
          description:
            'For the operator who claimed it, outside production only. Submits the hash; the ' +
            'chain decides whether the proof is confirmed or failed.',
          tags,
          params: ProofParams,
          body: ConfirmProofBody,
          response: answers(200, record, [403]),
        },
      },
      async (request) => confirmProof(ctx, { ...proofKeyOf(request), hash: request.body.hash }),
    )
  }
