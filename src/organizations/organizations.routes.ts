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
          description:
            'For every active account. The organizations of which the caller is an active ' +
            'member, most recently joined first. Pending memberships are in ' +
            '`GET /v1/consumer/me`.',
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
          description:
            'For every active account. The caller becomes its first owner. Next, invite members ' +
            'with `POST …/invitations`, give one of your own wallets the role `treasury_owner` ' +
            'with `POST …/wallet-roles`, and deploy a vault with ' +
            '`POST …/vault-deployments/prepare`.',
          tags: ['organizations'],
          body: OrganizationBody,
          response: answers(201, component(OrganizationSchema), [400, 401], {
            validation_failed:
              '`name` is not one line of 2 to 100 characters, or has no visible character.',
            state_conflict: 'The account has created the most organizations it may create.',
          }),
        },
      },
      async (request, reply) => {
        const { name } = request.body
        const input = { accountId: accountOf(request).id, requestId: request.id, name }
        return reply.code(201).send(await createOrganization(ctx, input))
      },
    )

    await renamingRoutes(ctx)(app, {})
    await memberRoutes(ctx)(app, {})
    await roleRoutes(ctx)(app, {})
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
          description:
            'For owners. Changes the name that members, invitations and operators show. The ' +
            'audit trail keeps the former name, and owners and managers get a live event.',
          'x-extension': true,
          tags: ['organizations'],
          params: OrganizationParams,
          body: OrganizationBody,
          response: answers(200, component(OrganizationSchema), [400, 401, 403], {
            validation_failed:
              '`name` is not one line of 2 to 100 characters, or has no visible character.',
          }),
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
            'For owners, who are all notified. There may be several owners, but never none. A ' +
            "former owner's `treasury_owner` wallet roles end, and so do open invitations that " +
            'the new role may not send. `notices` names wallets that still own vaults on ' +
            'chain: move the funds of those vaults. The same role again changes nothing.',
          'x-extension': true,
          tags: ['members'],
          params: MembershipParams,
          body: RoleBody,
          response: answers(200, component(ChangedMemberSchema), [400, 401, 403, 404, 409], {
            not_found: 'The organization has no such membership.',
            state_conflict:
              'The membership is not active, or it is the last owner. Make another owner first.',
          }),
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
            "For every member. Ends the caller's own membership, its wallet roles with their " +
            'open approvals, and its open invitations. `notices` names approvers that policies ' +
            'on chain may still list: an owner removes them with ' +
            '`POST …/vaults/{vaultId}/policy-intents/prepare`.',
          'x-extension': true,
          tags: ['members'],
          params: OrganizationParams,
          response: answers(200, component(RevokedMemberSchema), [401, 403, 409], {
            state_conflict: 'The caller is the last owner. Make another member an owner first.',
          }),
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
            'For every member. Active and revoked members with their wallets and wallet roles, ' +
            'most recently joined first. Owners also see verified e-mail addresses. Members who ' +
            'await confirmation are in `GET …/pending-members`.',
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
            'For owners. Ends the membership, its wallet roles with their open approvals, and ' +
            'its open invitations. It also declines a pending member. `notices` names approvers ' +
            'that policies on chain may still list: remove them with ' +
            '`POST …/vaults/{vaultId}/policy-intents/prepare`. Somebody who is to return needs a ' +
            'new invitation.',
          'x-extension': true,
          tags: ['members'],
          params: MembershipParams,
          response: answers(200, component(RevokedMemberSchema), [401, 403, 404, 409], {
            not_found: 'The organization has no such membership.',
            state_conflict:
              'The membership is already revoked, or it is the last owner. Make another first.',
          }),
        },
      },
      async (request) => {
        const { membershipId } = request.params
        return revokeMember(ctx, { actor: memberOf(request), membershipId })
      },
    )

    await joiningRoutes(ctx)(app, {})
    await walletRoleRoutes(ctx)(app, {})
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
            'For owners. Makes a wallet of a member a treasury owner or an approver. The holder ' +
            'of an approver wallet may then sign approvals in this service; on chain, an ' +
            'approver counts only once a policy lists the wallet: prepare one with ' +
            '`POST …/vaults/{vaultId}/policy-intents/prepare`.',
          tags: ['members'],
          params: OrganizationParams,
          body: WalletRoleBody,
          response: answers(201, component(WalletRoleSchema), [400, 401, 403, 409], {
            unsupported_chain: 'The wallet has no EVM address.',
            forbidden:
              'No access, no such member or wallet, or a server wallet of another organization.',
            state_conflict:
              'The membership is not active, or a server wallet was to become an approver.',
            duplicate: 'The wallet already has this role.',
          }),
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
            'For owners. Ends the role and the open approvals of the wallet. A policy on chain ' +
            'that lists the wallet as an approver keeps listing it until an owner configures a ' +
            'new one with `POST …/vaults/{vaultId}/policy-intents/prepare`. The role can be ' +
            'assigned again.',
          'x-extension': true,
          tags: ['members'],
          params: WalletRoleParams,
          response: answers(200, component(RevokedWalletRoleSchema), [401, 403, 404, 409], {
            not_found: 'The organization has no such wallet role.',
            state_conflict: 'The role is already revoked.',
          }),
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
