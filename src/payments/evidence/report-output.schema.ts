/** The content of a report, which its hash covers. */
import { Type } from '#platform/schema.ts'
import { described, Hash, nullable, oneOf, PosInt } from '#platform/values.ts'

// Open, so that a report with fields of another version is returned as it was hashed.
const open = { additionalProperties: true }

const CheckSchema = Type.Object(
  {
    id: Type.String({ description: 'Which check, such as `duplicate_payment`: docs/ANALYSIS.md' }),
    outcome: oneOf(['pass', 'warn', 'fail'], {
      description: 'Any outcome but `pass` requires a person to review the expense',
    }),
    detail: Type.String({ description: 'What was found, as a sentence with its figures' }),
  },
  { ...open, title: 'ReportCheck' },
)

const PolicySchema = Type.Object(
  {
    version: nullable(described(PosInt, 'The policy in force. Null if the vault had none')),
    fits: Type.Boolean({ description: 'Whether the vault would execute the payment under it' }),
    reasons: Type.Array(Type.String(), {
      description: 'The ids of the checks by which it does not',
    }),
  },
  { ...open, title: 'ReportPolicy', description: 'Whether the payment fits the policy' },
)

const AnalystSchema = Type.Object(
  {
    kind: oneOf(['rules', 'rules_and_model'], {
      description: 'A model can only make the result stricter than the rules do',
    }),
    name: Type.String({ description: 'The name of the rules, or of the model' }),
    version: Type.String({ description: 'The version of the rules, or of the model' }),
  },
  { ...open, title: 'ReportAnalyst', description: 'What made the report' },
)

const AuditHeadSchema = Type.Object(
  {
    sequence: described(PosInt, 'The number of the event in the trail'),
    hash: described(Hash, 'Its hash, which covers every event before it'),
  },
  {
    ...open,
    title: 'ReportAuditHead',
    'x-extension': true,
    description:
      "Sequence and hash of the organization's last audit event before the analysis. Absent from " +
      'reports of earlier versions.',
  },
)

export const ReportOutputSchema = Type.Object(
  {
    summary: Type.String({ description: 'The result in one or two sentences' }),
    recommendation: oneOf(['approve', 'review', 'reject'], {
      description:
        '`approve`: every check passed. `review`: a person should decide. `reject`: only a new ' +
        'revision can repair it. Reviewers may decide otherwise',
    }),
    riskScore: Type.Integer({
      minimum: 0,
      maximum: 100,
      description:
        "Higher is riskier: the points of the checks that did not pass, or the model's score",
    }),
    checks: Type.Array(CheckSchema, { description: 'Every check, in a fixed order' }),
    policy: PolicySchema,
    analyst: AnalystSchema,
    auditHead: Type.Optional(AuditHeadSchema),
  },
  {
    ...open,
    title: 'ReportOutput',
    description: 'What the report says. `reportHash` is keccak256 of its canonical JSON (RFC 8785)',
  },
)
