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
          description: 'Whether push is active, and the VAPID public key to subscribe with.',
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
          description: 'Registers or renews this browser. At most ten devices stay active.',
          tags: ['push'],
          body: SubscribeBody,
          response: answers(201, component(PushSubscriptionSchema), [400, 401, 503]),
        },
      },
      async (request, reply) => {
        const caller = { accountId: accountOf(request).id, requestId: request.id }
        return reply.code(201).send(await subscribe(ctx, { ...request.body, ...caller }))
      },
    )

    app.delete(
      '/v1/consumer/push/subscriptions',
      {
        schema: {
          operationId: 'unsubscribeFromPush',
          summary: 'Unsubscribe a device',
          description: 'Answers 204 without a body, even if the device was not subscribed.',
          tags: ['push'],
          body: UnsubscribeBody,
          response: answers(204, component(PushSubscriptionSchema), [400, 401]),
        },
      },
      async (request, reply) => {
        const caller = { accountId: accountOf(request).id, requestId: request.id }
        await unsubscribe(ctx, { ...caller, device: request.body })
        return reply.code(204).send(undefined as never)
      },
    )

    await app.register(deviceRoutes(ctx))
    await app.register(notificationRoutes(ctx))
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
            'Subscribed devices of the caller and those that have ended, most recently renewed ' +
            'first. Endpoints and keys are not returned.',
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
          summary: "Remove one of one's devices",
          description: 'Answers 204 without a body, even if the device was not subscribed.',
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
          description: 'The category of a push message and the route to open.',
          tags: ['push'],
          params: NotificationParams,
          response: answers(200, component(NotificationSchema), [401, 403, 404]),
        },
      },
      async (request) => {
        const { eventId } = request.params
        return readNotification(ctx, { accountId: accountOf(request).id, eventId })
      },
    )
  }
