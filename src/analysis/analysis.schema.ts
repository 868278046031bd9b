import { Type } from 'typebox'
import { statesOf } from '#platform/machine.ts'
import { Hash, nullable, oneOf, PosInt, Timestamp, Uuid } from '#platform/values.ts'
import { agentRunMachine } from './agent-run.machine.ts'

export const ReportParams = Type.Object({ organizationId: Uuid, reportId: Uuid })

export const RevisionReportParams = Type.Object({
  organizationId: Uuid,
  expenseId: Uuid,
  revision: PosInt,
})

export const agentRunState = oneOf(statesOf(agentRunMachine))

export const SubmittedSchema = Type.Object({ taskId: Uuid, expenseId: Uuid })

const OutputSchema = Type.Object({
  summary: Type.String(),
  recommendation: oneOf(['approve', 'review', 'reject']),
  riskScore: Type.Integer({ minimum: 0, maximum: 100 }),
  checks: Type.Array(
    Type.Object({
      id: Type.String(),
      outcome: oneOf(['pass', 'warn', 'fail']),
      detail: Type.String(),
    }),
  ),
  policy: Type.Object({
    version: nullable(PosInt),
    fits: Type.Boolean(),
    reasons: Type.Array(Type.String()),
  }),
  analyst: Type.Object({ kind: Type.String(), name: Type.String(), version: Type.String() }),
  auditHead: Type.Optional(
    Type.Object(
      { sequence: PosInt, hash: Hash },
      {
        'x-extension': true,
        description:
          "Sequence and hash of the organization's last audit event before the analysis. " +
          'Absent from reports of earlier versions.',
      },
    ),
  ),
})

export const ReportSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    expenseId: Uuid,
    expenseRevision: PosInt,
    runId: Uuid,
    version: PosInt,
    reportHash: Hash,
    output: OutputSchema,
    createdAt: Timestamp,
  },
  { $id: 'Report' },
)

export const analysisComponents = [ReportSchema]
