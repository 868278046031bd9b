import { Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { NextCursor } from '#platform/paging.ts'
import { Address, extension, line, oneOf, PosInt, Uuid } from '#platform/values.ts'

export const RecipientParams = Type.Object({ organizationId: Uuid, recipientId: Uuid })

const RecipientWarningSchema = Type.Object(
  {
    code: oneOf(['look_alike_address']),
    message: Type.String({ description: 'The warning, as a sentence' }),
    address: Type.String({ ...Address, description: 'The address that was added' }),
    existingRecipientId: Type.String({ ...Uuid, description: 'The recipient that it resembles' }),
    existingLabel: Type.String({ description: 'Label of that recipient' }),
    existingAddress: Type.String({
      ...Address,
      description: 'Address of that recipient: the same first and last four characters',
    }),
  },
  { $id: 'RecipientWarning' },
)

export const RecipientSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    label: Type.String(),
    address: Address,
    chainId: Type.Integer(),
    active: Type.Boolean(),
    warnings: Type.Optional(
      Type.Array(component(RecipientWarningSchema), {
        description:
          'What to check before paying. Only in the response that adds the recipient, if any',
        ...extension,
      }),
    ),
  },
  { $id: 'Recipient' },
)

export const RecipientListSchema = Type.Object({
  recipients: Type.Array(component(RecipientSchema)),
  nextCursor: NextCursor,
})

export const RecipientBody = Type.Object(
  { label: line({ max: 100 }), address: Address, chainId: PosInt },
  { additionalProperties: false },
)

export const RecipientLabelBody = Type.Object(
  { label: line({ max: 100 }) },
  { additionalProperties: false },
)

/** The body limit of 256 KiB has room for this many rows with long labels. */
const IMPORT_MAX = 500

export const RecipientImportBody = Type.Object(
  {
    recipients: Type.Array(RecipientBody, {
      minItems: 1,
      maxItems: IMPORT_MAX,
      description: 'All of them are added, or none',
    }),
  },
  { additionalProperties: false },
)

export const ImportedRecipientsSchema = Type.Object(
  {
    recipients: Type.Array(component(RecipientSchema), { description: 'In the given order' }),
    warnings: Type.Array(component(RecipientWarningSchema), {
      description: 'What to check before paying',
    }),
  },
  { $id: 'ImportedRecipients' },
)

export const recipientComponents = [
  RecipientWarningSchema,
  RecipientSchema,
  ImportedRecipientsSchema,
]
