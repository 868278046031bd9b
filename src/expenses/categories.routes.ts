import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { CategoriesBody, CategoryListSchema } from './categories.schema.ts'
import { listCategories } from './categories.store.ts'
import { setCategories } from './set-categories.ts'

const path = '/v1/consumer/organizations/:organizationId/categories'
const tags = ['expenses']

/** Room for the longest list in any script. */
const BODY_MAX_BYTES = 128 * 1024

export const categoryRoutes =
  (ctx: Pick<Context, 'db' | 'clock' | 'ids'>): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      path,
      {
        schema: {
          operationId: 'listCategories',
          summary: 'List expense categories',
          description:
            "For any member. The organization's categories, in the order of its list. An expense " +
            'names one by its `code`.',
          'x-extension': true,
          tags,
          params: OrganizationParams,
          response: answers(200, CategoryListSchema, [401, 403]),
        },
      },
      async (request) => {
        const { organizationId } = memberOf(request)
        const categories = await ctx.db.read({ organizationId }, (reader) =>
          listCategories(reader, organizationId),
        )
        return { categories }
      },
    )

    app.put(
      path,
      {
        bodyLimit: BODY_MAX_BYTES,
        schema: {
          operationId: 'setCategories',
          summary: 'Replace expense categories',
          description:
            'For owners and managers. Replaces the whole list; an empty one removes all ' +
            'categories. Existing revisions keep the category code and name that they were ' +
            'written with. The change is recorded in the audit trail, unless nothing differs.',
          'x-extension': true,
          tags,
          params: OrganizationParams,
          body: CategoriesBody,
          response: answers(200, CategoryListSchema, [400, 401, 403], {
            validation_failed:
              'A field does not match this page, a name is blank, or a code occurs twice.',
          }),
        },
      },
      async (request) => {
        const { categories } = request.body
        const actor = memberOf(request)
        return { categories: [...(await setCategories(ctx, { actor, categories }))] }
      },
    )
  }
