/** Organizations of the caller; members of one, and the parts their wallets have. */
import { checksummed } from '@countersign/proof/values.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { accountOf, memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import { PageQuery, readPage, toPaged } from '#platform/paging.ts'
import { scopeOf } from './actor.ts'
import { assignWalletRole } from './assign-wallet-role.ts'
import { createOrganization } from './create-organization.ts'
import { joiningRoutes } from './joining.routes.ts'
import { listAccountOrganizations, listMembers } from './members.store.ts'
import {
  MemberListSchema,
  MembershipParams,
  OrganizationBody,
  OrganizationListSchema,
  OrganizationParams,
  OrganizationSchema,
  RevokedMemberSchema,
  RevokedWalletRoleSchema,
  WalletRoleBody,
  WalletRoleParams,
  WalletRoleSchema,
} from './organizations.schema.ts'
import { revokeMember, revokeWalletRole } from './revoke-member.ts'

type RoomContext = Pick<Context, 'db' | 'clock' | 'ids' | 'reactions' | 'config'>

const org = '/v1/consumer/organizations/:organizationId'

export const organizationRoutes =
  (ctx: RoomContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/consumer/organizations',
      {
        schema: {
          operationId: 'listOrganizations',
          summary: 'Organizations the caller is an active member of',
          tags: ['organizations'],
          querystring: PageQuery,
          response: answers(200, OrganizationListSchema, [401]),
        },
      },
      async (request) => {
        const { id: accountId } = accountOf(request)
        const page = readPage(request.query)
        const rows = await ctx.db.transaction({ accountId }, (tx) =>
          listAccountOrganizations(tx, { accountId, page }),
        )
        const { items, nextCursor } = toPaged(rows, {
          limit: page.limit,
          idOf: (row) => row.membershipId,
        })
        return {
          organizations: items.map(({ id, name, role }) => ({ id, name, role })),
          nextCursor,
        }
      },
    )

    app.post(
      '/v1/consumer/organizations',
      {
        schema: {
          operationId: 'createOrganization',
          summary: 'Make an organization; the caller becomes its owner',
          tags: ['organizations'],
          body: OrganizationBody,
          response: answers(201, component(OrganizationSchema), [400, 401]),
        },
      },
      async (request, reply) => {
        const { name } = request.body
        const input = { accountId: accountOf(request).id, requestId: request.id, name }
        return reply.code(201).send(await createOrganization(ctx, input))
      },
    )

    await app.register(memberRoutes(ctx))
  }

const memberRoutes =
  (ctx: RoomContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/members`,
      {
        schema: {
          operationId: 'listMembers',
          summary: 'Members with their wallets and wallet roles',
          tags: ['members'],
          params: OrganizationParams,
          querystring: PageQuery,
          response: answers(200, MemberListSchema, [401, 403]),
        },
      },
      async (request) => {
        const member = memberOf(request)
        const page = readPage(request.query)
        const rows = await ctx.db.transaction(scopeOf(member), (tx) =>
          listMembers(tx, { organizationId: member.organizationId, page }),
        )
        const paged = toPaged(rows, { limit: page.limit, idOf: (row) => row.membershipId })
        return { members: paged.items, nextCursor: paged.nextCursor }
      },
    )

    app.post(
      `${org}/members/:membershipId/revoke`,
      {
        schema: {
          operationId: 'revokeMember',
          summary: 'End a membership, its wallet roles and the invitations it issued',
          'x-extension': true,
          tags: ['members'],
          params: MembershipParams,
          response: answers(200, component(RevokedMemberSchema), [401, 403, 404, 409]),
        },
      },
      async (request) => {
        const { membershipId } = request.params
        return revokeMember(ctx, { actor: memberOf(request), membershipId })
      },
    )

    await app.register(joiningRoutes(ctx))
    await app.register(walletRoleRoutes(ctx))
  }

const walletRoleRoutes =
  (ctx: RoomContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/wallet-roles`,
      {
        schema: {
          operationId: 'assignWalletRole',
          summary: "Give a member's wallet a part in the treasury",
          tags: ['members'],
          params: OrganizationParams,
          body: WalletRoleBody,
          response: answers(201, component(WalletRoleSchema), [400, 401, 403, 409]),
        },
      },
      async (request, reply) => {
        const record = await assignWalletRole(ctx, { actor: memberOf(request), ...request.body })
        return reply.code(201).send(record)
      },
    )

    app.post(
      `${org}/wallet-roles/:walletRoleId/revoke`,
      {
        schema: {
          operationId: 'revokeWalletRole',
          summary: 'Take a wallet role away',
          'x-extension': true,
          tags: ['members'],
          params: WalletRoleParams,
          response: answers(200, component(RevokedWalletRoleSchema), [401, 403, 404, 409]),
        },
      },
      async (request) => {
        const actor = memberOf(request)
        const { walletRoleId } = request.params
        const { state, address, ...role } = await revokeWalletRole(ctx, { actor, walletRoleId })
        return {
          ...role,
          organizationId: actor.organizationId,
          address: checksummed(address ?? ''),
          active: state === 'active',
        }
      },
    )
  }
