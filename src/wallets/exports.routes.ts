/** Routes for the two-step key export, identical in both realms. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { callerOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import type { Realm } from '#platform/config/config.ts'
import { completeExport } from './complete-export.ts'
import { cancelExport } from './end-export.ts'
import type { ExportContext } from './move-export.ts'
import { requestExport } from './request-export.ts'
import { holderOf, requireOrganization } from './wallets.routes.ts'
import {
  CompletedExportSchema,
  CompleteExportBody,
  ExportParams,
  RequestExportBody,
  RequestedExportSchema,
  WalletParams,
} from './wallets.schema.ts'

type ExportRoutesContext = ExportContext & Pick<Context, 'observerDb'>

const infixes = { consumer: '', admin: 'Admin' } as const

const pathOf = (realm: Realm) => `/v1/${realm}/wallets/:walletId/export-requests`

const realmRoutes =
  (ctx: ExportRoutesContext, realm: Realm): FastifyPluginAsyncTypebox =>
  async (app) => {
    const path = pathOf(realm)

    app.post(
      path,
      {
        schema: {
          operationId: `request${infixes[realm]}WalletExport`,
          summary: 'Request a wallet export',
          description:
            'Names the recipient key that the private key will be sealed to, and returns the ' +
            'payload to sign. Cancels an earlier pending request for the wallet.',
          tags: ['wallets'],
          params: WalletParams,
          body: RequestExportBody,
          response: answers(201, component(RequestedExportSchema), [401, 403, 404, 429, 503]),
        },
      },
      async (request, reply) => {
        const holder = holderOf(request)
        const { recipientPublicKey, organizationId: given } = request.body
        const organizationId = await requireOrganization(ctx, holder, given)
        const { walletId } = request.params
        const input = { holder, walletId, organizationId, recipientPublicKey }
        return reply.code(201).send(await requestExport(ctx, input))
      },
    )

    await app.register(completionRoutes(ctx, realm))
  }

const completionRoutes =
  (ctx: ExportRoutesContext, realm: Realm): FastifyPluginAsyncTypebox =>
  async (app) => {
    const path = pathOf(realm)

    app.post(
      `${path}/:requestId/complete`,
      {
        schema: {
          operationId: `complete${infixes[realm]}WalletExport`,
          summary: 'Complete a wallet export',
          description:
            'Verifies the signature and a fresh two-factor assertion, and returns the private ' +
            'key sealed to the recipient key. Works once; three failures lock it for a day.',
          tags: ['wallets'],
          params: ExportParams,
          body: CompleteExportBody,
          response: answers(200, component(CompletedExportSchema), [401, 403, 409, 503]),
        },
      },
      async (request, reply) => {
        const { issuer, subject } = callerOf(request)
        const holder = { ...holderOf(request), issuer, subject }
        const completed = await completeExport(ctx, { holder, ...request.params, ...request.body })
        reply.header('cache-control', 'no-store')
        return completed
      },
    )

    app.post(
      `${path}/:requestId/cancel`,
      {
        schema: {
          operationId: `cancel${infixes[realm]}WalletExport`,
          summary: 'Cancel a wallet export',
          description: 'Leaves a request unchanged that has ended or is being completed.',
          tags: ['wallets'],
          params: ExportParams,
          response: answers(
            204,
            Type.Null({ description: 'The request is no longer pending' }),
            [401, 403],
          ),
        },
      },
      async (request, reply) => {
        await cancelExport(ctx, { holder: holderOf(request), ...request.params })
        return reply.code(204).send(null)
      },
    )
  }

export const exportRoutes =
  (ctx: ExportRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    await app.register(realmRoutes(ctx, 'consumer'))
    await app.register(realmRoutes(ctx, 'admin'))
  }
