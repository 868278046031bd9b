/** Routes for the two-step key export, identical in both realms. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import type { Realm } from '#platform/config/config.ts'
import { Type } from '#platform/schema.ts'
import { completeExport } from './complete-export.ts'
import { cancelExport } from './end-export.ts'
import {
  CompletedExportSchema,
  CompleteExportBody,
  ExportParams,
  RequestExportBody,
  RequestedExportSchema,
} from './exports.schema.ts'
import type { ExportContext } from './move-export.ts'
import { requestExport } from './request-export.ts'
import { holderOf, requireOrganization } from './wallets.routes.ts'
import { WalletParams } from './wallets.schema.ts'

type ExportRoutesContext = ExportContext & Pick<Context, 'observerDb'>

const infixes = { consumer: '', admin: 'Admin' } as const

const NOT_EXPORTABLE = 'The service does not hold the key of the wallet, or it is disabled'

const ORGANIZATION_REFUSED = {
  consumer: `${NOT_EXPORTABLE}, or the caller is no member of \`organizationId\`.`,
  admin: `${NOT_EXPORTABLE}, or \`organizationId\` does not exist.`,
} as const

const PROVIDER_MISSING = "The database or the wallet's provider is unavailable, or not configured."

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
            'For the holder of a server wallet. Names the recipient key that the private key ' +
            'will be sealed to, and returns the payload to sign. Cancels an earlier pending ' +
            'request for the wallet. Next, sign the payload, authenticate again with two ' +
            'factors, and call `POST …/export-requests/{requestId}/complete` within five minutes.',
          tags: ['wallets'],
          params: WalletParams,
          body: RequestExportBody,
          response: answers(201, component(RequestedExportSchema), [401, 403, 404, 429, 503], {
            validation_failed: '`recipientPublicKey` is not a P-256 public key in base64.',
            forbidden: ORGANIZATION_REFUSED[realm],
            not_found: 'The caller has no such wallet, or it is not of `organizationId`.',
            rate_limited:
              'Five requests of the account in an hour, or locked for a day after three failures.',
            dependency_unavailable: PROVIDER_MISSING,
          }),
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

    await completionRoutes(ctx, realm)(app, {})
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
            'For the account that requested the export. Verifies the signature and a fresh ' +
            'two-factor authentication, and returns the private key sealed to the recipient key. ' +
            'A request can be completed once; three failed attempts lock the export of the ' +
            "wallet for a day. The holder and the owners of the wallet's organization are " +
            'notified of an export and of a lock. Decrypt the key on the device that holds the ' +
            'recipient key. The guide has an example, in docs/GUIDE.md.',
          tags: ['wallets'],
          params: ExportParams,
          body: CompleteExportBody,
          response: answers(200, component(CompletedExportSchema), [401, 403, 409, 503], {
            validation_failed: '`recipientPublicKey` is not a P-256 public key in base64.',
            forbidden: 'The account has no such export request for this wallet.',
            fresh_authentication_required:
              'The signature or the two-factor proof is wrong or too old. Three failures lock it.',
            export_unusable:
              'The request has ended or is for another key, or the provider refuses the export.',
            rate_limited: 'Locked for a day after three failures. `Retry-After` says how long.',
            dependency_unavailable:
              'No worker or provider answered. Request a new export if this one has ended.',
          }),
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
          description:
            'For the account that requested the export. Ends a pending request, so that it can ' +
            'no longer be completed. A request that has ended or is being completed stays as it ' +
            'is, and the answer is the same.',
          tags: ['wallets'],
          params: ExportParams,
          response: answers(
            204,
            Type.Null({ description: 'The request is no longer pending' }),
            [401, 403],
            { forbidden: 'The account has no such export request for this wallet.' },
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
    await realmRoutes(ctx, 'consumer')(app, {})
    await realmRoutes(ctx, 'admin')(app, {})
  }
