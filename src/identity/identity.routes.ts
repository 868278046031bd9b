/** Sessions and `me` in both realms. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { accountOf, type Caller, callerOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import { listPendingMemberships } from '#organizations/joining.store.ts'
import { type AccountMembership, listAccountMemberships } from '#organizations/members.store.ts'
import { type Page, readPage, toPaged } from '#platform/paging.ts'
import { listAccountWallets } from '#wallets/wallets.store.ts'
import type { OperatorAccount } from './accounts.store.ts'
import {
  AdminSessionBody,
  AdminSessionSchema,
  ConsumerSessionBody,
  ConsumerSessionSchema,
  MembershipListSchema,
  MembershipQuery,
  ProfileBody,
} from './identity.schema.ts'
import { openSession } from './open-session.ts'
import { findDisplayName } from './profiles.store.ts'
import { renameAccount } from './rename-account.ts'
import { requireSameHolder } from './same-holder.ts'

type IdentityContext = Pick<Context, 'db' | 'clock' | 'ids' | 'identity'>

/** The largest page. An account with more reads the others with `listMemberships`. */
const MEMBERSHIPS_SHOWN = readPage({ limit: 200 })

const pageOfMemberships = (rows: readonly AccountMembership[], { limit }: Page) =>
  toPaged(rows, { limit, idOf: ({ id }) => id })

async function consumerView(
  { db }: IdentityContext,
  { id, status }: { id: string; status: 'active' | 'disabled' },
) {
  return db.read({ accountId: id }, async (reader) => {
    const page = MEMBERSHIPS_SHOWN
    const pending = await listPendingMemberships(reader, { accountId: id, limit: page.limit })
    const rows = await listAccountMemberships(reader, { accountId: id, page })
    const { items, nextCursor } = pageOfMemberships(rows, page)
    return {
      account: { id, status, displayName: await findDisplayName(reader, id) },
      wallets: await listAccountWallets(reader, id),
      memberships: items,
      membershipsNextCursor: nextCursor,
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
            'For anybody with an access token of the consumer realm. The first call creates the ' +
            'account; every call links the wallets that the ID token names and stores its name ' +
            'and verified e-mail address. Wallets that the ID token no longer names stay linked, ' +
            'and wallets that their holder unlinked stay unlinked. Call it after each sign-in, ' +
            'then create an organization with `POST /v1/consumer/organizations` or accept an ' +
            'invitation.',
          tags: ['identity'],
          body: ConsumerSessionBody,
          response: answers(200, component(ConsumerSessionSchema), [401, 409], {
            unauthenticated:
              'The access token or the ID token is not valid, or they belong to different people.',
            account_disabled: 'The account is disabled. Ask support to enable it.',
            wallet_conflict:
              'A wallet in the ID token is linked to another account. Unlink it there.',
          }),
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
          description:
            'For every account, even a disabled one. Returns its wallets and memberships, and ' +
            'changes nothing. Applications use `memberships` to offer the organizations and the ' +
            "caller's role in each.",
          tags: ['identity'],
          response: answers(200, component(ConsumerSessionSchema), [401]),
        },
      },
      async (request) => consumerView(ctx, accountOf(request)),
    )

    await profileRoutes(ctx)(app, {})
    await membershipRoutes(ctx)(app, {})
    await operatorRoutes(ctx)(app, {})
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
            'For every active account. Sets the name that members of the same organizations and ' +
            'operators see, beside the account id. It overrides the name in the ID token; null ' +
            'removes it, and the name in the ID token is shown again. The audit trail records ' +
            'that the name changed, but not the name.',
          'x-extension': true,
          tags: ['identity'],
          body: ProfileBody,
          response: answers(200, component(ConsumerSessionSchema), [400, 401, 403], {
            validation_failed:
              '`displayName` is missing, too long, not one line, or has no visible character.',
          }),
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

const membershipRoutes =
  (ctx: IdentityContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/consumer/memberships',
      {
        schema: {
          operationId: 'listMemberships',
          summary: 'List memberships of the calling account',
          description:
            'For every account, even a disabled one. All its memberships by page, newest first, ' +
            'revoked ones included. `GET /v1/consumer/me` already has the newest 200. With ' +
            '`organizationId`, only those in that organization.',
          'x-extension': true,
          tags: ['identity'],
          querystring: MembershipQuery,
          response: answers(200, MembershipListSchema, [400, 401]),
        },
      },
      async (request) => {
        const { id: accountId } = accountOf(request)
        const { organizationId, ...query } = request.query
        const page = readPage(query)
        const rows = await ctx.db.read({ accountId }, (reader) =>
          listAccountMemberships(reader, { accountId, organizationId, page }),
        )
        const { items, nextCursor } = pageOfMemberships(rows, page)
        return { memberships: items, nextCursor }
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
          description:
            'For active operators, who are granted on the command line. Returns the calling ' +
            'operator and changes nothing. With `identityToken`, also checks that the ID token ' +
            'belongs to the same person.',
          tags: ['identity'],
          body: AdminSessionBody,
          response: answers(200, component(AdminSessionSchema), [401, 403], {
            unauthenticated:
              'The access token or the ID token is not valid, or they belong to different people.',
          }),
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
          description:
            'For active operators. Applications call it to find out whether the signed-in person ' +
            'may use the operator console. Changes nothing.',
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
