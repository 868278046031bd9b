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
      ? await db.transaction({ organizationId, accountId }, (tx) =>
          findActiveMembership(tx, { organizationId, accountId, walletRole: undefined }),
        )
      : await findOrganizationName(observerDb, organizationId)
  if (!isAllowed) throw new AppError('forbidden')
  return organizationId
}

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
          description: 'Wallets of the calling account, newest first.',
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
            'The wallet provider holds its key. Repeating an idempotency key with the same body ' +
            'returns the same wallet.',
          tags: ['wallets'],
          body: CreateWalletBody,
          response: answers(201, component(WalletSchema), [400, 401, 403, 503]),
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
    await app.register(realmRoutes(ctx, 'consumer'))
    await app.register(realmRoutes(ctx, 'admin'))
  }
