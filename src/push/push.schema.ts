import { Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { line, nullable, oneOf, Timestamp, Uuid } from '#platform/values.ts'

export const PushConfigSchema = Type.Object(
  {
    active: Type.Boolean(),
    publicKey: Type.String({
      description: 'The applicationServerKey to subscribe with; empty while push is inactive',
    }),
  },
  { $id: 'PushConfig' },
)

export const PushSubscriptionSchema = Type.Object(
  { id: Uuid, deviceLabel: Type.String(), active: Type.Boolean() },
  { $id: 'PushSubscription' },
)

const DeviceSchema = Type.Object(
  {
    ...PushSubscriptionSchema.properties,
    endpointHost: Type.String({ description: "Host of the browser's push service" }),
    createdAt: Timestamp,
    renewedAt: { ...Timestamp, description: 'When the device last subscribed' },
    expiresAt: nullable(Timestamp),
  },
  { $id: 'PushDevice', 'x-extension': true },
)

export const DeviceListSchema = Type.Object({ subscriptions: Type.Array(component(DeviceSchema)) })

export const NotificationSchema = Type.Object(
  {
    category: oneOf([
      'approval_needed',
      'review_needed',
      'payment_confirmed',
      'payment_blocked',
      'payment_unrecorded',
      'revision_requested',
      'member_role_changed',
      'support_updated',
      'wallet_exported',
      'wallet_export_locked',
      'webhook_disabled',
    ]),
    route: Type.String({ description: 'Path in the application to open' }),
  },
  { $id: 'Notification' },
)

/** The last millisecond of the year 9999. */
const TIME_MAX = 253_402_300_799_999
const Endpoint = Type.String({ format: 'uri', minLength: 1, maxLength: 1_024 })
const Key = Type.String({ minLength: 1, maxLength: 200 })

/** The JSON form of a browser's `PushSubscription`, plus a label for the device. */
export const SubscribeBody = Type.Object(
  {
    endpoint: Endpoint,
    expirationTime: nullable(Type.Number({ minimum: 0, maximum: TIME_MAX })),
    keys: Type.Object({ p256dh: Key, auth: Key }, { additionalProperties: false }),
    deviceLabel: line({ max: 100 }),
  },
  { additionalProperties: false },
)

export const UnsubscribeBody = Type.Object({ endpoint: Endpoint }, { additionalProperties: false })

export const DeviceParams = Type.Object({ subscriptionId: Uuid })

export const NotificationParams = Type.Object({ eventId: Uuid })

export const pushComponents = [
  PushConfigSchema,
  PushSubscriptionSchema,
  DeviceSchema,
  NotificationSchema,
]
