/** Routes for organizations, their members and wallet roles. */
import { checksummed } from '@countersign/proof/values.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { accountOf, memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import { PageQuery, readPage, toPaged } from '#platform/paging.ts'
import { scopeOf } from './actor.ts'
import { assignWalletRole } from './assign-wallet-role.ts'
import { changeRole } from './change-role.ts'
import { createOrganization } from './create-organization.ts'
import { joiningRoutes } from './joining.routes.ts'
import { listAccountOrganizations, listMembers } from './members.store.ts'
import {
  ChangedMemberSchema,
  MemberListSchema,
  MembershipParams,
  OrganizationBody,
  OrganizationListSchema,
  OrganizationParams,
  OrganizationSchema,
  RevokedMemberSchema,
  RevokedWalletRoleSchema,
  RoleBody,
  WalletRoleBody,
  WalletRoleParams,
  WalletRoleSchema,
} from './organizations.schema.ts'
import { renameOrganization } from './rename-organization.ts'
import { leaveOrganization, revokeMember, revokeWalletRole } from './revoke-member.ts'

type OrganizationContext = Pick<Context, 'db' | 'clock' | 'ids' | 'reactions' | 'config'>

const org = '/v1/consumer/organizations/:organizationId'

export const organizationRoutes =
  (ctx: OrganizationContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/consumer/organizations',
      {
        schema: {
          operationId: 'listOrganizations',
          summary: 'List organizations',
          description: 'Organizations of which the caller is an active member, newest first.',
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
          summary: 'Create an organization',
          description: 'The caller becomes its first owner.',
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

    await app.register(renamingRoutes(ctx))
    await app.register(memberRoutes(ctx))
    await app.register(roleRoutes(ctx))
  }

const renamingRoutes =
  (ctx: OrganizationContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.patch(
      org,
      {
        schema: {
          operationId: 'renameOrganization',
          summary: 'Rename an organization',
          description: 'For owners.',
          'x-extension': true,
          tags: ['organizations'],
          params: OrganizationParams,
          body: OrganizationBody,
          response: answers(200, component(OrganizationSchema), [400, 401, 403]),
        },
      },
      async (request) => {
        const { name } = request.body
        return renameOrganization(ctx, { actor: memberOf(request), name })
      },
    )
  }

const roleRoutes =
  (ctx: OrganizationContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/members/:membershipId/role`,
      {
        schema: {
          operationId: 'changeMemberRole',
          summary: 'Change the role of a member',
          description:
            'For owners, who are all notified. There may be several owners; the last one cannot ' +
            'be demoted (409), and a membership that is not active has no role (409). A former ' +
            "owner's `treasury_owner` wallet roles end, and so do open invitations that the new " +
            'role may not send. `notices` names what the change does not affect on chain.',
          'x-extension': true,
          tags: ['members'],
          params: MembershipParams,
          body: RoleBody,
          response: answers(200, component(ChangedMemberSchema), [400, 401, 403, 404, 409]),
        },
      },
      async (request) => {
        const { membershipId } = request.params
        const { role } = request.body
        return changeRole(ctx, { actor: memberOf(request), membershipId, role })
      },
    )

    app.post(
      `${org}/leave`,
      {
        schema: {
          operationId: 'leaveOrganization',
          summary: 'Leave an organization',
          description:
            "Ends the caller's own membership, its wallet roles and its open invitations. " +
            'Answers 409 for the last owner. `notices` names approvers that policies on chain ' +
            'still list.',
          'x-extension': true,
          tags: ['members'],
          params: OrganizationParams,
          response: answers(200, component(RevokedMemberSchema), [401, 403, 409]),
        },
      },
      async (request) => leaveOrganization(ctx, { actor: memberOf(request) }),
    )
  }

const memberRoutes =
  (ctx: OrganizationContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/members`,
      {
        schema: {
          operationId: 'listMembers',
          summary: 'List members',
          description:
            'Active and revoked members with their wallets and wallet roles. Owners also see ' +
            'verified e-mail addresses.',
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
          listMembers(tx, {
            organizationId: member.organizationId,
            page,
            showsEmail: member.role === 'owner',
          }),
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
          summary: 'Revoke a member',
          description:
            'For owners. Ends the membership, its wallet roles and its open invitations. Answers ' +
            '409 for the last owner. `notices` names approvers that policies on chain still list.',
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
  (ctx: OrganizationContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/wallet-roles`,
      {
        schema: {
          operationId: 'assignWalletRole',
          summary: 'Assign a wallet role',
          description:
            'For owners. Makes a wallet of a member a treasury owner or an approver. Answers 409 ' +
            'if the wallet already has the role or cannot hold it.',
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
          summary: 'Revoke a wallet role',
          description:
            'For owners. A policy on chain that lists the wallet as an approver keeps listing it ' +
            'until an owner configures a new policy.',
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
