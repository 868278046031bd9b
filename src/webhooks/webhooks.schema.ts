import { Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { liveKinds } from '#live/live.schema.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor } from '#platform/paging.ts'
import { extension, NonNeg, nullable, oneOf, Timestamp, Uuid } from '#platform/values.ts'
import { webhookDeliveryMachine, webhookMachine } from './webhook.machine.ts'

export const WebhookParams = Type.Object({ organizationId: Uuid, webhookId: Uuid })

const Url = Type.String({
  format: 'uri',
  minLength: 1,
  maxLength: 1_024,
  description: 'https on port 443 of a host on the public internet. Redirects are not followed',
})
const Kinds = Type.Array(oneOf(liveKinds), {
  minItems: 1,
  maxItems: liveKinds.length,
  uniqueItems: true,
  description: 'The kinds of live events to send',
})

export const WebhookSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    url: Type.String(),
    kinds: Type.Array(Type.String()),
    state: oneOf(statesOf(webhookMachine)),
    disabledCode: Type.Unsafe<'gone' | 'failing' | null>({
      type: ['string', 'null'],
      enum: ['gone', 'failing', null],
      description:
        'gone: the receiver answered 410. failing: it accepted nothing for 20 hours. Null while ' +
        'the webhook is active',
    }),
    createdByAccountId: Uuid,
    displayName: nullable(Type.String({ description: 'Name of the member who created it' })),
    failingSince: nullable({
      ...Timestamp,
      description: 'Every attempt since then has failed; null if the last one succeeded',
    }),
    previousSecretExpiresAt: nullable({
      ...Timestamp,
      description: 'Until then the previous secret signs too; null without a previous secret',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Webhook', ...extension },
)

export const WebhookWithSecretSchema = Type.Object(
  {
    ...WebhookSchema.properties,
    secret: nullable(
      Type.String({
        description:
          'whsec_ and the key in base64. Shown once: null in a replay of the request. Rotate the ' +
          'secret if it was lost',
      }),
    ),
  },
  { $id: 'WebhookWithSecret', ...extension },
)

const DeliverySchema = Type.Object(
  {
    id: Uuid,
    eventId: { ...Uuid, description: 'Id of the live event, and the webhook-id of the message' },
    kind: Type.String(),
    state: oneOf(statesOf(webhookDeliveryMachine)),
    attempt: { ...NonNeg, description: 'Attempts made so far' },
    statusCode: nullable(
      Type.Integer({ description: 'Of the last attempt; null if the endpoint did not answer' }),
    ),
    error: nullable(Type.String({ description: 'Why the last attempt failed' })),
    createdAt: Timestamp,
    attemptedAt: nullable(Timestamp),
    nextAttemptAt: nullable(Timestamp),
  },
  { $id: 'WebhookDelivery', ...extension },
)

export const WebhookListSchema = Type.Object({ webhooks: Type.Array(component(WebhookSchema)) })

export const DeliveryListSchema = Type.Object({
  deliveries: Type.Array(component(DeliverySchema)),
  nextCursor: NextCursor,
})

export const WebhookBody = Type.Object({ url: Url, kinds: Kinds }, { additionalProperties: false })

export const webhookComponents = [WebhookSchema, WebhookWithSecretSchema, DeliverySchema]
