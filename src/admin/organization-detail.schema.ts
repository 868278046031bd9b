/** What operators see of one organization. */

import { agentRunState, ReportSchema } from '#analysis/analysis.schema.ts'
import { approvalState } from '#approvals/approval-state.schema.ts'
import { ListedExpenseSchema } from '#expenses/expenses.schema.ts'
import { component } from '#http/openapi.ts'
import { MemberSchema } from '#organizations/organizations.schema.ts'
import { AttemptSchema, PaymentSchema, ReceiptSchema } from '#payments/payments.schema.ts'
import { Type } from '#platform/schema.ts'
import {
  Address,
  CreatedAt,
  DisplayName,
  described,
  Hash,
  NonNeg,
  nullable,
  OrganizationId,
  oneOf,
  PosInt,
  Timestamp,
  UpdatedAt,
  Uuid,
} from '#platform/values.ts'
import { SupportCaseSchema, SupportNoteSchema } from '#support/support.schema.ts'
import { VaultSchema } from '#treasury/treasury.schema.ts'
import { AdminOrganizationSchema } from './organization.schema.ts'
import { VaultTermsSchema } from './vault-terms.schema.ts'

const paymentId = described(Uuid, 'The payment that it belongs to')
const expenseId = described(Uuid, 'The expense that it belongs to')
const expenseRevision = described(PosInt, 'The revision of the expense that it is about')

export const AgentRunSchema = Type.Object(
  {
    id: described(Uuid, 'The same id as `taskId` in the answer of `POST …/submit`'),
    organizationId: OrganizationId,
    expenseId,
    expenseRevision,
    state: described(
      agentRunState,
      '`queued`: waits for a worker. `running`: a worker analyses. `succeeded`: there is a ' +
        'report. `failed`: the expense is blocked, see `failureCode`.',
    ),
    attempts: described(NonNeg, 'How often a worker has started it'),
    failureCode: nullable(Type.String({ description: 'Why it failed. Null unless `failed`' })),
    createdAt: CreatedAt,
    updatedAt: UpdatedAt,
  },
  { $id: 'AgentRun', description: 'One analysis of a submitted revision' },
)

export const AdminAttemptSchema = Type.Object(
  { ...AttemptSchema.properties, organizationId: OrganizationId, paymentId },
  { $id: 'AdminPaymentAttempt', description: 'A transaction that was to make a payment' },
)

export const AdminReceiptSchema = Type.Object(
  { paymentId, ...ReceiptSchema.properties },
  { $id: 'AdminPaymentReceipt', description: 'The receipt of the transaction that paid' },
)

const AdminCommentSchema = Type.Object(
  {
    id: described(Uuid, 'Ids increase with time'),
    expenseId,
    authorAccountId: described(Uuid, 'The member who wrote it'),
    displayName: DisplayName,
    body: Type.String({ description: 'The text, as written' }),
    createdAt: CreatedAt,
  },
  { $id: 'AdminExpenseComment', description: 'A comment of a member on an expense' },
)

/** Without the typed data and the signature. */
export const ApprovalSchema = Type.Object(
  {
    id: described(Uuid, 'Also the approval id in the typed data that was signed'),
    organizationId: OrganizationId,
    expenseId,
    expenseRevision,
    vaultId: described(Uuid, 'The vault that pays'),
    accountId: described(Uuid, 'The member who prepared it, and who signs'),
    displayName: DisplayName,
    approverAddress: described(Address, 'The wallet that signs'),
    policyVersion: described(PosInt, "The version of the vault's policy that it was prepared for"),
    reportHash: described(Hash, 'Hash of the analysis report that the approver saw'),
    expenseVersionHash: described(Hash, 'Hash of the revision that the approver saw'),
    deadline: described(Timestamp, 'The vault accepts the signature until then'),
    digest: described(Hash, 'The EIP-712 digest that is signed'),
    state: approvalState,
    cancelledAt: nullable(
      described(Timestamp, 'When the approver cancelled signing. Null if they did not'),
    ),
    endCode: nullable(Type.String({ description: 'Why it ended unused. Null otherwise' })),
    invalidationTransactionHash: nullable(
      described(Hash, 'The transaction that invalidated it. Null unless `invalidated`'),
    ),
    createdAt: CreatedAt,
    updatedAt: UpdatedAt,
  },
  {
    $id: 'AdminApproval',
    description: 'An approval, without the typed data and the signature',
  },
)

