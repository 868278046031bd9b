import { component } from '#http/openapi.ts'
import { Type } from '#platform/schema.ts'
import { CreatedAt, described, line, nullable, Timestamp, Uuid } from '#platform/values.ts'
import { CategorySchema } from './preferences.schema.ts'

export const PushConfigSchema = Type.Object(
  {
    active: Type.Boolean({ description: 'Whether this deployment sends push messages' }),
    publicKey: Type.String({
      description: 'The applicationServerKey to subscribe with; empty while push is inactive',
    }),
  },
  { $id: 'PushConfig' },
)

export const PushSubscriptionSchema = Type.Object(
  {
    id: described(Uuid, 'The subscription. The same endpoint keeps it'),
    deviceLabel: Type.String({ description: 'Name of the device, as its owner gave it' }),
    active: Type.Boolean({
      description: 'False once it expired, was replaced, or its push service refused messages',
    }),
  },
  { $id: 'PushSubscription' },
)

const DeviceSchema = Type.Object(
  {
    ...PushSubscriptionSchema.properties,
    endpointHost: Type.String({ description: "Host of the browser's push service" }),
    createdAt: CreatedAt,
    renewedAt: described(Timestamp, 'When the device last subscribed'),
    expiresAt: described(
      nullable(Timestamp),
      'When the browser ends the subscription. Null if it named no time',
    ),
  },
  { $id: 'PushDevice', 'x-extension': true },
)

export const DeviceListSchema = Type.Object({
  subscriptions: Type.Array(component(DeviceSchema), {
    description: 'Most recently renewed first, including those that have ended',
  }),
})

export const NotificationSchema = Type.Object(
  {
    category: CategorySchema,
    route: Type.String({
      description: 'Path in the application to open, such as `/organizations/…/expenses/…`',
    }),
  },
  { $id: 'Notification' },
)

/** The last millisecond of the year 9999. */
const TIME_MAX = 253_402_300_799_999
const Endpoint = Type.String({
  format: 'uri',
  minLength: 1,
  maxLength: 1_024,
  description: 'https URL at the push service of the browser. It is never returned',
})
const key = (description: string) => Type.String({ minLength: 1, maxLength: 200, description })

/** The JSON form of a browser's `PushSubscription`, plus a label for the device. */
export const SubscribeBody = Type.Object(
  {
    endpoint: Endpoint,
    expirationTime: nullable(
      Type.Number({
        minimum: 0,
        maximum: TIME_MAX,
        description: 'Milliseconds since 1970, in the future. Null: the browser named no time',
      }),
    ),
    keys: Type.Object(
      {
        p256dh: key('Public key of the browser: an uncompressed P-256 point in base64url'),
        auth: key('Authentication secret of the browser: 16 bytes in base64url'),
      },
      {
        title: 'PushKeys',
        description: 'Keys to encrypt messages with (RFC 8291), from the browser',
        additionalProperties: false,
      },
    ),
    deviceLabel: line({ max: 100, description: 'Name that tells the devices of a person apart' }),
  },
  { additionalProperties: false },
)

export const UnsubscribeBody = Type.Object({ endpoint: Endpoint }, { additionalProperties: false })

export const DeviceParams = Type.Object({
  subscriptionId: described(Uuid, '`id` in `GET /v1/consumer/push/subscriptions`'),
})

export const NotificationParams = Type.Object({
  eventId: described(Uuid, '`eventId` in the push message'),
})

export const pushComponents = [
  PushConfigSchema,
  PushSubscriptionSchema,
  DeviceSchema,
  NotificationSchema,
]
