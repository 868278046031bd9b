import { Type } from '#platform/schema.ts'
import { nullable, oneOf } from '#platform/values.ts'
import { categories } from './preferences.ts'

/** As in docs/PUSH.md, which also says who is notified. */
const meanings: Record<(typeof categories)[number], string> = {
  approval_needed: 'an expense awaits a signature',
  review_needed: 'an expense awaits a review',
  payment_confirmed: 'a payment is final on chain',
  payment_blocked: 'a payment was blocked or has failed',
  payment_unrecorded: 'a vault made a payment that the service has no record of',
  policy_proposed: 'a policy waits in a vault before it takes effect',
  vault_changed: 'a vault was changed in a way that nobody prepared here',
  revision_requested: 'a reviewer wants an expense revised',
  member_role_changed: 'an owner changed the role of a member',
  support_updated: 'an operator answered or moved a support case',
  wallet_exported: 'the key of a server wallet was exported',
  wallet_export_locked: 'three failures locked the export of a wallet',
  webhook_disabled: 'a webhook was disabled because its receiver accepts nothing',
}

export const CategorySchema = oneOf(categories, {
  description: Object.entries(meanings)
    .map(([category, meaning]) => `- \`${category}\`: ${meaning}`)
    .join('\n'),
})

const PreferenceSchema = Type.Object(
  {
    category: CategorySchema,
    push: Type.Boolean({ description: 'Whether devices are notified' }),
    email: Type.Boolean({ description: 'Whether an e-mail is sent' }),
    required: Type.Boolean({ description: 'True: it cannot be switched off' }),
  },
  { title: 'NotificationPreference', additionalProperties: false },
)

export const NotificationPreferencesSchema = Type.Object(
  {
    preferences: Type.Array(PreferenceSchema, { description: 'Every category once' }),
    channels: Type.Object(
      {
        push: Type.Boolean({ description: 'Whether this deployment sends push messages' }),
        email: Type.Boolean({ description: 'Whether this deployment sends e-mail' }),
      },
      {
        title: 'NotificationChannels',
        description: 'What this deployment can send at all',
        additionalProperties: false,
      },
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
        { title: 'NotificationChoice', additionalProperties: false },
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
