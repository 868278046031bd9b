import { component } from '#http/openapi.ts'
import { EvidenceSchema } from '#payments/evidence/evidence.schema.ts'
import { paymentAttemptMachine } from '#payments/lane-store/payment-attempt.machine.ts'
import { executorProviderTypes } from '#platform/config/providers.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor, PageQuery } from '#platform/paging.ts'
import { periodQuery } from '#platform/period.ts'
import { Type } from '#platform/schema.ts'
import {
  Address,
  added,
  BaseUnits,
  CreatedAt,
  described,
  extension,
  Hash,
  line,
  NonNeg,
  nullable,
  OrganizationId,
  oneOf,
  oneOfOrNull,
  PosInt,
  Timestamp,
  UpdatedAt,
  Uuid,
} from '#platform/values.ts'
import { paymentMachine } from './payment.machine.ts'
import { UnrecordedPayments } from './unrecorded-payments.schema.ts'

const paymentId = described(Uuid, 'The id of the payment, from `paymentId` of its expense')

export const PaymentParams = Type.Object({ organizationId: OrganizationId, paymentId })

const paymentState = oneOf(statesOf(paymentMachine), {
  description:
    '`reserved`: signed or automatic, and its amount is set aside; signatures may be missing. ' +
    '`queued`: waits to be sent. ' +
    '`submitting`: an attempt is persisted and being sent. `broadcast`: a node or the provider ' +
    'has it. `reconciling`: its outcome is unknown and looked for. `confirmed`: final on the ' +
    'chain. `blocked`: it cannot go on, see `blockCode`. `failed`: it can no longer be executed',
})

export const PaymentSchema = Type.Object(
  {
    id: paymentId,
    organizationId: OrganizationId,
    executorBindingId: nullable(
      described(Uuid, 'The binding of the executor that sends it. Null until it is sent'),
    ),
    executorProviderType: described(
      oneOfOrNull(executorProviderTypes),
      "Who holds that executor's key. Null until it is sent",
    ),
    executorAddress: nullable(
      described(Address, 'The address that sends it. Null until it is sent'),
    ),
    expenseId: described(Uuid, 'The expense that it pays'),
    expenseRevision: described(PosInt, 'The revision that it pays'),
    expenseVersionHash: described(Hash, 'The hash of that revision'),
    chainPaymentId: described(Hash, 'Its id on the chain. A vault executes an id only once'),
    mode: oneOf(['approved', 'automatic'], {
      description: '`approved`: an approver has signed it. `automatic`: no signature was needed',
    }),
    recipientAddress: described(Address, 'Who is paid'),
    tokenAddress: described(Address, 'The token that is paid'),
    amountBaseUnits: described(BaseUnits, 'What is paid'),
    policyVersion: described(PosInt, 'The policy that must be in force when it is executed'),
    reportHash: described(Hash, 'The hash of the report on the revision'),
    approvalId: nullable(
      described(Uuid, 'The approval that was signed first. Null for an automatic payment'),
    ),
    approvalDigest: nullable(
      described(Hash, 'What was signed in it. Null for an automatic payment'),
    ),
    requiredApprovals: added(
      NonNeg,
      'How many different approvers must sign it. 0 for an automatic payment',
    ),
    signedApprovals: added(NonNeg, 'How many have signed it. It is queued when all have'),
    deadline: described(Timestamp, 'The vault refuses to execute it after this time'),
    postponedUntil: nullable(
      added(
        Timestamp,
        'The end of the spending period, which has no room left for it. It is sent then. Null ' +
          'unless it waits for that',
      ),
    ),
    providerReference: nullable(
      Type.String({
        description: "The provider's id of the transaction. Null for a local executor",
      }),
    ),
    transactionHash: nullable(
      described(Hash, 'The newest transaction, or the one that paid. Null until it is known'),
    ),
    state: paymentState,
    blockCode: nullable(
      Type.String({
        description:
          'Why it is blocked or has failed: docs/PAYMENTS.md has all codes and what to do. Null ' +
          'in other states',
        ...extension,
      }),
    ),
    createdAt: CreatedAt,
    updatedAt: UpdatedAt,
  },
  { $id: 'Payment' },
)

const signerName = nullable(
  Type.String({ description: 'Name of the approver. Null for an account without a name' }),
)

const ActivityItemSchema = Type.Object(
  {
    ...PaymentSchema.properties,
    purpose: added(Type.String(), "The purpose of the payment's revision"),
    recipientLabel: added(Type.String(), "The recipient's label in that revision"),
    category: added(nullable(Type.String()), 'The category code in that revision'),
    reference: added(
      nullable(Type.String()),
      'The reference in that revision, such as an invoice number',
    ),
    confirmedAt: added(nullable(Timestamp), 'Null until the payment is confirmed'),
    approvers: Type.Array(
      Type.Object(
        { accountId: described(Uuid, 'The approver'), displayName: signerName },
        { title: 'PaymentApprover' },
      ),
      { description: 'Who has signed it. Empty for an automatic payment', ...extension },
    ),
  },
  { $id: 'ActivityItem' },
)

