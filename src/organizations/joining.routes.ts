/** Routes for members who await an owner's confirmation. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import { PageQuery, readPage, toPaged } from '#platform/paging.ts'
import { scopeOf } from './actor.ts'
import { confirmMember } from './confirm-member.ts'
import { listPendingMembers } from './joining.store.ts'
import {
  MemberSchema,
  MembershipParams,
  OrganizationParams,
  PendingMemberListSchema,
} from './organizations.schema.ts'

const org = '/v1/consumer/organizations/:organizationId'

export const joiningRoutes =
  (ctx: Pick<Context, 'db' | 'clock' | 'ids'>): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/pending-members`,
      {
        schema: {
          operationId: 'listPendingMembers',
          summary: 'List members to confirm',
          description:
            "For owners. The people who accepted a manager's invitation, where owners confirm " +
            'members (`organizationJoin` in `GET /v1/consumer/config`). They have no access yet. ' +
            'Confirm each with `POST …/members/{membershipId}/confirm`, or decline with ' +
            '`POST …/members/{membershipId}/revoke`.',
          'x-extension': true,
          tags: ['members'],
          params: OrganizationParams,
          querystring: PageQuery,
          response: answers(200, PendingMemberListSchema, [401, 403]),
        },
      },
      async (request) => {
        const member = memberOf(request)
        const page = readPage(request.query)
        const rows = await ctx.db.transaction(scopeOf(member), (tx) =>
          listPendingMembers(tx, { organizationId: member.organizationId, page }),
        )
        const paged = toPaged(rows, { limit: page.limit, idOf: (row) => row.membershipId })
        return { pendingMembers: paged.items, nextCursor: paged.nextCursor }
      },
    )

    app.post(
      `${org}/members/:membershipId/confirm`,
      {
        schema: {
          operationId: 'confirmMember',
          summary: 'Confirm a pending member',
          description:
            'For owners. Admits a person whom a manager invited: the membership becomes active ' +
            'with the role of the invitation, and owners and managers get a live event. To ' +
            'decline, call `POST …/members/{membershipId}/revoke`.',
          'x-extension': true,
          tags: ['members'],
          params: MembershipParams,
          response: answers(200, component(MemberSchema), [401, 403, 404, 409], {
            not_found: 'The organization has no such membership.',
            state_conflict: 'The membership is already active, or was revoked.',
          }),
        },
      },
      async (request) => {
        const { membershipId } = request.params
        return confirmMember(ctx, { actor: memberOf(request), membershipId })
      },
    )
  }
