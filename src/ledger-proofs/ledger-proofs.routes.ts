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
const onlyOutsideProduction = { non_production_only: 'This deployment runs in production.' }

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
            'For operators, outside production only. Builds the transaction or the typed data ' +
            'that the hardware wallet signs, as `intentJson`, from stored data. Sign nothing ' +
            "yet: `POST …/{id}/claim` comes next. It is recorded in the organization's audit " +
            'trail.',
          tags,
          params: OrganizationParams,
          body: PrepareProofBody,
          response: answers(201, record, [400, 403], {
            ...onlyOutsideProduction,
            validation_failed:
              'A field that this kind needs is missing, is wrong for the vault or payment, or ' +
              'does not match this page.',
            forbidden:
              'The organization, vault or payment does not exist, or the vault is unverified or ' +
              'archived.',
          }),
        },
      },
      async (request, reply) => {
        const { organizationId } = request.params
        const input = { actor: operatorOf(request), organizationId, request: request.body }
        return reply.code(201).send(await prepareProof(ctx, input))
      },
    )

    await readRoutes(ctx)(app, {})
    await claimRoutes(ctx)(app, {})
  }

const readRoutes =
  (ctx: ProofRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      proofs,
      {
        schema: {
          operationId: 'listLedgerProofs',
          summary: 'List ledger proofs',
          description:
            "For operators, outside production only. An organization's proofs, newest first. The " +
            "read is recorded in the organization's audit trail.",
          'x-extension': true,
          tags,
          params: OrganizationParams,
          querystring: PageQuery,
          response: answers(200, LedgerProofListSchema, [400, 401, 403, 404], {
            ...onlyOutsideProduction,
            not_found: 'There is no such organization.',
          }),
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
          description:
            'For operators, outside production only. Shows what to sign, who claimed it and what ' +
            "the last confirmation found. The read is recorded in the organization's audit trail.",
          tags,
          params: ProofParams,
          response: answers(200, record, [403, 404], {
            ...onlyOutsideProduction,
            not_found: 'The organization has no such proof.',
          }),
        },
      },
      async (request) => readProof(ctx, proofKeyOf(request)),
    )
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
            'For operators, outside production only. Only one operator can claim a proof, and ' +
            'only they can confirm it. Sign the intent on the device now, send a transaction ' +
            'from your own wallet software, and submit its hash with `POST …/{id}/confirm`. It ' +
            "is recorded in the organization's audit trail.",
          tags,
          params: ProofParams,
          response: answers(200, record, [403, 409], {
            ...onlyOutsideProduction,
            forbidden: 'The organization has no such proof.',
            state_conflict: 'The proof was already claimed. Prepare another one.',
          }),
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
            'For the operator who claimed it, outside production only. Looks the hash up on the ' +
            'chain, for two seconds at most: the proof is `confirmed` or `failed` once the ' +
            'transaction is final, and stays `claimed` until then, so repeat the request. ' +
            'Repeating it after the end with the same hash changes nothing. The outcome is ' +
            "recorded in the organization's audit trail.",
          tags,
          params: ProofParams,
          body: ConfirmProofBody,
          response: answers(200, record, [403], {
            ...onlyOutsideProduction,
            forbidden: 'The organization has no such proof, or another operator has claimed it.',
            invalid_transition: 'The proof is not claimed yet, or it has ended with another hash.',
            dependency_unavailable: 'The chain or the database does not answer. Retry.',
          }),
        },
      },
      async (request) => confirmProof(ctx, { ...proofKeyOf(request), hash: request.body.hash }),
    )
  }
