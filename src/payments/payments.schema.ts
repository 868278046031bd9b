import { Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { paymentAttemptMachine } from '#payments/lane-store/payment-attempt.machine.ts'
import { executorProviderTypes } from '#platform/config/providers.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor, PageQuery } from '#platform/paging.ts'
import { periodQuery } from '#platform/period.ts'
import {
  Address,
  added,
  BaseUnits,
  extension,
  Hash,
  line,
  NonNeg,
  nullable,
  oneOf,
  oneOfOrNull,
  PosInt,
  Timestamp,
  Uuid,
} from '#platform/values.ts'
import { paymentMachine } from './payment.machine.ts'
import { UnrecordedPayments } from './unrecorded-payments.schema.ts'

export const PaymentParams = Type.Object({ organizationId: Uuid, paymentId: Uuid })

const mode = oneOf(['approved', 'automatic'])

export const PaymentSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    executorBindingId: nullable(Uuid),
    executorProviderType: oneOfOrNull(executorProviderTypes),
    executorAddress: nullable(Address),
    expenseId: Uuid,
    expenseRevision: PosInt,
    expenseVersionHash: Hash,
    chainPaymentId: Hash,
    mode,
    recipientAddress: Address,
    tokenAddress: Address,
    amountBaseUnits: BaseUnits,
    policyVersion: PosInt,
    reportHash: Hash,
    approvalId: nullable(Uuid),
    approvalDigest: nullable(Hash),
    deadline: Timestamp,
    providerReference: nullable(Type.String()),
    transactionHash: nullable(Hash),
    state: oneOf(statesOf(paymentMachine)),
    blockCode: nullable(
      Type.String({
        description: 'Why it is blocked or has failed; null in other states',
        ...extension,
      }),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Payment' },
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
  },
  { $id: 'ActivityItem' },
)

export const ActivityQuery = Type.Object({
  ...PageQuery.properties,
  state: Type.Optional(
    Type.Array(oneOf(statesOf(paymentMachine)), {
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

export const PaymentListSchema = Type.Object({
  payments: Type.Array(component(ActivityItemSchema)),
  unrecordedPayments: UnrecordedPayments(
    'On the first page without filters, for owners and managers: the newest payments of the ' +
      'vaults without a payment here, open or acknowledged. GET …/unrecorded-payments has all of ' +
      'them.',
  ),
  nextCursor: NextCursor,
})

export const AttemptSchema = Type.Object(
  {
    id: Uuid,
    number: PosInt,
    executorAddress: Address,
    nonce: nullable(
      Type.Integer({ minimum: 0, description: 'Null where the executor sends by itself' }),
    ),
    transactionHash: nullable(Hash),
    state: oneOf(statesOf(paymentAttemptMachine)),
    maxFeePerGas: nullable(BaseUnits),
    errorCode: nullable(Type.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'PaymentAttempt' },
)

export const ReceiptSchema = Type.Object(
  {
    transactionHash: Hash,
    blockNumber: NonNeg,
    blockHash: Hash,
    status: oneOf(['success', 'reverted']),
    gasUsed: nullable(BaseUnits),
    effectiveGasPrice: nullable(BaseUnits),
    confirmations: PosInt,
    confirmedAt: Timestamp,
  },
  { $id: 'PaymentReceipt' },
)

/** The parts are not typed here: docs/EVIDENCE.md describes them. */
const EvidenceSchema = Type.Object(
  {
    version: Type.Integer(),
    revision: Type.Unknown(),
    report: Type.Unknown(),
    policy: Type.Unknown(),
    approval: Type.Unknown(),
    payment: Type.Unknown(),
    asked: Type.Unknown(),
    event: Type.Unknown(),
    matches: Type.Boolean(),
  },
  { $id: 'PaymentEvidence' },
)

export const PaymentDetailSchema = Type.Object({
  payment: component(PaymentSchema),
  attempts: Type.Array(component(AttemptSchema)),
  receipt: Type.Union([component(ReceiptSchema), Type.Null()]),
  evidence: Type.Optional(component(EvidenceSchema)),
})

export const ReconcileBody = Type.Object(
  { expectedVersion: PosInt },
  { additionalProperties: false },
)

export const paymentComponents = [
  PaymentSchema,
  ActivityItemSchema,
  AttemptSchema,
  ReceiptSchema,
  EvidenceSchema,
]
