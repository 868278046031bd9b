import { INTEGER_MAX } from '@countersign/proof/values.ts'
import { component } from '#http/openapi.ts'
import { PaymentSchema } from '#payments/payments.schema.ts'
import { UnrecordedPayments } from '#payments/unrecorded-payments.schema.ts'
import { Type } from '#platform/schema.ts'
import { described, NonNeg, oneOf, PosInt, Timestamp } from '#platform/values.ts'
import {
  SupportCaseSchema,
  SupportMessageSchema,
  SupportNoteSchema,
  supportStatus,
} from '#support/support.schema.ts'
import { AdminExecutorSchema } from './executors.schema.ts'
import {
  AdminOrganizationSchema,
  failedPayments,
  OrganizationNames,
  openCases,
  openUnrecorded,
} from './organization.schema.ts'
import {
  AdminAttemptSchema,
  AgentRunSchema,
  organizationDetailComponents,
} from './organization-detail.schema.ts'

export const AdminOverviewSchema = Type.Object(
  {
    checkedAt: described(Timestamp, 'When the rows were counted'),
    organizations: described(NonNeg, 'All organizations'),
    activeAnalysisRuns: described(NonNeg, 'Analysis runs that are `queued` or `running`'),
    failedAnalysisRuns: described(NonNeg, 'Analysis runs that ever failed'),
    failedPayments,
    reconcilingPayments: described(NonNeg, 'Payments whose outcome is not known yet'),
    openSupportCases: openCases,
    unrecordedPayments: openUnrecorded,
  },
  { $id: 'AdminOverview', description: 'Totals over all organizations' },
)

export const FailuresSchema = Type.Object(
  {
    analysisRuns: Type.Array(component(AgentRunSchema), {
      description: 'The last hundred failed analysis runs, latest failure first',
    }),
    payments: Type.Array(component(PaymentSchema), {
      description: 'The last hundred payments that are `failed` or `blocked`',
    }),
    paymentAttempts: Type.Array(component(AdminAttemptSchema), {
      description: 'The last hundred attempts with an error, also of payments that were paid later',
    }),
    unrecordedPayments: UnrecordedPayments(
      'The last hundred unrecorded payments that no owner has acknowledged',
    ),
    organizations: OrganizationNames,
  },
  { title: 'Failures' },
)

export const CasesQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: INTEGER_MAX,
      default: 1,
      description: 'The page to read. A page has 25 cases; one past the end is empty',
    }),
  ),
  status: Type.Optional(described(supportStatus, 'Only cases with this status')),
  priority: Type.Optional(
    oneOf(['low', 'medium', 'high'], { description: 'Only cases with this priority' }),
  ),
  sort: Type.Optional(
    oneOf(['newest', 'oldest', 'priority_desc', 'priority_asc'], {
      description:
        'By the time of opening, or by priority and then newest first. Without it: `newest`',
    }),
  ),
})

const Pagination = Type.Object(
  {
    page: described(PosInt, 'The page that was read'),
    pageSize: described(PosInt, 'The number of cases on a full page'),
    totalItems: described(NonNeg, 'Cases that match the filters, on all pages'),
    totalPages: described(NonNeg, 'Pages that these cases need. 0 if there is none'),
  },
  { title: 'Pagination', description: 'Where the page is in the whole list' },
)

export const CaseListSchema = Type.Object(
  {
    cases: Type.Array(component(SupportCaseSchema), { description: 'In the order of `sort`' }),
    pagination: Pagination,
    organizations: OrganizationNames,
  },
  { title: 'AdminSupportCaseList' },
)

export const AdminCaseSchema = Type.Object(
  {
    ...SupportCaseSchema.properties,
    notes: Type.Array(component(SupportNoteSchema), {
      description: 'Internal and visible notes of operators, oldest first; at most the newest 500',
    }),
    messages: Type.Array(component(SupportMessageSchema), {
      description: 'Messages from members, oldest first',
    }),
    organizationName: Type.String({ description: "The organization's name" }),
  },
  {
    $id: 'AdminSupportCase',
    description: 'A support case with everything that operators see of it',
    'x-extension': true,
  },
)

export const adminComponents = [
  AdminExecutorSchema,
  AdminCaseSchema,
  AdminOverviewSchema,
  AdminOrganizationSchema,
  ...organizationDetailComponents,
]
