/** Support cases of both realms: members open them, operators work on them. */
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
          summary: 'Ask for help, perhaps about an expense or a payment',
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
          summary: 'Write a note to a case, and perhaps move it',
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
