import { Type } from 'typebox'
import { nullable, oneOf } from '#platform/values.ts'
import { categories } from './preferences.ts'

export const CategorySchema = oneOf(categories, { description: 'What the notification is about' })

const PreferenceSchema = Type.Object(
  {
    category: CategorySchema,
    push: Type.Boolean({ description: 'Whether devices are notified' }),
    email: Type.Boolean({ description: 'Whether an e-mail is sent' }),
    required: Type.Boolean({ description: 'True: it cannot be switched off' }),
  },
  { additionalProperties: false },
)

export const NotificationPreferencesSchema = Type.Object(
  {
    preferences: Type.Array(PreferenceSchema, { description: 'Every category once' }),
    channels: Type.Object(
      {
        push: Type.Boolean({ description: 'Whether this deployment sends push messages' }),
        email: Type.Boolean({ description: 'Whether this deployment sends e-mail' }),
      },
      { additionalProperties: false },
    ),
    emailAddress: nullable(
      Type.String({
        description:
          "The caller's verified address, to which e-mails go; null if the identity provider has " +
          'verified none',
      }),
    ),
  },
  { $id: 'NotificationPreferences', additionalProperties: false },
)

export const PreferencesBody = Type.Object(
  {
    preferences: Type.Array(
      Type.Object(
        {
          category: CategorySchema,
          push: Type.Optional(Type.Boolean({ description: 'Notify devices; left out: unchanged' })),
          email: Type.Optional(Type.Boolean({ description: 'Send e-mail; left out: unchanged' })),
        },
        { additionalProperties: false },
      ),
      {
        minItems: 1,
        maxItems: categories.length,
        description: 'The categories to change, each once. Others keep their settings.',
      },
    ),
  },
  { additionalProperties: false },
)

export const preferenceComponents = [NotificationPreferencesSchema]
