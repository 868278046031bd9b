import { Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor, PageQuery } from '#platform/paging.ts'
import {
  extension,
  line,
  nullable,
  oneOf,
  oneOfOrNull,
  Timestamp,
  text,
  Uuid,
} from '#platform/values.ts'
import { supportCaseMachine } from './support-case.machine.ts'

export const supportStatus = oneOf(statesOf(supportCaseMachine))
const statusAfter = oneOfOrNull(statesOf(supportCaseMachine))
const priority = Type.Integer({
  minimum: 1,
  maximum: 3,
  description: '1 low, 2 medium, 3 high',
})

export const CaseParams = Type.Object({ caseId: Uuid })
export const OwnCaseParams = Type.Object({ organizationId: Uuid, caseId: Uuid })
export const OwnCasesQuery = Type.Object({
  status: Type.Optional(supportStatus),
  ...PageQuery.properties,
})

export const SupportCaseSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    openedByAccountId: Uuid,
    displayName: nullable(
      Type.String({ description: 'Name of the member who opened the case', ...extension }),
    ),
    expenseId: nullable(Uuid),
    paymentIntentId: nullable(Uuid),
    subject: Type.String(),
    priority,
    status: supportStatus,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'SupportCase' },
)

export const SupportNoteSchema = Type.Object(
  {
    id: Uuid,
    supportCaseId: Uuid,
    authorAccountId: Uuid,
    body: Type.String(),
    statusAfter,
    visibleToCustomer: Type.Boolean({
      description: 'Whether members can read the note in the case',
      ...extension,
    }),
    createdAt: Timestamp,
  },
  { $id: 'SupportNote' },
)

export const SupportMessageSchema = Type.Object(
  {
    id: Uuid,
    author: oneOf(['member', 'support'], { description: 'Operators appear as support' }),
    accountId: nullable({ ...Uuid, description: 'The member who wrote it; null for support' }),
    displayName: nullable(Type.String({ description: 'Name of the member, or "support"' })),
    body: Type.String(),
    createdAt: Timestamp,
  },
  { $id: 'SupportMessage', ...extension },
)

export const OwnSupportCaseSchema = Type.Object(
  {
    ...SupportCaseSchema.properties,
    messages: Type.Array(component(SupportMessageSchema), {
      description: 'Messages from members and answers from support, oldest first',
    }),
  },
  { $id: 'OwnSupportCase', ...extension },
)

export const OwnCaseListSchema = Type.Object({
  cases: Type.Array(component(SupportCaseSchema)),
  nextCursor: NextCursor,
})

const BODY_MAX = 4000
const closed = { additionalProperties: false }

export const CaseBody = Type.Object(
  {
    subject: line({ max: 200 }),
    body: Type.Optional({
      ...text({ max: BODY_MAX, description: 'The first message of the case' }),
      ...extension,
    }),
    priority: Type.Optional(priority),
    expenseId: Type.Optional(Uuid),
    paymentId: Type.Optional(Uuid),
  },
  closed,
)

export const NoteBody = Type.Object(
  {
    body: text({ max: BODY_MAX }),
    status: Type.Optional(supportStatus),
    visibleToCustomer: Type.Optional(
      Type.Boolean({
        description: 'Shows the note to members, as a message from support. Default: false',
        ...extension,
      }),
    ),
  },
  closed,
)

export const MessageBody = Type.Object({ body: text({ max: BODY_MAX }) }, closed)

export const supportComponents = [
  SupportCaseSchema,
  SupportNoteSchema,
  SupportMessageSchema,
  OwnSupportCaseSchema,
]
