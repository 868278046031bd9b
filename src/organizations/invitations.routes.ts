import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { accountOf, memberOf } from '#access/guard.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { IdempotencyHeaders, idempotentRequest, sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import type { RateLimits } from '#http/rate-limits.ts'
import { PageQuery, readPage, toPaged } from '#platform/paging.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { scopeOf } from './actor.ts'
import {
  AcceptedInvitationSchema,
  InvitationBody,
  InvitationListSchema,
  InvitationParams,
  InviteTokenParams,
  NewInvitationSchema,
  RevokedInvitationSchema,
} from './invitations.schema.ts'
import { type Invitation, listInvitations } from './invitations.store.ts'
import { inviteMember, revokeInvitation } from './invitations.ts'
import { OrganizationParams } from './organizations.schema.ts'

type InvitationContext = Pick<Context, 'db' | 'clock' | 'ids' | 'secrets' | 'config'>
type InvitationLimits = Pick<RateLimits, 'countInvitationAttempt'>

const org = '/v1/consumer/organizations/:organizationId'

/** E-mail addresses are for owners; a manager sees those that they entered. */
const maySeeEmail = (
  { role, accountId }: Member,
  { invitedByAccountId }: Pick<Invitation, 'invitedByAccountId'>,
): boolean => role === 'owner' || invitedByAccountId === accountId

export const invitationRoutes =
  (ctx: InvitationContext, limits: InvitationLimits): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/invitations`,
      {
        schema: {
          operationId: 'listInvitations',
          summary: 'List invitations',
          description:
            'For owners and managers. Invitations in every state, newest first. Owners see all ' +
            'e-mail addresses, a manager those that they entered. Tokens are never listed.',
          tags: ['invitations'],
          params: OrganizationParams,
          querystring: PageQuery,
          response: answers(200, InvitationListSchema, [401, 403]),
        },
      },
      async (request) => {
        const member = memberOf(request)
        const page = readPage(request.query)
        const at = ctx.clock.now()
        const rows = await ctx.db.transaction(scopeOf(member), (tx) =>
          listInvitations(tx, { organizationId: member.organizationId, page, at }),
        )
        const paged = toPaged(rows, { limit: page.limit, idOf: (row) => row.id })
        const invitations = paged.items.map(({ email, ...invitation }) => ({
          ...invitation,
          ...(maySeeEmail(member, invitation) && { email }),
        }))
        return { invitations, nextCursor: paged.nextCursor }
      },
    )

    app.post(
      `${org}/invitations`,
      {
        schema: {
          operationId: 'createInvitation',
          summary: 'Invite a member',
          description:
            'For owners and managers; a manager may invite only employees. The invitation token ' +
            'is returned only here and by a replay with the same Idempotency-Key. With `email`, ' +
            'only an account with that verified address may accept it; where e-mail is ' +
            'configured, it is sent there, five times a day to one address at most (429). ' +
            'Otherwise give the token to the person, who joins with ' +
            '`POST /v1/consumer/invitations/{token}/accept` within seven days.',
          tags: ['invitations'],
          params: OrganizationParams,
          headers: IdempotencyHeaders,
          body: InvitationBody,
          response: answers(201, component(NewInvitationSchema), [400, 401, 403, 409], {
            role_required: 'The caller is an employee, or a manager who invites a manager.',
            state_conflict: 'The organization has too many open invitations. Revoke one first.',
          }),
        },
      },
      async (request, reply) => {
        const { role, email } = request.body
        const actor = memberOf(request)
        const input = { actor, role, email, request: idempotentRequest(request) }
        return reply.code(201).send(sendAnswer(reply, await inviteMember(ctx, input)))
      },
    )

    await endingRoutes(ctx, limits)(app, {})
  }

const endingRoutes =
  (ctx: InvitationContext, limits: InvitationLimits): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/invitations/:invitationId/revoke`,
      {
        schema: {
          operationId: 'revokeInvitation',
          summary: 'Revoke an invitation',
          description:
            'For owners; managers may revoke invitations of employees. The token can no longer ' +
            'be used. Somebody who has already joined stays a member: revoke the membership ' +
            'with `POST …/members/{membershipId}/revoke` instead.',
          tags: ['invitations'],
          params: InvitationParams,
          response: answers(200, RevokedInvitationSchema, [401, 403, 404, 409], {
            role_required:
              'The caller is an employee, or a manager and the invitation is for a manager.',
            not_found: 'The organization has no such invitation.',
            state_conflict: 'The invitation was accepted, revoked or has expired.',
          }),
        },
      },
      async (request) => {
        const { invitationId } = request.params
        return revokeInvitation(ctx, { actor: memberOf(request), invitationId })
      },
    )

    app.post(
      '/v1/consumer/invitations/:token/accept',
      {
        preHandler: limits.countInvitationAttempt,
        schema: {
          operationId: 'acceptInvitation',
          summary: 'Accept an invitation',
          description:
            'For every active account. Makes the caller a member of the organization, whose ' +
            'owners and managers get a live event. Where owners confirm members, the membership ' +
            'is pending if a manager sent the invitation, and gives no access until an owner ' +
            'calls `POST …/members/{membershipId}/confirm`.',
          tags: ['invitations'],
          params: InviteTokenParams,
          response: answers(200, component(AcceptedInvitationSchema), [401, 409], {
            invitation_unusable:
              'Unknown, ended or sent to another address, or the caller is a member. All alike.',
            rate_limited: 'Ten attempts of the account in a minute. Wait for `Retry-After`.',
          }),
        },
      },
      async (request) => {
        const { token } = request.params
        const input = { accountId: accountOf(request).id, requestId: request.id, token }
        return acceptInvitation(ctx, input)
      },
    )
  }
