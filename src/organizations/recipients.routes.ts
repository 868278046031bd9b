import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { IdempotencyHeaders, idempotentRequest, sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import { PageQuery, readPage, toPaged } from '#platform/paging.ts'
import { scopeOf } from './actor.ts'
import {
  OrganizationParams,
  RecipientBody,
  RecipientListSchema,
  RecipientParams,
  RecipientSchema,
} from './organizations.schema.ts'
import { listRecipients } from './recipients.store.ts'
import { addRecipient, deactivateRecipient } from './recipients.ts'

const org = '/v1/consumer/organizations/:organizationId'

export const recipientRoutes =
  (ctx: Pick<Context, 'db' | 'clock' | 'ids' | 'chain' | 'reactions'>): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      `${org}/recipients`,
      {
        schema: {
          operationId: 'listRecipients',
          summary: 'List recipients',
          description: 'Active and deactivated recipients, newest first.',
          tags: ['recipients'],
          params: OrganizationParams,
          querystring: PageQuery,
          response: answers(200, RecipientListSchema, [401, 403]),
        },
      },
      async (request) => {
        const member = memberOf(request)
        const page = readPage(request.query)
        const rows = await ctx.db.transaction(scopeOf(member), (tx) =>
          listRecipients(tx, { organizationId: member.organizationId, page }),
        )
        const paged = toPaged(rows, { limit: page.limit, idOf: (row) => row.id })
        return { recipients: paged.items, nextCursor: paged.nextCursor }
      },
    )

    app.post(
      `${org}/recipients`,
      {
        schema: {
          operationId: 'addRecipient',
          summary: 'Add a recipient',
          description:
            'For owners and managers. Payments also need a policy that lists the address.',
          tags: ['recipients'],
          params: OrganizationParams,
          headers: IdempotencyHeaders,
          body: RecipientBody,
          response: answers(201, component(RecipientSchema), [400, 401, 403, 409]),
        },
      },
      async (request, reply) => {
        const answer = await addRecipient(ctx, {
          actor: memberOf(request),
          ...request.body,
          request: idempotentRequest(request),
        })
        return reply.code(201).send(sendAnswer(reply, answer))
      },
    )

    app.post(
      `${org}/recipients/:recipientId/deactivate`,
      {
        schema: {
          operationId: 'deactivateRecipient',
          summary: 'Deactivate a recipient',
          description:
            'For owners and managers. Blocks unsent payments to it. It can be added again.',
          'x-extension': true,
          tags: ['recipients'],
          params: RecipientParams,
          response: answers(200, component(RecipientSchema), [401, 403, 404, 409]),
        },
      },
      async (request) => {
        const { recipientId } = request.params
        return deactivateRecipient(ctx, { actor: memberOf(request), recipientId })
      },
    )
  }
