import { Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor } from '#platform/paging.ts'
import {
  Address,
  BaseUnits,
  baseUnits,
  DisplayName,
  extension,
  Hash,
  nullable,
  oneOf,
  PosInt,
  Timestamp,
  text,
  Uuid,
} from '#platform/values.ts'
import { expenseMachine } from './expense.machine.ts'

export const ExpenseParams = Type.Object({ organizationId: Uuid, expenseId: Uuid })

const requestedMode = oneOf(['approved', 'automatic'])

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

const listedFields = {
  id: Uuid,
  organizationId: Uuid,
  submitterAccountId: Uuid,
  submitterDisplayName: DisplayName,
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

export const expenseComponents = [RevisionSchema, CommentSchema, ListedExpenseSchema, ExpenseSchema]
