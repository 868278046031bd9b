import { Type } from '#platform/schema.ts'
import { described } from '#platform/values.ts'
import { CategorySchema } from '#push/preferences.schema.ts'

export const UnsubscribeParams = Type.Object({
  unsubscribeToken: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The token in the unsubscribe link',
  }),
})

export const EmailUnsubscriptionSchema = Type.Object(
  {
    category: described(
      CategorySchema,
      'The category in the link. It is now off, unless it is required',
    ),
  },
  { $id: 'EmailUnsubscription', additionalProperties: false },
)

export const emailComponents = [EmailUnsubscriptionSchema]
