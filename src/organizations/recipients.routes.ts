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
          description:
            'For every member. Active and deactivated recipients, newest first. Expenses name ' +
            'one of the active ones.',
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
            'For owners and managers. Members may then name it in expenses. `warnings` names ' +
            'recipients with a look-alike address: compare the whole address with its source. ' +
            'A payment also needs a policy that lists the address: prepare one with ' +
            '`POST …/vaults/{vaultId}/policy-intents/prepare`.',
          tags: ['recipients'],
          params: OrganizationParams,
          headers: IdempotencyHeaders,
          body: RecipientBody,
          response: answers(201, component(RecipientSchema), [400, 401, 403, 409], {
            validation_failed:
              'A field does not match this page, or `address` is one that cannot be paid.',
            unsupported_chain: '`chainId` is not the chain of this deployment.',
            duplicate: 'An active recipient already has this address.',
          }),
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

    await changeRoutes(ctx)(app, {})
    await importRoutes(ctx)(app, {})
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
            'For owners and managers. Expenses can no longer name it, and payments to it that ' +
            'have not been sent are blocked. A policy on chain that lists the address keeps ' +
            'listing it until an owner configures a new one. To pay the address again, add it ' +
            'with `POST …/recipients`, as a new recipient.',
          'x-extension': true,
          tags: ['recipients'],
          params: RecipientParams,
          response: answers(200, component(RecipientSchema), [401, 403, 404, 409], {
            not_found: 'The organization has no such recipient.',
            state_conflict: 'The recipient is already deactivated.',
          }),
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
            'For owners and managers. Changes the label only: the address never changes, and ' +
            'revisions of expenses keep the label that they were written with. The audit trail ' +
            'keeps the former label.',
          'x-extension': true,
          tags: ['recipients'],
          params: RecipientParams,
          body: RecipientLabelBody,
          response: answers(200, component(RecipientSchema), [400, 401, 403, 404, 409], {
            validation_failed:
              '`label` is not one line of up to 100 characters, or has no visible character.',
            not_found: 'The organization has no such recipient.',
            state_conflict: 'The recipient is deactivated. Add it again with another label.',
          }),
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
            'of them, or none. If rows are bad, the error names each of them and why. `warnings` ' +
            'names look-alike addresses, also within the list. Payments also need a policy that ' +
            'lists the addresses: `POST …/vaults/{vaultId}/policy-intents/prepare`.',
          'x-extension': true,
          tags: ['recipients'],
          params: OrganizationParams,
          headers: IdempotencyHeaders,
          body: RecipientImportBody,
          response: answers(201, component(ImportedRecipientsSchema), [400, 401, 403, 409], {
            validation_failed:
              'Rows are wrong, cannot be paid, or repeat an address. `message` names each row.',
            duplicate: 'Somebody has just added one of the addresses. List the recipients again.',
          }),
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