export const ActivityQuery = Type.Object({
  ...PageQuery.properties,
  state: Type.Optional(
    Type.Array(paymentState, {
      minItems: 1,
      maxItems: statesOf(paymentMachine).length,
      description: 'Only payments in this state; repeat it for several',
      ...extension,
    }),
  ),
  recipientId: Type.Optional(added(Uuid, 'Only payments to this recipient')),
  ...periodQuery('Only payments created'),
  q: Type.Optional(
    added(
      line({ max: 100 }),
      "Words, or beginnings of words, in the purpose, the reference or the recipient's label",
    ),
  ),
})

export const PaymentListSchema = Type.Object(
  {
    payments: Type.Array(component(ActivityItemSchema), {
      description: 'Newest first, by the creation of their expenses',
    }),
    unrecordedPayments: UnrecordedPayments(
      'On the first page without filters, for owners and managers: the newest payments of the ' +
        'vaults without a payment here, open or acknowledged. GET …/unrecorded-payments has all ' +
        'of them.',
    ),
    nextCursor: NextCursor,
  },
  { title: 'PaymentList' },
)

export const AttemptSchema = Type.Object(
  {
    id: described(Uuid, 'The id of the attempt'),
    number: described(PosInt, 'Counts the attempts of the payment, from 1'),
    executorAddress: described(Address, 'The address that sends it'),
    nonce: nullable(
      Type.Integer({
        minimum: 0,
        description: 'Of the transaction. Null where the provider sends by itself',
      }),
    ),
    transactionHash: nullable(described(Hash, 'Null until the provider has reported it')),
    state: oneOf(statesOf(paymentAttemptMachine), {
      description:
        '`written`: persisted, before it is sent. `sent`: a node or the provider has it. ' +
        '`mined`: in a final block. `cleared`: it is proven that it cannot pay any more',
    }),
    maxFeePerGas: nullable(described(BaseUnits, 'In wei. Null where the provider chooses the fee')),
    errorCode: nullable(
      Type.String({ description: 'Why it was cleared or refused. Null without an error' }),
    ),
    createdAt: CreatedAt,
    updatedAt: UpdatedAt,
  },
  { $id: 'PaymentAttempt' },
)

export const ReceiptSchema = Type.Object(
  {
    transactionHash: described(Hash, 'The transaction that paid'),
    blockNumber: described(NonNeg, 'The block of the transaction'),
    blockHash: described(Hash, 'The hash of that block'),
    status: oneOf(['success', 'reverted'], { description: 'As the chain states it' }),
    gasUsed: nullable(described(BaseUnits, 'Units of gas. Null if it is not known')),
    effectiveGasPrice: nullable(
      described(BaseUnits, 'In wei per unit of gas. Null if it is not known'),
    ),
    confirmations: described(PosInt, 'Blocks on top of it, its own included, as last read'),
    confirmedAt: described(Timestamp, 'When the service found it final'),
  },
  { $id: 'PaymentReceipt' },
)

const PaymentApprovalSchema = Type.Object(
  {
    approvalId: described(Uuid, 'The id of the approval'),
    accountId: described(Uuid, 'The approver'),
    displayName: signerName,
    approverAddress: described(Address, 'The wallet that signed'),
    digest: described(Hash, 'What was signed'),
    signedAt: nullable(described(Timestamp, 'When the service accepted the signature')),
  },
  { $id: 'PaymentApproval', ...extension },
)

export const PaymentDetailSchema = Type.Object(
  {
    payment: described(component(PaymentSchema), 'The payment itself'),
    attempts: Type.Array(component(AttemptSchema), {
      description: 'Oldest first. Empty until something is sent',
    }),
    receipt: Type.Union([component(ReceiptSchema), Type.Null()], {
      description: 'What the chain says. Null until the payment is confirmed',
    }),
    approvals: Type.Array(component(PaymentApprovalSchema), {
      description:
        'The signatures that it counts, ascending by the wallet. Empty for an automatic payment',
      ...extension,
    }),
    evidence: Type.Optional(
      described(
        component(EvidenceSchema),
        'Why it was paid, as a chain of hashes that anyone can verify: docs/EVIDENCE.md',
      ),
    ),
  },
  { title: 'PaymentDetail' },
)

export const ReconcileBody = Type.Object(
  {
    expectedVersion: described(
      PosInt,
      '`expenseRevision` of the payment, as the caller has seen it',
    ),
  },
  { additionalProperties: false },
)

export const paymentComponents = [
  PaymentSchema,
  ActivityItemSchema,
  AttemptSchema,
  ReceiptSchema,
  PaymentApprovalSchema,
  EvidenceSchema,
]
