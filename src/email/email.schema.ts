import { Type } from 'typebox'
import { CategorySchema } from '#push/preferences.schema.ts'

export const UnsubscribeParams = Type.Object({
  unsubscribeToken: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'The token in the unsubscribe link',
  }),
})

export const EmailUnsubscriptionSchema = Type.Object(
  { category: CategorySchema },
  { $id: 'EmailUnsubscription', additionalProperties: false },
)

export const emailComponents = [EmailUnsubscriptionSchema]
