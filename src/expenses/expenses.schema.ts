import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor } from '#platform/paging.ts'
import { Type } from '#platform/schema.ts'
import {
  added,
  baseUnits,
  CalendarDate,
  CreatedAt,
  DisplayName,
  described,
  extension,
  line,
  NonNeg,
  nullable,
  OrganizationId,
  oneOf,
  PosInt,
  text,
  UpdatedAt,
  Uuid,
} from '#platform/values.ts'
import { CategoryCode } from './categories.schema.ts'
import { type ExpenseState, expenseMachine } from './expense.machine.ts'
import {
  CommentSchema,
  ExpenseApprovalSchema,
  expensePartComponents,
  ReviewSchema,
  RevisionSchema,
  requestedMode,
  reviewAction,
} from './expense-parts.schema.ts'

const expenseId = described(Uuid, 'The id of the expense')

export const ExpenseParams = Type.Object({ organizationId: OrganizationId, expenseId })

export const stateMeanings: Readonly<Record<ExpenseState, string>> = {
  draft: 'Not submitted yet, or revised since',
  analysis_queued: 'Submitted; waits for its analysis',
  analyzing: 'A worker analyses it',
  needs_review: 'An owner or a manager must review it',
  revision_requested: 'The submitter must revise it',
  awaiting_approval: 'An approver must sign it',
  approved_ready_for_payment: 'Signed; its payment is reserved or queued',
  automatic_ready_for_payment: 'Cleared without a signature; its payment is reserved or queued',
  executing: 'Its payment is being sent',
  reconciling: 'The outcome of its payment is unknown and looked for on the chain',
  paid: 'Its payment is final on the chain',
  rejected: 'A reviewer has rejected it',
  cancelled: 'The submitter has cancelled it',
  blocked: 'Its analysis or its payment cannot go on: see `blockCode`',
}

export const expenseState = oneOf(statesOf(expenseMachine), {
  description: Object.entries(stateMeanings)
    .map(([state, meaning]) => `- \`${state}\`: ${meaning}`)
    .join('\n'),
})

const listedFields = {
  id: expenseId,
  organizationId: OrganizationId,
  submitterAccountId: described(Uuid, 'The member who created it'),
  submitterDisplayName: DisplayName,
  paymentId: described(
    Uuid,
    'The id that its payment has as soon as it is reserved. Never changes',
  ),
  currentRevision: described(PosInt, 'Send it as `expectedVersion` to change the expense'),
  state: expenseState,
  blockCode: nullable(
    Type.String({
      description:
        'Why the expense is blocked, such as `insufficient_funds`: docs/PAYMENTS.md has all ' +
        'codes and what to do. Null in other states',
      ...extension,
    }),
  ),
  currentReportId: nullable(
    described(Uuid, 'The report of the current revision. Null until it is analysed'),
  ),
  createdAt: CreatedAt,
  updatedAt: UpdatedAt,
  revision: described(component(RevisionSchema), 'The current revision'),
}

export const ListedExpenseSchema = Type.Object(listedFields, { $id: 'ListedExpense' })

export const ExpenseSchema = Type.Object(
  {
    ...listedFields,
    revisions: Type.Array(component(RevisionSchema), {
      description: 'All revisions, the current one included, newest first',
    }),
    comments: Type.Array(component(CommentSchema), {
      description: 'The newest 50, newest first. `commentsNextCursor` leads to the others',
    }),
    commentsNextCursor: Type.Optional(
      added(
        NextCursor,
        'Send it as `cursor` to `GET …/expenses/{expenseId}/comments` for the older comments. ' +
          'Null if `comments` has them all',
      ),
    ),
    reviews: Type.Optional(
      Type.Array(component(ReviewSchema), { description: 'Newest first', ...extension }),
    ),
    approvals: Type.Optional(
      Type.Array(component(ExpenseApprovalSchema), { description: 'Newest first', ...extension }),
    ),
    requiredApprovals: Type.Optional(
      added(
        nullable(PosInt),
        'How many different approvers must sign an approved payment of it, by the policy in ' +
          'force. Null if its vault has no policy; absent right after its creation',
      ),
    ),
    signedApprovals: Type.Optional(
      added(NonNeg, 'How many have signed the current revision, and whose signature counts'),
    ),
  },
  { $id: 'Expense' },
)

export const CommentListSchema = Type.Object(
  {
    comments: Type.Array(component(CommentSchema), { description: 'Newest first' }),
    nextCursor: NextCursor,
  },
  { title: 'ExpenseCommentList' },
)

const terms = {
  vaultId: described(Uuid, 'The vault that pays: verified and not archived'),
  purpose: text({ max: 2000, description: 'What the money is for' }),
  recipientId: described(Uuid, 'An active recipient of the organization'),
  amountBaseUnits: described(baseUnits({ digits: 39 }), 'What to pay: more than 0, below 2^128'),
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

export const expectedVersion = described(
  PosInt,
  'The revision that the caller has seen. Refused if it is no longer the current one',
)
const reasonOf = (description: string) => text({ max: 1000, description })
const closed = { additionalProperties: false }

export const ExpenseBody = Type.Object(terms, closed)
export const RevisionBody = Type.Object(
  { ...terms, expectedVersion, reason: reasonOf('What was changed, and why') },
  closed,
)
export const VersionBody = Type.Object(
  { expectedVersion },
  { ...closed, title: 'ExpectedVersionBody' },
)
export const ReviewBody = Type.Object(
  {
    expectedVersion,
    action: reviewAction,
    reason: reasonOf('Why. The submitter and other reviewers see it'),
  },
  closed,
)
export const CommentBody = Type.Object(
  { body: text({ max: 4000, description: 'Plain text; everyone who sees the expense sees it' }) },
  closed,
)

export const expenseComponents = [...expensePartComponents, ListedExpenseSchema, ExpenseSchema]
