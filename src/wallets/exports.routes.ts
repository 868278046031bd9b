/** The export ceremony: the same operations in both realms. */
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

const names = { consumer: 'Consumer', admin: 'Operator' } as const

const realmRoutes =
  (ctx: ExportRoutesContext, realm: Realm): FastifyPluginAsyncTypebox =>
  async (app) => {
    const path = `/v1/${realm}/wallets/:walletId/export-requests`

    app.post(
      path,
      {
        schema: {
          operationId: `request${names[realm]}Export`,
          summary: 'Begin to export a wallet: names the key that it will be sealed to',
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

    app.post(
      `${path}/:requestId/complete`,
      {
        schema: {
          operationId: `complete${names[realm]}Export`,
          summary: 'Prove who asks, and get the key, sealed to the recipient; once',
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
          operationId: `cancel${names[realm]}Export`,
          summary: 'Take an export request back',
          tags: ['wallets'],
          params: ExportParams,
          response: answers(204, Type.Null({ description: 'It is over' }), [401, 403]),
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
