/** Proofs that a hardware wallet signs what the service prepares. Outside production only. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { operatorOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { AppError } from '#platform/errors.ts'
import { claimProof } from './claim-proof.ts'
import { confirmProof } from './confirm-proof.ts'
import {
  ConfirmProofBody,
  LedgerProofSchema,
  PrepareProofBody,
  ProofParams,
} from './ledger-proofs.schema.ts'
import { prepareProof } from './prepare-proof.ts'
import { readProof } from './read-proof.ts'

const proofs = '/v1/admin/organizations/:organizationId/integration-proofs/ledger/signatures'
const tags = ['ledger proofs']
const record = component(LedgerProofSchema)

const whichOf = (request: FastifyRequest<{ Params: { organizationId: string; id: string } }>) => ({
  actor: operatorOf(request),
  organizationId: request.params.organizationId,
  proofId: request.params.id,
})

type ProofRoutesContext = Pick<Context, 'db' | 'observerDb' | 'clock' | 'ids' | 'chain' | 'config'>

export const ledgerProofRoutes =
  (ctx: ProofRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    // After the guard, and before path and body are even looked at.
    app.addHook('onRequest', async () => {
      if (ctx.config.production) throw new AppError('non_production_only')
    })

    app.post(
      proofs,
      {
        schema: {
          operationId: 'prepareLedgerProof',
          summary: 'What a hardware wallet is to sign; outside production only',
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
      `${proofs}/:id`,
      {
        schema: {
          operationId: 'getLedgerProof',
          summary: 'A proof and how far it is; outside production only',
          tags,
          params: ProofParams,
          response: answers(200, record, [403, 404]),
        },
      },
      async (request) => readProof(ctx, whichOf(request)),
    )

    app.post(
      `${proofs}/:id/claim`,
      {
        schema: {
          operationId: 'claimLedgerProof',
          summary: 'Take a proof in hand, alone; outside production only',
          tags,
          params: ProofParams,
          response: answers(200, record, [403, 409]),
        },
      },
      async (request) => claimProof(ctx, whichOf(request)),
    )

    app.post(
      `${proofs}/:id/confirm`,
      {
        schema: {
          operationId: 'confirmLedgerProof',
          summary: 'Say which hash came of it; outside production only',
          tags,
          params: ProofParams,
          body: ConfirmProofBody,
          response: answers(200, record, [403]),
        },
      },
      async (request) => confirmProof(ctx, { ...whichOf(request), hash: request.body.hash }),
    )
  }
