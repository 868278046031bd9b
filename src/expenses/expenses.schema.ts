import { Type } from 'typebox'
import { attachmentFields } from '#attachments/attachments.schema.ts'
import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor } from '#platform/paging.ts'
import {
  Address,
  BaseUnits,
  baseUnits,
  CalendarDate,
  extension,
  Hash,
  line,
  nullable,
  oneOf,
  PosInt,
  Timestamp,
  text,
  Uuid,
} from '#platform/values.ts'
import { CategoryCode } from './categories.schema.ts'
import { expenseMachine } from './expense.machine.ts'

export const ExpenseParams = Type.Object({ organizationId: Uuid, expenseId: Uuid })

const requestedMode = oneOf(['approved', 'automatic'])

const RevisionAttachmentSchema = Type.Object(attachmentFields, { $id: 'RevisionAttachment' })

/** Added to the revision of the contract. */
const details = {
  attachments: Type.Optional(
    Type.Array(component(RevisionAttachmentSchema), {
      ...extension,
      description: 'In the order in which the version hash covers them',
    }),
  ),
  category: Type.Optional(
    nullable(Type.String({ ...extension, description: 'Code of the category' })),
  ),
  categoryName: Type.Optional(
    nullable(Type.String({ ...extension, description: 'Name of the category at that time' })),
  ),
  reference: Type.Optional(
    nullable(Type.String({ ...extension, description: 'Such as an invoice number' })),
  ),
  dueDate: Type.Optional(nullable(Type.Unsafe<string>({ ...CalendarDate, ...extension }))),
}

const RevisionSchema = Type.Object(
  {
    revision: PosInt,
    vaultId: Uuid,
    purpose: Type.String(),
    recipientId: Uuid,
    recipientLabel: Type.String(),
    recipientAddress: Address,
    amountBaseUnits: BaseUnits,
    requestedMode,
    ...details,
    reason: nullable(Type.String()),
    versionHash: Hash,
    authorAccountId: Uuid,
    createdAt: Timestamp,
  },
  { $id: 'ExpenseRevision' },
)

const CommentSchema = Type.Object(
  { id: Uuid, authorAccountId: Uuid, body: Type.String(), createdAt: Timestamp },
  { $id: 'ExpenseComment' },
)

const listedFields = {
  id: Uuid,
  organizationId: Uuid,
  submitterAccountId: Uuid,
  paymentId: Uuid,
  currentRevision: PosInt,
  state: oneOf(statesOf(expenseMachine)),
  blockCode: nullable(
    Type.String({ description: 'Why the expense is blocked; null in other states', ...extension }),
  ),
  currentReportId: nullable(Uuid),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  revision: component(RevisionSchema),
}

export const ListedExpenseSchema = Type.Object(listedFields, { $id: 'ListedExpense' })

export const ExpenseSchema = Type.Object(
  {
    ...listedFields,
    revisions: Type.Array(component(RevisionSchema)),
    comments: Type.Array(component(CommentSchema)),
  },
  { $id: 'Expense' },
)

export const ExpenseListSchema = Type.Object({
  expenses: Type.Array(component(ListedExpenseSchema)),
  nextCursor: NextCursor,
})

const terms = {
  vaultId: Uuid,
  purpose: text({ max: 2000 }),
  recipientId: Uuid,
  amountBaseUnits: baseUnits({ digits: 39 }),
  requestedMode,
  attachmentIds: Type.Optional(
    Type.Array(Uuid, {
      ...extension,
      maxItems: 10,
      uniqueItems: true,
      description:
        'Uploaded attachments, in the order in which they are shown. The version hash covers the ' +
        'SHA-256 of each.',
    }),
  ),
  category: Type.Optional(
    nullable(
      Type.Unsafe<string>({
        ...CategoryCode,
        ...extension,
        description: "Code of one of the organization's categories",
      }),
    ),
  ),
  reference: Type.Optional(
    nullable(
      Type.Unsafe<string>({
        ...line({ max: 100 }),
        ...extension,
        description: 'Such as an invoice number',
      }),
    ),
  ),
  dueDate: Type.Optional(
    nullable(
      Type.Unsafe<string>({
        ...CalendarDate,
        ...extension,
        description: 'The day on which the payment is due',
      }),
    ),
  ),
}
const expectedVersion = PosInt
const reason = text({ max: 1000 })
const closed = { additionalProperties: false }

export const ExpenseBody = Type.Object(terms, closed)
export const RevisionBody = Type.Object({ ...terms, expectedVersion, reason }, closed)
export const VersionBody = Type.Object({ expectedVersion }, closed)
export const ReviewBody = Type.Object(
  {
    expectedVersion,
    action: oneOf(['request_revision', 'reject', 'advance_to_approval']),
    reason,
  },
  closed,
)
export const CommentBody = Type.Object({ body: text({ max: 4000 }) }, closed)

export const expenseComponents = [
  RevisionAttachmentSchema,
  RevisionSchema,
  CommentSchema,
  ListedExpenseSchema,
  ExpenseSchema,
]
