/** How one payment came to be, for operators. */

import { ReportSchema } from '#analysis/analysis.schema.ts'
import { ListedExpenseSchema } from '#expenses/expenses.schema.ts'
import { component } from '#http/openapi.ts'
import { OrganizationParams } from '#organizations/organizations.schema.ts'
import { PaymentSchema } from '#payments/payments.schema.ts'
import { Type } from '#platform/schema.ts'
import { described, Uuid } from '#platform/values.ts'
import { SupportCaseSchema } from '#support/support.schema.ts'
import { orNull, VaultSchema } from '#treasury/treasury.schema.ts'
import {
  AdminAttemptSchema,
  AdminReceiptSchema,
  AgentRunSchema,
  ApprovalSchema,
  AuditEventSchema,
} from './organization-detail.schema.ts'

export const PaymentStoryParams = Type.Object({
  ...OrganizationParams.properties,
  paymentId: described(Uuid, 'The payment, or the expense that it is to pay'),
})

export const PaymentStorySchema = Type.Object(
  {
    organization: Type.Object(
      {
        id: described(Uuid, 'The organization'),
        name: Type.String({ description: 'As its owners chose it' }),
      },
      { description: 'Whose payment it is' },
    ),
    expense: described(component(ListedExpenseSchema), 'The expense with its current revision'),
    vault: orNull(VaultSchema, 'The vault that pays. Null if the database does not have it'),
    payment: orNull(PaymentSchema, 'Null while nothing is set aside yet'),
    agentRuns: Type.Array(component(AgentRunSchema), {
      description: 'Analysis runs, newest first',
    }),
    reports: Type.Array(component(ReportSchema), { description: 'Reports, newest first' }),
    approvals: Type.Array(component(ApprovalSchema), { description: 'Approvals, newest first' }),
    attempts: Type.Array(component(AdminAttemptSchema), { description: 'Attempts, newest first' }),
    attemptsAhead: Type.Array(component(AdminAttemptSchema), {
      description:
        "Open attempts of the executor's other payments with lower nonces, the lowest first. The " +
        'chain mines them before the newest attempt of this payment',
    }),
    receipt: orNull(AdminReceiptSchema, 'Null while it is not paid'),
    supportCases: Type.Array(component(SupportCaseSchema), {
      description: 'Cases about the expense or the payment, newest first',
    }),
    auditEvents: Type.Array(component(AuditEventSchema), {
      description: 'The newest hundred events about the expense, the payment and its approvals',
    }),
  },
  { title: 'PaymentStory' },
)
