/** Routes for the caller's notification preferences. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { accountOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import { AppError } from '#platform/errors.ts'
import { changePreferences } from './change-preferences.ts'
import { NotificationPreferencesSchema, PreferencesBody } from './preferences.schema.ts'
import { channels } from './preferences.ts'
import { readPreferences } from './read-preferences.ts'

type PreferenceContext = Pick<Context, 'db' | 'clock' | 'ids' | 'config' | 'push'>

const path = '/v1/consumer/notification-preferences'

export const preferenceRoutes =
  (ctx: PreferenceContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      path,
      {
        schema: {
          operationId: 'getNotificationPreferences',
          summary: 'Get notification preferences',
          description:
            "For every active account. Which notifications the caller's account receives, by " +
            'category and channel, in all its organizations. Everything is on until it is ' +
            'switched off. Change it with `PUT /v1/consumer/notification-preferences`.',
          tags: ['push'],
          response: answers(200, component(NotificationPreferencesSchema), [401, 403]),
          'x-extension': true,
        },
      },
      async (request) => readPreferences(ctx, { accountId: accountOf(request).id }),
    )

    app.put(
      path,
      {
        schema: {
          operationId: 'setNotificationPreferences',
          summary: 'Set notification preferences',
          description:
            'For every active account. Switches categories on or off for push and for e-mail, in ' +
            'every organization of the caller. Categories and channels that are left out keep ' +
            'their settings. Categories that are `required` may be the first sign of a theft and ' +
            'stay on.',
          tags: ['push'],
          body: PreferencesBody,
          response: answers(200, component(NotificationPreferencesSchema), [400, 401, 403], {
            validation_failed:
              'The body is wrong, names a category twice, or switches off a `required` one.',
          }),
          'x-extension': true,
        },
      },
      async (request) => {
        const accountId = accountOf(request).id
        const { preferences } = request.body
        const named = preferences.map(({ category }) => category)
        if (new Set(named).size < named.length) {
          throw new AppError('validation_failed', {
            message: '`preferences` must name each category at most once.',
          })
        }
        const choices = preferences.flatMap(({ category, ...wanted }) =>
          channels.flatMap((channel) => {
            const isOn = wanted[channel]
            return isOn === undefined ? [] : [{ category, channel, isOn }]
          }),
        )
        const actor = { realm: 'consumer', accountId, requestId: request.id } as const
        await changePreferences(ctx, { accountId, actor, choices })
        return readPreferences(ctx, { accountId })
      },
    )
  }
