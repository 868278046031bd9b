/** The evidence bundle of a payment. docs/EVIDENCE.md says how it is verified. */
import type { Evidence } from '@countersign/proof/evidence.ts'
import { SHA256_PATTERN } from '@countersign/proof/values.ts'
import { Type } from '#platform/schema.ts'
import {
  Address,
  BaseUnits,
  described,
  formatted,
  Hash,
  NonNeg,
  nullable,
  OrganizationId,
  oneOf,
  PosInt,
  Timestamp,
  Uuid,
} from '#platform/values.ts'
import { ReportOutputSchema } from './report-output.schema.ts'
import { typedDataFields } from './typed-data.schema.ts'

const mode = (description: string) => oneOf(['approved', 'automatic'], { description })

const AttachmentSchema = Type.Object(
  {
    name: Type.String({ description: 'The name of the file' }),
    mediaType: Type.String({ description: 'Its media type' }),
    sizeBytes: described(PosInt, 'Its size in bytes'),
    sha256: formatted(SHA256_PATTERN, 'a SHA-256: 64 lower-case hexadecimal digits', {
      description: 'The only part that the version hash covers',
    }),
  },
  { title: 'EvidenceAttachment' },
)

const RevisionSchema = Type.Object(
  {
    organizationId: OrganizationId,
    expenseId: described(Uuid, 'The expense that was paid'),
    revision: described(PosInt, 'The revision of the expense that was paid'),
    vaultId: described(Uuid, 'The vault that pays'),
    vaultAddress: described(Address, 'The contract of the vault'),
    chainId: described(PosInt, 'The chain of the vault'),
    tokenAddress: described(Address, 'The token that is paid'),
    recipientAddress: described(Address, 'Who is paid'),
    amountBaseUnits: described(BaseUnits, 'What is paid'),
    requestedMode: mode('How the submitter asked to be paid'),
    purpose: Type.String({ description: 'What the money is for' }),
    attachments: Type.Optional(
      Type.Array(AttachmentSchema, { description: 'In the order in which the hash covers them' }),
    ),
    category: Type.Optional(nullable(Type.String({ description: 'Null without a category' }))),
    reference: Type.Optional(nullable(Type.String({ description: 'Null without a reference' }))),
    dueDate: Type.Optional(
      nullable(Type.String({ format: 'date', description: 'Null without a due date' })),
    ),
    versionHash: described(Hash, 'keccak256 of the canonical JSON of these fields: docs/HASHES.md'),
  },
  { title: 'EvidenceRevision', description: 'What was asked for' },
)

const ReportSchema = Type.Object(
  {
    id: described(Uuid, 'The id of the report'),
    reportHash: described(Hash, 'keccak256 of the canonical JSON of `output`'),
    output: Type.Unsafe<unknown>({ ...ReportOutputSchema }),
  },
  { title: 'EvidenceReport', description: 'What the analysis found' },
)

const addresses = (description: string) => Type.Array(Address, { description })

const ProposalSchema = Type.Object(
  {
    id: described(Hash, 'keccak256(abi.encode(expectedVersion, config))'),
    transactionHash: described(Hash, 'The transaction in which the owner proposed it'),
    activatesAt: described(Timestamp, 'From then on it could be activated'),
  },
  {
    title: 'EvidenceProposal',
    description: 'The proposal that the policy was. Null if it did not wait',
  },
)

const RecipientSchema = Type.Object(
  {
    recipientsVersion: described(PosInt, 'The number of the list after the change'),
    allowedFrom: described(Timestamp, 'From then on the vault could pay the recipient'),
    transactionHash: described(Hash, 'The transaction with the log'),
  },
  {
    title: 'EvidenceRecipient',
    description: "The vault's log that allowed the recipient. Null if it is not listed",
  },
)

