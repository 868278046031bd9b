import { Type } from 'typebox'
import { attachmentFields } from '#attachments/attachments.schema.ts'
import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor, PageQuery } from '#platform/paging.ts'
import { periodQuery } from '#platform/period.ts'
import {
  Address,
  added,
  BaseUnits,
  baseUnits,
  CalendarDate,
  DisplayName,
  extension,
  Hash,
  line,
  NonNeg,
  nullable,
  oneOf,
  PosInt,
  Timestamp,
  text,
  Uuid,
} from '#platform/values.ts'
import { CategoryCode } from './categories.schema.ts'
import { approvalStates, reviewActions } from './decisions.store.ts'
import { type ExpenseState, expenseMachine } from './expense.machine.ts'

export const ExpenseParams = Type.Object({ organizationId: Uuid, expenseId: Uuid })

const requestedMode = oneOf(['approved', 'automatic'])
const reviewAction = oneOf(reviewActions)

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
    nullable(
      Type.String({
        ...extension,
        description: 'Name of the category when the revision was written',
      }),
    ),
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
  {
    id: Uuid,
    authorAccountId: Uuid,
    displayName: DisplayName,
    body: Type.String(),
    createdAt: Timestamp,
  },
  { $id: 'ExpenseComment' },
)

const displayName = nullable(Type.String({ description: 'Null for an account without a name' }))

const ReviewSchema = Type.Object(
  {
    revision: PosInt,
    action: reviewAction,
    reason: Type.String(),
    accountId: Uuid,
    displayName,
    createdAt: Timestamp,
  },
  { $id: 'ExpenseReview', ...extension },
)

const ExpenseApprovalSchema = Type.Object(
  {
    approvalId: Uuid,
    expenseRevision: PosInt,
    state: oneOf(approvalStates),
    cancelled: Type.Boolean({ description: 'Its approver took it back before signing' }),
    approverAddress: Address,
    accountId: Uuid,
    displayName,
    deadline: Timestamp,
    signedAt: nullable(Timestamp),
  },
  { $id: 'ExpenseApproval', ...extension },
)

const expenseState = oneOf(statesOf(expenseMachine))

const listedFields = {
  id: Uuid,
  organizationId: Uuid,
  submitterAccountId: Uuid,
  submitterDisplayName: DisplayName,
  paymentId: Uuid,
  currentRevision: PosInt,
  state: expenseState,
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
    reviews: Type.Optional(
      Type.Array(component(ReviewSchema), { description: 'Newest first', ...extension }),
    ),
    approvals: Type.Optional(
      Type.Array(component(ExpenseApprovalSchema), { description: 'Newest first', ...extension }),
    ),
  },
  { $id: 'Expense' },
)

export const ExpenseListSchema = Type.Object({
  expenses: Type.Array(component(ListedExpenseSchema)),
  nextCursor: NextCursor,
})

const filters = {
  state: Type.Optional(
    Type.Array(expenseState, {
      minItems: 1,
      maxItems: statesOf(expenseMachine).length,
      description: 'Only expenses in this state; repeat it for several',
      ...extension,
    }),
  ),
  submitterAccountId: Type.Optional(added(Uuid, 'Only expenses submitted by this member')),
  recipientId: Type.Optional(
    added(Uuid, 'Only expenses whose current revision pays this recipient'),
  ),
  vaultId: Type.Optional(added(Uuid, 'Only expenses to be paid by this vault')),
  category: Type.Optional(added(line({ max: 40 }), 'Only expenses with this category code')),
  ...periodQuery('Only expenses created'),
  minAmount: Type.Optional(added(baseUnits({ digits: 39 }), 'Minimum amount in base units')),
  maxAmount: Type.Optional(added(baseUnits({ digits: 39 }), 'Maximum amount in base units')),
  q: Type.Optional(
    added(
      line({ max: 100 }),
      "Words, or beginnings of words, in the purpose, the reference or the recipient's label",
    ),
  ),
  waitingFor: Type.Optional(
    added(oneOf(['me']), 'Only expenses with a task that needs action by the caller'),
  ),
}

export const ExpenseCountQuery = Type.Object(filters)
export const ExpenseListQuery = Type.Object({ ...PageQuery.properties, ...filters })

export const ExpenseCountsSchema = Type.Object({
  counts: Type.Object(
    Object.fromEntries(statesOf(expenseMachine).map((state) => [state, NonNeg])) as Record<
      ExpenseState,
      typeof NonNeg
    >,
    { description: 'Expenses in each state' },
  ),
  total: NonNeg,
  isComplete: Type.Boolean({
    description:
      'False if there are more expenses than were counted. Without a filter, or with `state` ' +
      'alone, each state is counted up to 100; with any other filter the counts cover the ' +
      'newest 100 expenses or somewhat more',
  }),
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
    action: reviewAction,
    reason,
  },
  closed,
)
export const CommentBody = Type.Object({ body: text({ max: 4000 }) }, closed)

export const expenseComponents = [
  RevisionAttachmentSchema,
  RevisionSchema,
  CommentSchema,
  ReviewSchema,
  ExpenseApprovalSchema,
  ListedExpenseSchema,
  ExpenseSchema,
]
