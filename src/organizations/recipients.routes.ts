import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import { IdempotencyHeaders, idempotentRequest, sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import { validateRows } from '#http/row-validation.ts'
import { PageQuery, readPage, toPaged } from '#platform/paging.ts'
import { scopeOf } from './actor.ts'
import { importRecipients } from './import-recipients.ts'
import { OrganizationParams } from './organizations.schema.ts'
import {
  ImportedRecipientsSchema,
  RecipientBody,
  RecipientImportBody,
  RecipientLabelBody,
  RecipientListSchema,
  RecipientParams,
  RecipientSchema,
} from './recipients.schema.ts'
import { listRecipients } from './recipients.store.ts'
import {
  addRecipient,
  deactivateRecipient,
  type RecipientContext,
  renameRecipient,
} from './recipients.ts'

const org = '/v1/consumer/organizations/:organizationId'

export const recipientRoutes =
  (ctx: RecipientContext): FastifyPluginAsyncTypebox =>
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
            'For owners and managers. Payments also need a policy that lists the address. ' +
            '`warnings` names recipients with a look-alike address.',
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

    await app.register(changeRoutes(ctx))
    await app.register(importRoutes(ctx))
  }

const IMPORT_MAX_BYTES = 256 * 1024

const changeRoutes =
  (ctx: RecipientContext): FastifyPluginAsyncTypebox =>
  async (app) => {
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

    app.patch(
      `${org}/recipients/:recipientId`,
      {
        schema: {
          operationId: 'renameRecipient',
          summary: 'Rename a recipient',
          description:
            'For owners and managers. The address never changes, and revisions keep the label ' +
            'that they were written with. Answers 409 for a deactivated recipient.',
          'x-extension': true,
          tags: ['recipients'],
          params: RecipientParams,
          body: RecipientLabelBody,
          response: answers(200, component(RecipientSchema), [400, 401, 403, 404, 409]),
        },
      },
      async (request) => {
        const { recipientId } = request.params
        const { label } = request.body
        return renameRecipient(ctx, { actor: memberOf(request), recipientId, label })
      },
    )
  }

const importRoutes =
  (ctx: RecipientContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${org}/recipients/import`,
      {
        bodyLimit: IMPORT_MAX_BYTES,
        validatorCompiler: validateRows('recipients'),
        schema: {
          operationId: 'importRecipients',
          summary: 'Import recipients',
          description:
            'For owners and managers. Adds up to 500 recipients in a body of up to 256 KiB: all ' +
            'of them, or none. Answers 400 and names each bad row, including rows that repeat an ' +
            'address of the list or of an active recipient. `warnings` names look-alike addresses.',
          'x-extension': true,
          tags: ['recipients'],
          params: OrganizationParams,
          headers: IdempotencyHeaders,
          body: RecipientImportBody,
          response: answers(201, component(ImportedRecipientsSchema), [400, 401, 403, 409]),
        },
      },
      async (request, reply) => {
        const answer = await importRecipients(ctx, {
          actor: memberOf(request),
          recipients: request.body.recipients,
          request: idempotentRequest(request),
        })
        return reply.code(201).send(sendAnswer(reply, answer))
      },
    )
  }
