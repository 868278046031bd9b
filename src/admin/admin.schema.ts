import { INTEGER_MAX } from '@countersign/proof/values.ts'
import { Type } from 'typebox'
import { agentRunState, ReportSchema } from '#analysis/analysis.schema.ts'
import { ListedExpenseSchema } from '#expenses/expenses.schema.ts'
import { component } from '#http/openapi.ts'
import { MemberSchema } from '#organizations/organizations.schema.ts'
import { AttemptSchema, PaymentSchema, ReceiptSchema } from '#payments/payments.schema.ts'
import { UnrecordedPayments } from '#payments/unrecorded-payments.schema.ts'
import { NextCursor, PageQuery } from '#platform/paging.ts'
import { severities } from '#platform/severity.ts'
import {
  Address,
  DisplayName,
  Hash,
  line,
  NonNeg,
  nullable,
  oneOf,
  PosInt,
  Timestamp,
  Uuid,
} from '#platform/values.ts'
import {
  SupportCaseSchema,
  SupportMessageSchema,
  SupportNoteSchema,
  supportStatus,
} from '#support/support.schema.ts'
import { VaultSchema } from '#treasury/treasury.schema.ts'

const openUnrecorded = Type.Integer({
  minimum: 0,
  maximum: INTEGER_MAX,
  description: 'Unrecorded payments that no owner has acknowledged',
  'x-extension': true,
})

export const AdminOverviewSchema = Type.Object(
  {
    checkedAt: Timestamp,
    organizations: NonNeg,
    activeAnalysisRuns: NonNeg,
    failedAnalysisRuns: NonNeg,
    failedPayments: NonNeg,
    reconcilingPayments: NonNeg,
    openSupportCases: NonNeg,
    unrecordedPayments: openUnrecorded,
  },
  { $id: 'AdminOverview' },
)

const AdminOrganizationSchema = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    createdAt: Timestamp,
    memberCount: NonNeg,
    vaultCount: NonNeg,
    openSupportCases: NonNeg,
    failedPayments: NonNeg,
    unrecordedPayments: openUnrecorded,
    severity: oneOf(severities),
  },
  { $id: 'AdminOrganization' },
)

export const AdminOrganizationsQuery = Type.Object({
  q: Type.Optional(
    line({
      min: 0,
      max: 100,
      description:
        'Part of the name (case-insensitive), or an exact id, vault address, payment id or ' +
        'transaction hash',
    }),
  ),
  ...PageQuery.properties,
})

export const AdminOrganizationListSchema = Type.Object({
  organizations: Type.Array(component(AdminOrganizationSchema)),
  nextCursor: NextCursor,
})

const AgentRunSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    expenseId: Uuid,
    expenseRevision: PosInt,
    state: agentRunState,
    attempts: NonNeg,
    failureCode: nullable(Type.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'AgentRun' },
)

const AdminAttemptSchema = Type.Object(
  { ...AttemptSchema.properties, organizationId: Uuid, paymentId: Uuid },
  { $id: 'AdminPaymentAttempt' },
)

const AdminReceiptSchema = Type.Object(
  { paymentId: Uuid, ...ReceiptSchema.properties },
  { $id: 'AdminPaymentReceipt' },
)

const AdminCommentSchema = Type.Object(
  {
    id: Uuid,
    expenseId: Uuid,
    authorAccountId: Uuid,
    displayName: DisplayName,
    body: Type.String(),
    createdAt: Timestamp,
  },
  { $id: 'AdminExpenseComment' },
)

/** Without the typed data and the signature. */
const ApprovalSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    expenseId: Uuid,
    expenseRevision: PosInt,
    vaultId: Uuid,
    accountId: Uuid,
    displayName: DisplayName,
    approverAddress: Address,
    policyVersion: PosInt,
    reportHash: Hash,
    expenseVersionHash: Hash,
    deadline: Timestamp,
    digest: Hash,
    state: Type.String(),
    cancelledAt: nullable(Timestamp),
    endCode: nullable(Type.String()),
    invalidationTransactionHash: nullable(Hash),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'AdminApproval' },
)

const AuditEventSchema = Type.Object(
  {
    id: Uuid,
    seq: PosInt,
    action: Type.String(),
    actorRealm: oneOf(['consumer', 'admin', 'system']),
    actorAccountId: nullable(Uuid),
    displayName: DisplayName,
    aggregateType: Type.String(),
    aggregateId: Type.String(),
    data: Type.Object({}, { additionalProperties: true }),
    requestId: nullable(Type.String()),
    occurredAt: Timestamp,
    hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  },
  { $id: 'AuditEvent' },
)

export const AdminOrganizationDetailSchema = Type.Object({
  organization: component(AdminOrganizationSchema),
  treasuryVaults: Type.Array(component(VaultSchema)),
  members: Type.Array(component(MemberSchema)),
  expenses: Type.Array(component(ListedExpenseSchema)),
  expenseComments: Type.Array(component(AdminCommentSchema)),
  reports: Type.Array(component(ReportSchema)),
  agentRuns: Type.Array(component(AgentRunSchema)),
  approvals: Type.Array(component(ApprovalSchema)),
  auditEvents: Type.Array(component(AuditEventSchema)),
  payments: Type.Array(component(PaymentSchema)),
  attempts: Type.Array(component(AdminAttemptSchema)),
  receipts: Type.Array(component(AdminReceiptSchema)),
  supportCases: Type.Array(component(SupportCaseSchema)),
  supportNotes: Type.Array(component(SupportNoteSchema)),
  truncated: Type.Array(Type.String(), {
    description: 'Arrays that contain only their newest hundred rows',
    'x-extension': true,
  }),
})

export const FailuresSchema = Type.Object({
  analysisRuns: Type.Array(component(AgentRunSchema)),
  payments: Type.Array(component(PaymentSchema)),
  paymentAttempts: Type.Array(component(AdminAttemptSchema)),
  unrecordedPayments: UnrecordedPayments(
    'The last hundred unrecorded payments that no owner has acknowledged',
  ),
})

export const CasesQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: INTEGER_MAX, default: 1 })),
  status: Type.Optional(supportStatus),
  priority: Type.Optional(oneOf(['low', 'medium', 'high'])),
  sort: Type.Optional(oneOf(['newest', 'oldest', 'priority_desc', 'priority_asc'])),
})

export const CaseListSchema = Type.Object({
  cases: Type.Array(component(SupportCaseSchema)),
  pagination: Type.Object({
    page: PosInt,
    pageSize: PosInt,
    totalItems: NonNeg,
    totalPages: NonNeg,
  }),
})

export const AdminCaseSchema = Type.Object(
  {
    ...SupportCaseSchema.properties,
    notes: Type.Array(component(SupportNoteSchema), {
      description: 'Internal and visible notes of operators, oldest first; at most the newest 500',
    }),
    messages: Type.Array(component(SupportMessageSchema), {
      description: 'Messages from members, oldest first',
    }),
  },
  { $id: 'AdminSupportCase', 'x-extension': true },
)

export const adminComponents = [
  AdminCaseSchema,
  AdminOverviewSchema,
  AdminOrganizationSchema,
  AgentRunSchema,
  AdminAttemptSchema,
  AdminReceiptSchema,
  AdminCommentSchema,
  ApprovalSchema,
  AuditEventSchema,
]
