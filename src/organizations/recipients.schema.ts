import { component } from '#http/openapi.ts'
import { NextCursor } from '#platform/paging.ts'
import { Type } from '#platform/schema.ts'
import {
  Address,
  described,
  extension,
  line,
  OrganizationId,
  oneOf,
  PosInt,
  Uuid,
} from '#platform/values.ts'

export const RecipientParams = Type.Object({
  organizationId: OrganizationId,
  recipientId: described(Uuid, 'A recipient of the organization'),
})

const RecipientWarningSchema = Type.Object(
  {
    code: oneOf(['look_alike_address'], {
      description: 'Attackers create addresses that resemble known ones (address poisoning)',
    }),
    message: Type.String({ description: 'The warning, as a sentence' }),
    address: described(Address, 'The address that was added'),
    existingRecipientId: described(Uuid, 'The recipient that it resembles'),
    existingLabel: Type.String({ description: 'Label of that recipient' }),
    existingAddress: described(
      Address,
      'Address of that recipient: the same first and last four characters',
    ),
  },
  { $id: 'RecipientWarning' },
)

export const RecipientSchema = Type.Object(
  {
    id: described(Uuid, 'The recipient, as `recipientId` of an expense'),
    organizationId: OrganizationId,
    label: Type.String({ description: 'Name that members see and choose. Not unique' }),
    address: described(Address, 'Where payments go. It never changes'),
    chainId: Type.Integer({ description: 'EIP-155 id of the chain on which it is paid' }),
    active: Type.Boolean({
      description: 'False once it is deactivated. It is then never paid, and never active again',
    }),
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
  recipients: Type.Array(component(RecipientSchema), {
    description: 'Active and deactivated ones, newest first',
  }),
  nextCursor: NextCursor,
})

export const RecipientBody = Type.Object(
  {
    label: line({ max: 100, description: 'Name that members see and choose' }),
    address: described(
      Address,
      'Where payments go. Not the zero address, the token, a vault or the executor',
    ),
    chainId: described(PosInt, 'EIP-155 id of the chain of this deployment'),
  },
  { additionalProperties: false },
)

export const RecipientLabelBody = Type.Object(
  { label: line({ max: 100, description: 'The new name' }) },
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
