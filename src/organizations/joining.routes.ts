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
            "Owners list the people who accepted a manager's invitation and await confirmation. " +
            'Confirm each with POST members/{membershipId}/confirm, or revoke the membership.',
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
            'An owner admits a person whom a manager invited. Answers 409 unless the membership ' +
            'is pending. To decline, revoke the membership.',
          'x-extension': true,
          tags: ['members'],
          params: MembershipParams,
          response: answers(200, component(MemberSchema), [401, 403, 404, 409]),
        },
      },
      async (request) => {
        const { membershipId } = request.params
        return confirmMember(ctx, { actor: memberOf(request), membershipId })
      },
    )
  }
