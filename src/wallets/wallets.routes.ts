/** Routes for the caller's wallets, identical in both realms. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { accountOf, callerOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import { findActiveMembership, findOrganizationName } from '#organizations/members.store.ts'
import type { Realm } from '#platform/config/config.ts'
import { AppError } from '#platform/errors.ts'
import { PageQuery, readPage } from '#platform/paging.ts'
import { createWallet, type RequestContext } from './create-wallet.ts'
import type { Holder } from './move-wallet.ts'
import { readWallets } from './read-wallets.ts'
import { CreateWalletBody, WalletListSchema, WalletSchema } from './wallets.schema.ts'

type WalletRoutesContext = RequestContext & Pick<Context, 'observerDb'>

export const holderOf = (request: FastifyRequest): Holder => ({
  realm: callerOf(request).realm,
  accountId: accountOf(request).id,
  requestId: request.id,
})

/** A member may name their own organizations, an operator any that exists. */
export async function requireOrganization(
  { db, observerDb }: Pick<Context, 'db' | 'observerDb'>,
  { realm, accountId }: Holder,
  given: string | undefined,
): Promise<string | null> {
  if (given === undefined) return null
  const organizationId = given.toLowerCase()
  const isAllowed =
    realm === 'consumer'
      ? await db.read({ organizationId, accountId }, (reader) =>
          findActiveMembership(reader, { organizationId, accountId, walletRole: undefined }),
        )
      : await findOrganizationName(observerDb, organizationId)
  if (!isAllowed) throw new AppError('forbidden')
  return organizationId
}

const LISTED = {
  consumer:
    'For every active account. Wallets of the calling account, newest first: those that the ' +
    'identity provider named, that a signature linked, and that the wallet provider created.',
  admin:
    'For active operators. Server wallets of the calling operator, newest first. The read is ' +
    'recorded in the audit trail of the service.',
} as const

const HOLDERS = { consumer: 'every active account', admin: 'active operators' } as const

const REFUSED_ORGANIZATION = {
  consumer: 'The caller is no active member of `organizationId`, or it does not exist.',
  admin: '`organizationId` does not exist.',
} as const

const infixes = { consumer: '', admin: 'Admin' } as const

const realmRoutes =
  (ctx: WalletRoutesContext, realm: Realm): FastifyPluginAsyncTypebox =>
  async (app) => {
    const path = `/v1/${realm}/wallets/`

    app.get(
      path,
      {
        schema: {
          operationId: `list${infixes[realm]}Wallets`,
          summary: 'List own wallets',
          description: LISTED[realm],
          tags: ['wallets'],
          querystring: PageQuery,
          response: answers(200, component(WalletListSchema), [401, 403]),
        },
      },
      async (request) => {
        const input = { holder: holderOf(request), page: readPage(request.query) }
        const { items, nextCursor } = await readWallets(ctx, input)
        return { wallets: items, nextCursor }
      },
    )

    app.post(
      path,
      {
        schema: {
          operationId: `create${infixes[realm]}Wallet`,
          summary: 'Create a server wallet',
          description:
            `For ${HOLDERS[realm]}. The wallet provider makes the key and holds it. ` +
            'Repeating `idempotencyKey` with the same body returns the same wallet, and ' +
            'continues a creation that was interrupted. Next, an owner may make a wallet of ' +
            'the organization a `treasury_owner` with `POST …/wallet-roles`; its holder may ' +
            'export the key with `POST …/export-requests`.',
          tags: ['wallets'],
          body: CreateWalletBody,
          response: answers(201, component(WalletSchema), [400, 401, 403, 503], {
            validation_failed:
              'A field does not match this page, or `purpose` has no visible character.',
            idempotency_key_reused: '`idempotencyKey` was used with another body.',
            state_conflict:
              'The account or organization has the most server wallets it may have. Use one.',
            forbidden: REFUSED_ORGANIZATION[realm],
            dependency_unavailable:
              'The wallet is not created yet, or the provider refuses. Retry with the same key.',
          }),
        },
      },
      async (request, reply) => {
        const holder = holderOf(request)
        const { idempotencyKey, ...body } = request.body
        const organizationId = await requireOrganization(ctx, holder, body.organizationId)
        const { purpose, chainType = 'ethereum' } = body
        const input = { holder, organizationId, chainType, purpose, idempotencyKey, body }
        return reply.code(201).send(sendAnswer(reply, await createWallet(ctx, input)))
      },
    )
  }

export const walletRoutes =
  (ctx: WalletRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    await realmRoutes(ctx, 'consumer')(app, {})
    await realmRoutes(ctx, 'admin')(app, {})
  }
