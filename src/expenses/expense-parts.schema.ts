/** The parts of an expense: revisions, comments, reviews and approvals. */

import { attachmentFields } from '#attachments/attachments.schema.ts'
import { component } from '#http/openapi.ts'
import { Type } from '#platform/schema.ts'
import {
  Address,
  BaseUnits,
  CalendarDate,
  CreatedAt,
  DisplayName,
  described,
  extension,
  Hash,
  nullable,
  oneOf,
  PosInt,
  Timestamp,
  Uuid,
} from '#platform/values.ts'
import { approvalStates, reviewActions } from './decisions.store.ts'

export const requestedMode = oneOf(['approved', 'automatic'], {
  description:
    '`approved`: an approver signs the payment. `automatic`: it is paid without a signature if ' +
    'its report is clean and within the limits; otherwise an approver signs',
})

export const reviewAction = oneOf(reviewActions, {
  description:
    '`request_revision`: the submitter must revise it. `reject`: it ends here. ' +
    '`advance_to_approval`: an approver may sign it',
})

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
    nullable(Type.String({ ...extension, description: 'Code of the category. Null without one' })),
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
    nullable(
      Type.String({ ...extension, description: 'Such as an invoice number. Null without one' }),
    ),
  ),
  dueDate: Type.Optional(
    nullable(
      Type.Unsafe<string>({
        ...CalendarDate,
        ...extension,
        description: 'The day on which the payment is due. Null without one',
      }),
    ),
  ),
}

export const RevisionSchema = Type.Object(
  {
    revision: described(PosInt, 'Counts the revisions of the expense, from 1'),
    vaultId: described(Uuid, 'The vault that pays'),
    purpose: Type.String({ description: 'What the money is for, in the words of the submitter' }),
    recipientId: described(Uuid, 'The recipient that is paid'),
    recipientLabel: Type.String({ description: 'As it was when the revision was written' }),
    recipientAddress: described(
      Address,
      'As it was when the revision was written. A later change of the recipient redirects nothing',
    ),
    amountBaseUnits: described(BaseUnits, 'What is paid'),
    requestedMode,
    ...details,
    reason: nullable(
      Type.String({ description: 'Why the submitter revised it. Null for the first revision' }),
    ),
    versionHash: described(
      Hash,
      'Covers all terms of the revision. Approvers sign it, and the vault logs it',
    ),
    authorAccountId: described(Uuid, 'The member who wrote the revision'),
    createdAt: CreatedAt,
  },
  { $id: 'ExpenseRevision' },
)

export const CommentSchema = Type.Object(
  {
    id: described(Uuid, 'The id of the comment'),
    authorAccountId: described(Uuid, 'The member who wrote it'),
    displayName: DisplayName,
    body: Type.String({ description: 'Plain text, with line breaks' }),
    createdAt: CreatedAt,
  },
  { $id: 'ExpenseComment' },
)

const displayName = nullable(
  Type.String({ description: 'Name of that member. Null for an account without a name' }),
)

export const ReviewSchema = Type.Object(
  {
    revision: described(PosInt, 'The revision that was reviewed'),
    action: reviewAction,
    reason: Type.String({ description: 'What the reviewer gave as the reason' }),
    accountId: described(Uuid, 'The reviewer'),
    displayName,
    createdAt: CreatedAt,
  },
  { $id: 'ExpenseReview', ...extension },
)

export const ExpenseApprovalSchema = Type.Object(
  {
    approvalId: described(Uuid, 'The id of the approval'),
    expenseRevision: described(PosInt, 'The revision that it approves'),
    state: oneOf(approvalStates, {
      description:
        '`prepared`: not signed yet. `signed`: its payment is reserved. `consumed`: its payment ' +
        'is confirmed. `expired`, `superseded` and `invalidated`: it no longer entitles to pay',
    }),
    cancelled: Type.Boolean({ description: 'Its approver took it back before signing' }),
    approverAddress: described(Address, 'The wallet that signs or has signed'),
    accountId: described(Uuid, 'The approver'),
    displayName,
    deadline: described(Timestamp, 'The vault refuses the signature after it'),
    signedAt: nullable(described(Timestamp, 'Null until it is signed')),
    digest: described(Hash, 'What was signed. The vault refuses it once it is invalidated there'),
    policyVersion: described(PosInt, 'The vault refuses the signature under any other policy'),
  },
  { $id: 'ExpenseApproval', ...extension },
)

export const expensePartComponents = [
  RevisionAttachmentSchema,
  RevisionSchema,
  CommentSchema,
  ReviewSchema,
  ExpenseApprovalSchema,
]
