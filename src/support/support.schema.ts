import { Type } from 'typebox'
import { statesOf } from '#platform/machine.ts'
import { line, nullable, oneOf, oneOfOrNull, Timestamp, text, Uuid } from '#platform/values.ts'
import { supportCaseMachine } from './support-case.machine.ts'

export const supportStatus = oneOf(statesOf(supportCaseMachine))
const statusAfter = oneOfOrNull(statesOf(supportCaseMachine))
const priority = Type.Integer({
  minimum: 1,
  maximum: 3,
  description: '1 low, 2 medium, 3 high',
})

export const CaseParams = Type.Object({ caseId: Uuid })

export const SupportCaseSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    openedByAccountId: Uuid,
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
    createdAt: Timestamp,
  },
  { $id: 'SupportNote' },
)

const closed = { additionalProperties: false }

export const CaseBody = Type.Object(
  {
    subject: line({ max: 200 }),
    priority: Type.Optional(priority),
    expenseId: Type.Optional(Uuid),
    paymentId: Type.Optional(Uuid),
  },
  closed,
)

export const NoteBody = Type.Object(
  { body: text({ max: 4000 }), status: Type.Optional(supportStatus) },
  closed,
)

export const supportComponents = [SupportCaseSchema, SupportNoteSchema]
