/** Routes for support cases: members open them, operators work on them. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf, operatorOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { IdempotencyHeaders, idempotentRequest, sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { readPage } from '#platform/paging.ts'
import { addMessage } from './add-message.ts'
import { addNote } from './add-note.ts'
import { openCase } from './open-case.ts'
import { readOwnCase, readOwnCases } from './read-own-cases.ts'
import {
  CaseBody,
  CaseParams,
  MessageBody,
  NoteBody,
  OwnCaseListSchema,
  OwnCaseParams,
  OwnCasesQuery,
  OwnSupportCaseSchema,
  SupportCaseSchema,
  SupportMessageSchema,
  SupportNoteSchema,
} from './support.schema.ts'

const cases = '/v1/consumer/organizations/:organizationId/support-cases'

type SupportContext = Pick<Context, 'db' | 'observerDb' | 'clock' | 'ids'>

export const supportRoutes =
  (ctx: SupportContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      cases,
      {
        schema: {
          operationId: 'openSupportCase',
          summary: 'Open a support case',
          description:
            'For any member, optionally about an expense or payment that the caller can see. ' +
            'Operators see the case at once, and a `support_case.changed` event is sent. Read ' +
            'the answers with `GET …/support-cases/{caseId}`, and write more with `POST ' +
            '…/messages`.',
          tags: ['support'],
          params: OrganizationParams,
          body: CaseBody,
          response: answers(201, component(SupportCaseSchema), [400, 401, 403, 409], {
            validation_failed:
              'A field does not match this page, or the payment is not one of the expense.',
            forbidden:
              'The caller is not an active member, or the expense or payment is not visible to ' +
              'them.',
            state_conflict:
              'The caller has 20 open cases, or the organization has 200 (owners may go on).',
          }),
        },
      },
      async (request, reply) =>
        reply.code(201).send(await openCase(ctx, { actor: memberOf(request), ...request.body })),
    )

    app.post(
      '/v1/admin/support-cases/:caseId/notes',
      {
        schema: {
          operationId: 'addSupportNote',
          summary: 'Add a support note',
          description:
            'For operators. Optionally changes the status of the case. The note is internal ' +
            'unless `visibleToCustomer` is true; then members read it as a message from support. ' +
            "It is recorded in the organization's audit trail, and a `support_case.changed` " +
            'event is sent.',
          tags: ['support'],
          params: CaseParams,
          body: NoteBody,
          response: answers(201, component(SupportNoteSchema), [400, 401, 403, 404], {
            not_found: 'There is no such case in any organization.',
            invalid_transition: 'The case cannot get this `status` from its current one.',
          }),
        },
      },
      async (request, reply) => {
        const { caseId } = request.params
        const input = { operator: operatorOf(request), caseId, ...request.body }
        return reply.code(201).send(await addNote(ctx, input))
      },
    )

    await ownCaseRoutes(ctx)(app, {})
  }

/** Reading cases as a member. */
const ownCaseRoutes =
  (ctx: SupportContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      cases,
      {
        schema: {
          operationId: 'listSupportCases',
          summary: "List the organization's support cases",
          description:
            'For any member. Members see the cases that they opened, owners all cases of the ' +
            'organization. Newest first, without messages: `GET …/support-cases/{caseId}` has ' +
            'them.',
          'x-extension': true,
          tags: ['support'],
          params: OrganizationParams,
          querystring: OwnCasesQuery,
          response: answers(200, OwnCaseListSchema, [400, 401, 403]),
        },
      },
      async (request) => {
        const { status: state, ...paging } = request.query
        const input = { member: memberOf(request), state, page: readPage(paging) }
        const { items, nextCursor } = await readOwnCases(ctx, input)
        return { cases: items, nextCursor }
      },
    )

    app.get(
      `${cases}/:caseId`,
      {
        schema: {
          operationId: 'getSupportCase',
          summary: 'Get a support case',
          description:
            'For the member who opened it, and for owners. With messages from members and ' +
            'answers from support; internal notes of operators are not shown. Answer with ' +
            '`POST …/messages`.',
          'x-extension': true,
          tags: ['support'],
          params: OwnCaseParams,
          response: answers(200, component(OwnSupportCaseSchema), [401, 403, 404], {
            not_found: 'The organization has no such case that the caller can see.',
          }),
        },
      },
      async (request) => {
        const { caseId } = request.params
        return readOwnCase(ctx, { member: memberOf(request), caseId })
      },
    )

    await messageRoutes(ctx)(app, {})
  }

const messageRoutes =
  (ctx: SupportContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${cases}/:caseId/messages`,
      {
        schema: {
          operationId: 'addSupportMessage',
          summary: 'Add a message to a support case',
          description:
            'For the member who opened the case, and for owners. A message on a resolved case ' +
            "reopens it. It is recorded in the organization's audit trail, and a " +
            '`support_case.changed` event with the code `message_added` is sent.',
          'x-extension': true,
          tags: ['support'],
          params: OwnCaseParams,
          headers: IdempotencyHeaders,
          body: MessageBody,
          response: answers(201, component(SupportMessageSchema), [400, 401, 403, 404, 409], {
            not_found: 'The organization has no such case that the caller can see.',
            state_conflict:
              'The case has 200 messages, or it is resolved and too many other cases are open.',
          }),
        },
      },
      async (request, reply) => {
        const { caseId } = request.params
        const answer = await addMessage(ctx, {
          actor: memberOf(request),
          caseId,
          ...request.body,
          request: idempotentRequest(request),
        })
        return reply.code(201).send(sendAnswer(reply, answer))
      },
    )
  }
