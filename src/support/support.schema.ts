import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor, PageQuery } from '#platform/paging.ts'
import { Type } from '#platform/schema.ts'
import {
  added,
  CreatedAt,
  described,
  extension,
  line,
  nullable,
  OrganizationId,
  oneOf,
  oneOfOrNull,
  text,
  UpdatedAt,
  Uuid,
} from '#platform/values.ts'
import { supportCaseMachine } from './support-case.machine.ts'

export const supportStatus = oneOf(statesOf(supportCaseMachine), {
  description:
    '`open`: nobody has looked at it yet. `investigating`: operators work on it. `resolved`: it ' +
    'is answered. `reopened`: the answer did not help.',
})
const statusAfter = described(
  oneOfOrNull(statesOf(supportCaseMachine)),
  'The status that the note gave the case. Null if it left the status unchanged',
)
const priority = Type.Integer({
  minimum: 1,
  maximum: 3,
  description: '1 low, 2 medium, 3 high',
})
const caseId = described(Uuid, 'The support case')

export const CaseParams = Type.Object({ caseId })
export const OwnCaseParams = Type.Object({ organizationId: OrganizationId, caseId })
export const OwnCasesQuery = Type.Object({
  status: Type.Optional(described(supportStatus, 'Only cases with this status')),
  ...PageQuery.properties,
})

export const SupportCaseSchema = Type.Object(
  {
    id: described(Uuid, 'Ids increase with time'),
    organizationId: OrganizationId,
    openedByAccountId: described(Uuid, 'The member who opened the case'),
    displayName: nullable(
      Type.String({ description: 'Name of the member who opened the case', ...extension }),
    ),
    expenseId: nullable(described(Uuid, 'The expense that it is about. Null if it names none')),
    paymentIntentId: nullable(
      described(Uuid, 'The payment that it is about. Null if it names none'),
    ),
    subject: Type.String({ description: 'One line that says what it is about' }),
    priority,
    status: supportStatus,
    createdAt: CreatedAt,
    updatedAt: described(UpdatedAt, 'When something was last written, or its status changed'),
  },
  { $id: 'SupportCase', description: "A member's request for help" },
)

export const SupportNoteSchema = Type.Object(
  {
    id: described(Uuid, 'Ids increase with time'),
    supportCaseId: described(Uuid, 'The case that it belongs to'),
    authorAccountId: described(Uuid, 'The operator who wrote it'),
    body: Type.String({ description: 'The text, as written' }),
    statusAfter,
    visibleToCustomer: added(Type.Boolean(), 'Whether members can read the note in the case'),
    createdAt: CreatedAt,
  },
  { $id: 'SupportNote', description: 'What an operator wrote about a case' },
)

export const SupportMessageSchema = Type.Object(
  {
    id: described(Uuid, 'Ids increase with time'),
    author: oneOf(['member', 'support'], { description: 'Operators appear as support' }),
    accountId: nullable({ ...Uuid, description: 'The member who wrote it; null for support' }),
    displayName: nullable(
      Type.String({ description: 'Name of the member, or "support". Null if the name is unknown' }),
    ),
    body: Type.String({ description: 'The text, as written' }),
    createdAt: CreatedAt,
  },
  {
    $id: 'SupportMessage',
    description: 'A message of a member, or an answer from support',
    ...extension,
  },
)

export const OwnSupportCaseSchema = Type.Object(
  {
    ...SupportCaseSchema.properties,
    messages: Type.Array(component(SupportMessageSchema), {
      description: 'Messages from members and answers from support, oldest first',
    }),
  },
  {
    $id: 'OwnSupportCase',
    description: 'A support case with what members can read of it',
    ...extension,
  },
)

export const OwnCaseListSchema = Type.Object({
  cases: Type.Array(component(SupportCaseSchema), { description: 'Newest first' }),
  nextCursor: NextCursor,
})

const BODY_MAX = 4000
const closed = { additionalProperties: false }

export const CaseBody = Type.Object(
  {
    subject: line({ max: 200, description: 'One line that says what it is about' }),
    body: Type.Optional({
      ...text({ max: BODY_MAX, description: 'The first message of the case' }),
      ...extension,
    }),
    priority: Type.Optional(described(priority, '1 low, 2 medium, 3 high. Without it: 2')),
    expenseId: Type.Optional(described(Uuid, 'An expense that the caller can see')),
    paymentId: Type.Optional(
      described(Uuid, 'A payment that the caller can see; with `expenseId`, of that expense'),
    ),
  },
  closed,
)

export const NoteBody = Type.Object(
  {
    body: text({ max: BODY_MAX, description: 'The text of the note' }),
    status: Type.Optional(
      described(supportStatus, 'The next status of the case. Without it, the status stays'),
    ),
    visibleToCustomer: Type.Optional(
      Type.Boolean({
        description: 'Shows the note to members, as a message from support. Default: false',
        ...extension,
      }),
    ),
  },
  closed,
)

export const MessageBody = Type.Object(
  { body: text({ max: BODY_MAX, description: 'The text of the message' }) },
  closed,
)

export const supportComponents = [
  SupportCaseSchema,
  SupportNoteSchema,
  SupportMessageSchema,
  OwnSupportCaseSchema,
]
