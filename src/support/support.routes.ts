/** Routes for support cases: members open them, operators work on them. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf, operatorOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { addNote } from './add-note.ts'
import { openCase } from './open-case.ts'
import {
  CaseBody,
  CaseParams,
  NoteBody,
  SupportCaseSchema,
  SupportNoteSchema,
} from './support.schema.ts'

export const supportRoutes =
  (ctx: Pick<Context, 'db' | 'observerDb' | 'clock' | 'ids'>): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      '/v1/consumer/organizations/:organizationId/support-cases',
      {
        schema: {
          operationId: 'openSupportCase',
          summary: 'Open a support case',
          description:
            'For any member, optionally about an expense or payment that the caller can see. ' +
            'Answers 409 when too many cases are open.',
          tags: ['support'],
          params: OrganizationParams,
          body: CaseBody,
          response: answers(201, component(SupportCaseSchema), [400, 401, 403, 409]),
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
          description: 'For operators. Optionally changes the status of the case.',
          tags: ['support'],
          params: CaseParams,
          body: NoteBody,
          response: answers(201, component(SupportNoteSchema), [400, 401, 403, 404]),
        },
      },
      async (request, reply) => {
        const { caseId } = request.params
        const input = { operator: operatorOf(request), caseId, ...request.body }
        return reply.code(201).send(await addNote(ctx, input))
      },
    )
  }
