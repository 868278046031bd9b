/** Routes for the caller's devices and the details of a notification. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { accountOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { answers, component } from '#http/openapi.ts'
import {
  DeviceListSchema,
  DeviceParams,
  NotificationParams,
  NotificationSchema,
  PushConfigSchema,
  PushSubscriptionSchema,
  SubscribeBody,
  UnsubscribeBody,
} from './push.schema.ts'
import { readDevices } from './read-devices.ts'
import { readNotification } from './read-notification.ts'
import { subscribe, unsubscribe } from './subscribe.ts'

type PushContext = Pick<Context, 'db' | 'observerDb' | 'clock' | 'ids' | 'push'>

export const pushRoutes =
  (ctx: PushContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/consumer/push/config',
      {
        schema: {
          operationId: 'getPushConfig',
          summary: 'Get the push configuration',
          description:
            'For every active account. Whether this deployment sends push messages, and the ' +
            'VAPID public key to subscribe with. Next, subscribe in the browser with this key ' +
            'and send the subscription to `POST /v1/consumer/push/subscriptions`.',
          tags: ['push'],
          response: answers(200, component(PushConfigSchema), [401]),
        },
      },
      async () => ({ active: ctx.push !== undefined, publicKey: ctx.push?.publicKey ?? '' }),
    )

    app.post(
      '/v1/consumer/push/subscriptions',
      {
        schema: {
          operationId: 'subscribeToPush',
          summary: 'Subscribe a device',
          description:
            'For every active account. Registers or renews this browser; call it whenever the ' +
            'application starts. An endpoint of another account moves to the caller. At most ' +
            'ten devices stay active: an eleventh replaces the one that was renewed longest ago. ' +
            'Messages carry an event id and a category only; get the rest with ' +
            '`GET /v1/consumer/notifications/{eventId}`.',
          tags: ['push'],
          body: SubscribeBody,
          response: answers(201, component(PushSubscriptionSchema), [400, 401, 503], {
            validation_failed:
              'A field or key is wrong, the time is past, or `endpoint` is not a public https URL.',
            dependency_unavailable:
              'Push is not configured here, or the database or name resolution is unavailable.',
          }),
        },
      },
      async (request, reply) => {
        const caller = { accountId: accountOf(request).id, requestId: request.id }
        return reply.code(201).send(await subscribe(ctx, { ...request.body, ...caller }))
      },
    )

    await unsubscribeRoutes(ctx)(app, {})
    await deviceRoutes(ctx)(app, {})
    await notificationRoutes(ctx)(app, {})
  }

const unsubscribeRoutes =
  (ctx: PushContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.delete(
      '/v1/consumer/push/subscriptions',
      {
        schema: {
          operationId: 'unsubscribeFromPush',
          summary: 'Unsubscribe a device',
          description:
            'For every active account; call it when the person signs out. Deletes the ' +
            "caller's subscription with this endpoint, and its keys. Answers 204 without a body, " +
            'even if the device was not subscribed.',
          tags: ['push'],
          body: UnsubscribeBody,
          response: answers(204, component(PushSubscriptionSchema), [400, 401], {
            validation_failed: 'The body does not match this page, or `endpoint` is no URL.',
          }),
        },
      },
      async (request, reply) => {
        const caller = { accountId: accountOf(request).id, requestId: request.id }
        await unsubscribe(ctx, { ...caller, device: request.body })
        return reply.code(204).send(undefined as never)
      },
    )
  }

/** The caller's devices, to remove one from another device. */
const deviceRoutes =
  (ctx: PushContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/consumer/push/subscriptions',
      {
        schema: {
          operationId: 'listPushSubscriptions',
          summary: "List one's devices",
          description:
            "For every active account. The caller's devices, including those whose subscription " +
            'has ended, most recently renewed first. Endpoints and keys are not returned. Remove ' +
            'a device with `DELETE /v1/consumer/push/subscriptions/{subscriptionId}`.',
          'x-extension': true,
          tags: ['push'],
          response: answers(200, DeviceListSchema, [401, 403]),
        },
      },
      async (request) => ({
        subscriptions: await readDevices(ctx, { accountId: accountOf(request).id }),
      }),
    )

    app.delete(
      '/v1/consumer/push/subscriptions/:subscriptionId',
      {
        schema: {
          operationId: 'removePushSubscription',
          summary: 'Remove a device',
          description:
            "For every active account. Deletes one of the caller's subscriptions, from any " +
            'device: it gets no more messages until it subscribes again. Answers 204 without a ' +
            'body, even if the device was not subscribed.',
          'x-extension': true,
          tags: ['push'],
          params: DeviceParams,
          response: answers(204, component(PushSubscriptionSchema), [400, 401, 403]),
        },
      },
      async (request, reply) => {
        const caller = { accountId: accountOf(request).id, requestId: request.id }
        await unsubscribe(ctx, { ...caller, device: { id: request.params.subscriptionId } })
        return reply.code(204).send(undefined as never)
      },
    )
  }

const notificationRoutes =
  (ctx: PushContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/consumer/notifications/:eventId',
      {
        schema: {
          operationId: 'getNotification',
          summary: 'Get a notification',
          description:
            'For accounts that may still see the event. The category of a push message and the ' +
            'route to open, kept for seven days. Reading it changes nothing.',
          tags: ['push'],
          params: NotificationParams,
          response: answers(200, component(NotificationSchema), [401, 403, 404], {
            forbidden: "The caller is no active member of the event's organization.",
            not_found: 'The event is unknown, older than seven days, or not for the caller.',
          }),
        },
      },
      async (request) => {
        const { eventId } = request.params
        return readNotification(ctx, { accountId: accountOf(request).id, eventId })
      },
    )
  }
