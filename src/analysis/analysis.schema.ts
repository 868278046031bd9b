import { ExpenseParams } from '#expenses/expenses.schema.ts'
import { ReportOutputSchema } from '#payments/evidence/report-output.schema.ts'
import { statesOf } from '#platform/machine.ts'
import { Type } from '#platform/schema.ts'
import {
  CreatedAt,
  described,
  Hash,
  OrganizationId,
  oneOf,
  PosInt,
  Uuid,
} from '#platform/values.ts'
import { agentRunMachine } from './agent-run.machine.ts'

const reportId = described(Uuid, 'The id of the report')

export const ReportParams = Type.Object({ organizationId: OrganizationId, reportId })

export const RevisionReportParams = Type.Object({
  ...ExpenseParams.properties,
  revision: described(PosInt, 'The number of the revision'),
})

export const agentRunState = oneOf(statesOf(agentRunMachine), {
  description:
    '`queued`: waits for a worker. `running`: a worker analyses, for the first time or again. ' +
    '`succeeded`: its report exists. `failed`: three attempts failed, and the expense is blocked',
})

export const SubmittedSchema = Type.Object(
  {
    taskId: described(Uuid, 'The id of the analysis run. The report names it as `runId`'),
    expenseId: described(Uuid, 'The submitted expense'),
  },
  { title: 'SubmittedExpense' },
)

export const ReportSchema = Type.Object(
  {
    id: reportId,
    organizationId: OrganizationId,
    expenseId: described(Uuid, 'The expense that was analysed'),
    expenseRevision: described(PosInt, 'The revision that was analysed'),
    runId: described(Uuid, 'The analysis run that made it: `taskId` of the submission'),
    version: described(PosInt, 'Counts the reports of the expense, from 1'),
    reportHash: described(
      Hash,
      'keccak256 of the canonical JSON of `output`. Approvers sign it, and the vault logs it',
    ),
    output: ReportOutputSchema,
    createdAt: CreatedAt,
  },
  { $id: 'Report' },
)

export const analysisComponents = [ReportSchema]