const PolicySchema = Type.Object(
  {
    version: described(PosInt, 'The version that was signed, and that the vault required'),
    executorAddress: described(Address, 'The only address whose payments the vault accepts'),
    approverAddresses: addresses('Wallets whose signature the vault accepts'),
    approvedCap: described(BaseUnits, 'The most that one approved payment may be'),
    automaticCap: described(BaseUnits, 'The most that one automatic payment may be'),
    lifetimeCap: described(BaseUnits, 'The most that the vault may pay in total'),
    reserveFloor: described(BaseUnits, 'What a payment must leave in the vault'),
    periodSeconds: described(NonNeg, 'Length of a spending period. 0 without one'),
    periodCap: described(BaseUnits, 'The most that leaves in one period. 0 without one'),
    automaticPeriodCap: described(
      BaseUnits,
      'The most that leaves automatically in one period. 0 without one',
    ),
    tiers: Type.Array(
      Type.Object(
        {
          above: described(BaseUnits, 'Amounts above this need that many approvers'),
          approvals: described(PosInt, 'How many different approvers must sign'),
        },
        { title: 'EvidenceTier' },
      ),
      { description: 'Ascending. Without a matching tier one approver is enough' },
    ),
    expiresAt: described(Timestamp, 'From then on the vault refuses every payment'),
    automaticEnabled: Type.Boolean({ description: 'Whether the vault makes automatic payments' }),
    chainTransactionHash: described(Hash, 'The transaction that put it into force'),
    proposal: nullable(ProposalSchema),
  },
  {
    title: 'EvidencePolicy',
    description: 'The policy under which it is paid. Null if a reorganisation has removed it',
  },
)

const ApprovalSchema = (description: string) =>
  Type.Object(
    {
      id: described(Uuid, 'The id of the approval'),
      approverAddress: described(Address, 'The wallet that signed'),
      digest: described(Hash, 'The EIP-712 hash of `typedData`'),
      signature: Type.String({
        description: 'The signature of the digest: 65 bytes, or more from a contract wallet',
      }),
      typedData: Type.Object(typedDataFields, {
        title: 'ApprovalTypedData',
        description: 'What was signed, as `eth_signTypedData_v4` takes it',
      }),
    },
    { title: 'EvidenceApproval', description },
  )

const IdentitySchema = Type.Object(
  {
    id: described(Uuid, 'The id of the payment here'),
    organizationHash: described(Hash, 'Stands for the organization on chain; salted'),
    chainPaymentId: described(
      Hash,
      'keccak256(abi.encode("countersign.payment.v1", chainId, organizationHash, id))',
    ),
    mode: mode('Whether a signature or the automatic mode entitles the payment'),
    deadline: described(Timestamp, 'The vault refuses the payment after it'),
  },
  { title: 'EvidencePayment', description: 'The ids of the payment here and on the chain' },
)

const executionFields = {
  vaultAddress: described(Address, 'The vault that pays'),
  chainPaymentId: described(Hash, 'The id of the payment on chain'),
  recipientAddress: described(Address, 'Who is paid'),
  mode: mode('`automatic` if there is no signature'),
  amountBaseUnits: described(BaseUnits, 'What is paid'),
  policyVersion: described(PosInt, 'The policy in force'),
  reportHash: described(Hash, 'The report'),
  expenseVersionHash: described(Hash, 'The revision of the expense'),
  approvalDigests: Type.Array(Hash, {
    description: 'What was signed, in the order of the approvers. Empty for an automatic payment',
  }),
  approverAddresses: addresses('Who signed, ascending. Empty for an automatic payment'),
}

const AskedSchema = Type.Object(executionFields, {
  title: 'AskedExecution',
  description: 'What the vault was asked to execute',
})

const EventSchema = Type.Object(
  {
    ...executionFields,
    transactionHash: described(Hash, 'The transaction with the log'),
    blockNumber: described(NonNeg, 'The block of the transaction'),
    blockHash: described(Hash, 'The hash of that block'),
  },
  {
    title: 'LoggedExecution',
    description: "The vault's own `PaymentExecuted` log. Null until it is final",
  },
)

const BundleSchema = Type.Object(
  {
    version: Type.Integer({ description: 'The version of the format of the bundle' }),
    revision: RevisionSchema,
    report: ReportSchema,
    policy: nullable(PolicySchema),
    recipient: nullable(RecipientSchema),
    approval: nullable(ApprovalSchema('The first signature. Null for an automatic payment')),
    approvals: Type.Array(ApprovalSchema('A signature that authorises the payment'), {
      description: 'All signatures, ascending by approver, as the vault takes them',
    }),
    payment: IdentitySchema,
    asked: AskedSchema,
    event: nullable(EventSchema),
    matches: Type.Boolean({ description: 'Whether `event` equals `asked`, field by field' }),
  },
  { $id: 'PaymentEvidence' },
)

// Its parts are plain records in the type, which fits any version of the bundle.
export const EvidenceSchema = Type.Unsafe<Evidence>({ ...BundleSchema })