export const AuditEventSchema = Type.Object(
  {
    id: described(Uuid, 'The event'),
    seq: described(PosInt, "Position in the organization's trail: 1, 2, 3 …"),
    action: Type.String({ description: 'What happened, such as `expense.created`' }),
    actorRealm: oneOf(['consumer', 'admin', 'system'], {
      description: '`consumer`: a member. `admin`: an operator. `system`: the service itself.',
    }),
    actorAccountId: nullable(described(Uuid, 'Who did it. Null for the service itself')),
    displayName: DisplayName,
    aggregateType: Type.String({ description: 'Kind of the thing that changed' }),
    aggregateId: Type.String({ description: 'Id of the thing that changed' }),
    data: Type.Object(
      {},
      { additionalProperties: true, description: 'Details; the fields depend on `action`' },
    ),
    requestId: nullable(
      Type.String({ description: '`X-Request-Id` of the request. Null for work of a job' }),
    ),
    occurredAt: described(Timestamp, 'When it was recorded'),
    hash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 that covers this event and every event before it in the trail',
    }),
  },
  { $id: 'AuditEvent', description: "An event of an organization's audit trail" },
)

export const AdminOrganizationDetailSchema = Type.Object(
  {
    organization: described(
      component(AdminOrganizationSchema),
      'Its counts cover all rows, not only those below',
    ),
    treasuryVaults: Type.Array(component(VaultSchema), {
      description: 'Vaults in every state, also archived ones',
    }),
    vaultTerms: Type.Array(component(VaultTermsSchema), {
      description: 'How each of these vaults limits payments, and what waits in it',
      'x-extension': true,
    }),
    members: Type.Array(component(MemberSchema), {
      description: 'Active and revoked members',
    }),
    expenses: Type.Array(component(ListedExpenseSchema), {
      description: 'Expenses with their current revision, also drafts',
    }),
    expenseComments: Type.Array(component(AdminCommentSchema), {
      description: 'Comments on expenses',
    }),
    reports: Type.Array(component(ReportSchema), { description: 'Reports of the analysis' }),
    agentRuns: Type.Array(component(AgentRunSchema), { description: 'Analysis runs' }),
    approvals: Type.Array(component(ApprovalSchema), { description: 'Approvals in every state' }),
    auditEvents: Type.Array(component(AuditEventSchema), {
      description: 'Audit events, including reads by operators',
    }),
    payments: Type.Array(component(PaymentSchema), { description: 'Payments in every state' }),
    attempts: Type.Array(component(AdminAttemptSchema), { description: 'Attempts of payments' }),
    receipts: Type.Array(component(AdminReceiptSchema), {
      description: 'Receipts of confirmed payments',
    }),
    supportCases: Type.Array(component(SupportCaseSchema), { description: 'Support cases' }),
    supportNotes: Type.Array(component(SupportNoteSchema), {
      description: 'Notes of operators, internal and visible',
    }),
    truncated: Type.Array(Type.String(), {
      description: 'Names of the arrays above that contain only their newest hundred rows',
      'x-extension': true,
    }),
  },
  { title: 'AdminOrganizationDetail' },
)

export const organizationDetailComponents = [
  AgentRunSchema,
  AdminAttemptSchema,
  AdminReceiptSchema,
  AdminCommentSchema,
  ApprovalSchema,
  AuditEventSchema,
  VaultTermsSchema,
]
