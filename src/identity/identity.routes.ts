/** Sessions and `me` in both realms. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { accountOf, type Caller, callerOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import { listPendingMemberships } from '#organizations/joining.store.ts'
import { listAccountMemberships } from '#organizations/members.store.ts'
import { listAccountWallets } from '#wallets/wallets.store.ts'
import type { OperatorAccount } from './accounts.store.ts'
import {
  AdminSessionBody,
  AdminSessionSchema,
  ConsumerSessionBody,
  ConsumerSessionSchema,
  ProfileBody,
} from './identity.schema.ts'
import { openSession } from './open-session.ts'
import { findDisplayName } from './profiles.store.ts'
import { renameAccount } from './rename-account.ts'
import { requireSameHolder } from './same-holder.ts'

type IdentityContext = Pick<Context, 'db' | 'clock' | 'ids' | 'identity'>

async function consumerView(
  { db }: IdentityContext,
  { id, status }: { id: string; status: 'active' | 'disabled' },
) {
  return db.transaction({ accountId: id }, async (tx) => {
    const pending = await listPendingMemberships(tx, id)
    return {
      account: { id, status, displayName: await findDisplayName(tx, id) },
      wallets: await listAccountWallets(tx, id),
      memberships: await listAccountMemberships(tx, id),
      ...(pending.length > 0 && { pendingMemberships: pending }),
    }
  })
}

const operatorView = ({ id, subject, status, operator }: OperatorAccount) => ({
  account: { id, subject, status },
  role: 'operator' as const,
  active: operator === 'active',
})

export const identityRoutes =
  (ctx: IdentityContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.put(
      '/v1/consumer/session',
      {
        schema: {
          operationId: 'openSession',
          summary: 'Open a consumer session',
          description:
            'Creates the account at the first call and links the wallets that the identity token ' +
            'names. Both tokens must belong to the same person.',
          tags: ['identity'],
          body: ConsumerSessionBody,
          response: answers(200, component(ConsumerSessionSchema), [401, 409]),
        },
      },
      async (request) => {
        const { issuer, subject } = callerOf(request)
        const { identityToken } = request.body
        const input = { issuer, subject, identityToken, requestId: request.id }
        return consumerView(ctx, await openSession(ctx, input))
      },
    )

    app.get(
      '/v1/consumer/me',
      {
        schema: {
          operationId: 'getAccount',
          summary: 'Get the calling account',
          description: 'Its wallets and memberships. A disabled account may call it too.',
          tags: ['identity'],
          response: answers(200, component(ConsumerSessionSchema), [401]),
        },
      },
      async (request) => consumerView(ctx, accountOf(request)),
    )

    await app.register(profileRoutes(ctx))
    await app.register(operatorRoutes(ctx))
  }

const profileRoutes =
  (ctx: IdentityContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.patch(
      '/v1/consumer/me',
      {
        schema: {
          operationId: 'updateAccount',
          summary: 'Choose a display name',
          description:
            'The name that members of the same organizations and operators see. It overrides the ' +
            'name in the ID token; null removes it.',
          'x-extension': true,
          tags: ['identity'],
          body: ProfileBody,
          response: answers(200, component(ConsumerSessionSchema), [400, 401, 403]),
        },
      },
      async (request) => {
        const account = accountOf(request)
        const { displayName } = request.body
        await renameAccount(ctx, { accountId: account.id, requestId: request.id, displayName })
        return consumerView(ctx, account)
      },
    )
  }

const operatorRoutes =
  (ctx: IdentityContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.put(
      '/v1/admin/session',
      {
        config: { optionalBody: true },
        schema: {
          operationId: 'openAdminSession',
          summary: 'Open an operator session',
          description: 'For active operators. Answers 403 for every other account.',
          tags: ['identity'],
          body: AdminSessionBody,
          response: answers(200, component(AdminSessionSchema), [401, 403]),
        },
      },
      async (request) => {
        const { identityToken: token } = request.body
        if (token !== undefined) await requireSameOperator(ctx, callerOf(request), token)
        return operatorView(accountOf(request))
      },
    )

    app.get(
      '/v1/admin/me',
      {
        schema: {
          operationId: 'getAdminAccount',
          summary: 'Get the calling operator',
          tags: ['identity'],
          response: answers(200, component(AdminSessionSchema), [401, 403]),
        },
      },
      async (request) => operatorView(accountOf(request)),
    )
  }

async function requireSameOperator(ctx: IdentityContext, caller: Caller, token: string) {
  const verdict = await ctx.identity.verifyIdentityToken({ realm: 'admin', token })
  requireSameHolder(verdict, caller)
}
