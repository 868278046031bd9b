import { component } from '#http/openapi.ts'
import { liveKinds } from '#live/live.schema.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor } from '#platform/paging.ts'
import { Type } from '#platform/schema.ts'
import {
  CreatedAt,
  described,
  extension,
  NonNeg,
  nullable,
  OrganizationId,
  oneOf,
  Timestamp,
  UpdatedAt,
  Uuid,
} from '#platform/values.ts'
import { webhookDeliveryMachine, webhookMachine } from './webhook.machine.ts'

export const WebhookParams = Type.Object({
  organizationId: OrganizationId,
  webhookId: described(Uuid, 'A webhook of the organization'),
})

const Url = Type.String({
  format: 'uri',
  minLength: 1,
  maxLength: 1_024,
  description:
    'https on port 443 of a host on the public internet; in development also http on loopback. ' +
    'Redirects are not followed',
})
/** As stored: checked when the webhook was created. */
const Kind = Type.Unsafe<string>(oneOf(liveKinds, { description: 'Kind of a live event' }))
const Kinds = Type.Array(oneOf(liveKinds), {
  minItems: 1,
  maxItems: liveKinds.length,
  uniqueItems: true,
  description: 'The kinds of live events to send',
})

export const WebhookSchema = Type.Object(
  {
    id: described(Uuid, 'The webhook'),
    organizationId: OrganizationId,
    url: Type.String({ description: 'Where events are sent' }),
    kinds: Type.Array(Kind, { description: 'The kinds of live events that are sent' }),
    state: oneOf(statesOf(webhookMachine), {
      description:
        'disabled: nothing is sent until an owner calls `POST …/enable`. `disabledCode` says why',
    }),
    disabledCode: Type.Unsafe<'gone' | 'failing' | null>({
      type: ['string', 'null'],
      enum: ['gone', 'failing', null],
      description:
        'gone: the receiver answered 410. failing: it accepted nothing for 20 hours. Null while ' +
        'the webhook is active',
    }),
    createdByAccountId: described(Uuid, 'The member who created it'),
    displayName: nullable(
      Type.String({ description: 'Name of the member who created it. Null if there is none' }),
    ),
    failingSince: nullable({
      ...Timestamp,
      description: 'Every attempt since then has failed; null if the last one succeeded',
    }),
    previousSecretExpiresAt: nullable({
      ...Timestamp,
      description: 'Until then the previous secret signs too; null without a previous secret',
    }),
    createdAt: CreatedAt,
    updatedAt: described(UpdatedAt, 'When it was last enabled or disabled, or created'),
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
    id: described(Uuid, 'The delivery'),
    eventId: described(Uuid, 'Id of the live event, and the webhook-id of the message'),
    kind: Kind,
    state: oneOf(statesOf(webhookDeliveryMachine), {
      description:
        'pending: another attempt follows. delivered: the receiver answered 2xx. failed: no ' +
        'attempt follows',
    }),
    attempt: described(NonNeg, 'Attempts made so far, of at most eight in about a day'),
    statusCode: nullable(
      Type.Integer({ description: 'Of the last attempt; null if the endpoint did not answer' }),
    ),
    error: nullable(
      Type.String({
        description: 'Why the last attempt failed. Null if it succeeded or none was made',
      }),
    ),
    createdAt: described(CreatedAt, 'When the event was queued for this webhook'),
    attemptedAt: described(nullable(Timestamp), 'When the last attempt was made. Null before it'),
    nextAttemptAt: described(nullable(Timestamp), 'Null once it is delivered or has failed'),
  },
  { $id: 'WebhookDelivery', ...extension },
)

export const WebhookListSchema = Type.Object({
  webhooks: Type.Array(component(WebhookSchema), { description: 'Newest first' }),
})

export const DeliveryListSchema = Type.Object({
  deliveries: Type.Array(component(DeliverySchema), { description: 'Newest first' }),
  nextCursor: NextCursor,
})

export const WebhookBody = Type.Object({ url: Url, kinds: Kinds }, { additionalProperties: false })

export const webhookComponents = [WebhookSchema, WebhookWithSecretSchema, DeliverySchema]
