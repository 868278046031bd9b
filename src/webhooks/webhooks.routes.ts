/** Routes for an organization's webhooks. For owners only: a webhook sees what owners see. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { memberOf } from '#access/guard.ts'
import type { Context } from '#context.ts'
import { IdempotencyHeaders, idempotentRequest, sendAnswer } from '#http/idempotency-key.ts'
import { answers, component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { PageQuery, readPage } from '#platform/paging.ts'
import { enableWebhook, pingWebhook, removeWebhook } from './change-webhook.ts'
import { createWebhook } from './create-webhook.ts'
import { readDeliveries, readWebhooks } from './read-webhooks.ts'
import { rotateSecret } from './rotate-secret.ts'
import {
  DeliveryListSchema,
  WebhookBody,
  WebhookListSchema,
  WebhookParams,
  WebhookSchema,
  WebhookWithSecretSchema,
} from './webhooks.schema.ts'

const webhooks = '/v1/consumer/organizations/:organizationId/webhooks'
const tags = ['webhooks']

type WebhookRoutesContext = Pick<Context, 'db' | 'clock' | 'ids' | 'config' | 'webhooks'>

export const webhookRoutes =
  (ctx: WebhookRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      webhooks,
      {
        schema: {
          operationId: 'listWebhooks',
          summary: 'List webhooks',
          description:
            'For owners. All webhooks of the organization, newest first, without their secrets. ' +
            '`state` and `failingSince` say whether the receiver accepts events.',
          'x-extension': true,
          tags,
          params: OrganizationParams,
          response: answers(200, WebhookListSchema, [401, 403]),
        },
      },
      async (request) => ({ webhooks: await readWebhooks(ctx, { member: memberOf(request) }) }),
    )

    app.post(
      webhooks,
      {
        schema: {
          operationId: 'createWebhook',
          summary: 'Create a webhook',
          description:
            'For owners. Live events of these kinds are sent to the URL, each as a POST whose ' +
            'body is a [LiveEvent](#/components/schemas/LiveEvent), signed according to the ' +
            'Standard Webhooks specification: headers `webhook-id`, `webhook-timestamp` and ' +
            '`webhook-signature`. Answer 2xx within five seconds; 410 disables the webhook, and ' +
            'anything else is retried for a day. Only this response contains the secret. Events ' +
            'before the creation are not sent. Next, send a test event with ' +
            '`POST …/webhooks/{webhookId}/ping`.',
          'x-extension': true,
          tags,
          params: OrganizationParams,
          headers: IdempotencyHeaders,
          body: WebhookBody,
          response: answers(201, component(WebhookWithSecretSchema), [400, 401, 403, 409, 503], {
            validation_failed: 'A field is wrong, or `url` is not https at a public address.',
            state_conflict: 'The organization has the most webhooks it may have. Delete one first.',
            dependency_unavailable:
              'No worker has started yet, or the database or name resolution is unavailable.',
          }),
        },
      },
      async (request, reply) => {
        const answer = await createWebhook(ctx, {
          actor: memberOf(request),
          ...request.body,
          request: idempotentRequest(request),
        })
        return reply.code(201).send(sendAnswer(reply, answer))
      },
    )

    await app.register(webhookRemovalRoutes(ctx))
    await app.register(webhookChangeRoutes(ctx))
  }

const webhookRemovalRoutes =
  (ctx: WebhookRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.delete(
      `${webhooks}/:webhookId`,
      {
        schema: {
          operationId: 'deleteWebhook',
          summary: 'Delete a webhook',
          description:
            'For owners. Its secrets and deliveries are deleted, and nothing more is sent. The ' +
            'audit trail keeps that it existed. Answers 204 without a body.',
          'x-extension': true,
          tags,
          params: WebhookParams,
          response: answers(204, component(WebhookSchema), [401, 403, 404], {
            not_found: 'The organization has no such webhook.',
          }),
        },
      },
      async (request, reply) => {
        const { webhookId } = request.params
        await removeWebhook(ctx, { actor: memberOf(request), webhookId })
        return reply.code(204).send(undefined as never)
      },
    )
  }

const webhookChangeRoutes =
  (ctx: WebhookRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${webhooks}/:webhookId/rotate-secret`,
      {
        schema: {
          operationId: 'rotateWebhookSecret',
          summary: 'Rotate a webhook secret',
          description:
            'For owners. Only this response contains the new secret. For 24 hours, messages are ' +
            'signed with both secrets: replace the secret at the receiver within that time. ' +
            'Another rotation during it retires the oldest secret at once.',
          'x-extension': true,
          tags,
          params: WebhookParams,
          headers: IdempotencyHeaders,
          response: answers(200, component(WebhookWithSecretSchema), [400, 401, 403, 404, 409], {
            not_found: 'The organization has no such webhook.',
            dependency_unavailable: 'No worker has started yet, or the database is unavailable.',
          }),
        },
      },
      async (request, reply) => {
        const { webhookId } = request.params
        const answer = await rotateSecret(ctx, {
          actor: memberOf(request),
          webhookId,
          request: idempotentRequest(request),
        })
        return sendAnswer(reply, answer)
      },
    )

    app.post(
      `${webhooks}/:webhookId/enable`,
      {
        schema: {
          operationId: 'enableWebhook',
          summary: 'Enable a webhook',
          description:
            'For owners, after the receiver is repaired. Sends events from now on, but not those ' +
            'missed: read these through the API, or resume a stream, which goes back seven days. ' +
            'Test it with `POST …/webhooks/{webhookId}/ping`.',
          'x-extension': true,
          tags,
          params: WebhookParams,
          response: answers(200, component(WebhookSchema), [401, 403, 404, 409], {
            not_found: 'The organization has no such webhook.',
            state_conflict: 'The webhook is already active.',
          }),
        },
      },
      async (request) => {
        const { webhookId } = request.params
        return enableWebhook(ctx, { actor: memberOf(request), webhookId })
      },
    )

    await app.register(deliveryRoutes(ctx))
  }

/** Test events and deliveries. */
const deliveryRoutes =
  (ctx: WebhookRoutesContext): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      `${webhooks}/:webhookId/ping`,
      {
        schema: {
          operationId: 'pingWebhook',
          summary: 'Send a test event',
          description:
            'For owners, once in ten seconds. Sends `integration.changed` with the code ' +
            '`webhook_ping` to this webhook, regardless of its kinds. A worker sends it after ' +
            'this answer; `GET …/webhooks/{webhookId}/deliveries` shows the outcome.',
          'x-extension': true,
          tags,
          params: WebhookParams,
          response: answers(202, component(WebhookSchema), [401, 403, 404, 409], {
            not_found: 'The organization has no such webhook.',
            state_conflict: 'The webhook is disabled. Enable it first.',
            rate_limited: 'The last ping was less than ten seconds ago. Wait for `Retry-After`.',
          }),
        },
      },
      async (request, reply) => {
        const { webhookId } = request.params
        return reply.code(202).send(await pingWebhook(ctx, { actor: memberOf(request), webhookId }))
      },
    )

    app.get(
      `${webhooks}/:webhookId/deliveries`,
      {
        schema: {
          operationId: 'listWebhookDeliveries',
          summary: 'List webhook deliveries',
          description:
            'For owners. What was sent or waits to be sent to this webhook, newest first. ' +
            'Deliveries are kept for seven days after they end. A failed attempt is repeated ' +
            'after 5 seconds to 8 hours, eight times in all.',
          'x-extension': true,
          tags,
          params: WebhookParams,
          querystring: PageQuery,
          response: answers(200, DeliveryListSchema, [400, 401, 403, 404], {
            not_found: 'The organization has no such webhook.',
          }),
        },
      },
      async (request) => {
        const { webhookId } = request.params
        const input = { member: memberOf(request), webhookId, page: readPage(request.query) }
        const { items, nextCursor } = await readDeliveries(ctx, input)
        return { deliveries: items, nextCursor }
      },
    )
  }
