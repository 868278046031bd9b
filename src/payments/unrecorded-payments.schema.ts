import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor, PageQuery } from '#platform/paging.ts'
import { Type } from '#platform/schema.ts'
import {
  Address,
  BaseUnits,
  described,
  Hash,
  NonNeg,
  nullable,
  OrganizationId,
  oneOf,
  PosInt,
  Timestamp,
  text,
  UpdatedAt,
  Uuid,
} from '#platform/values.ts'
import { unrecordedPaymentMachine } from './unrecorded-payment.machine.ts'

const id = described(Uuid, 'The id of the unrecorded payment')

export const UnrecordedPaymentParams = Type.Object({
  organizationId: OrganizationId,
  unrecordedPaymentId: id,
})

const state = oneOf(statesOf(unrecordedPaymentMachine), {
  description:
    '`open`: nobody has acknowledged it. `acknowledged`: an owner has stated what it was. ' +
    '`recorded`: its payment exists here now. `withdrawn`: a reorganisation of the chain has ' +
    'removed its log.',
})

export const UnrecordedPaymentSchema = Type.Object(
  {
    id,
    organizationId: OrganizationId,
    vaultId: described(Uuid, 'The vault that paid'),
    vaultAddress: described(Address, 'The contract of that vault'),
    chainPaymentId: described(Hash, 'The id of the payment on the chain'),
    mode: oneOf(['approved', 'automatic'], {
      description: 'Whether an approver has signed it, as the vault logged it',
    }),
    recipientAddress: described(Address, 'Who was paid'),
    recipientLabel: nullable(
      Type.String({ description: "The organization's recipient with that address, if any" }),
    ),
    amountBaseUnits: described(BaseUnits, 'What was paid'),
    policyVersion: described(PosInt, 'The policy in force when it was paid'),
    reportHash: described(Hash, 'The hash of the report that it names'),
    expenseVersionHash: described(Hash, 'The hash of the revision that it names'),
    approvalDigest: nullable(
      described(Hash, 'What the first approver signed. Null for an automatic payment'),
    ),
    approverAddress: nullable(
      described(Address, 'The first approver. Null for an automatic payment'),
    ),
    approvalDigests: Type.Array(Hash, {
      description: 'What was signed, in the order of the approvers. Empty if it is automatic',
    }),
    approverAddresses: Type.Array(Address, {
      description: 'Who signed, ascending. Empty for an automatic payment',
    }),
    transactionHash: described(Hash, 'The transaction that paid'),
    blockNumber: described(NonNeg, 'The block of the transaction'),
    blockHash: described(Hash, 'The hash of that block'),
    executedAt: described(Timestamp, 'The time of the block'),
    state,
    acknowledgedByAccountId: nullable(
      described(Uuid, 'The owner who acknowledged it. Null until then'),
    ),
    acknowledgedAt: nullable(described(Timestamp, 'Null until it is acknowledged')),
    acknowledgementReason: nullable(
      Type.String({ description: 'What the owner found out. Null until it is acknowledged' }),
    ),
    createdAt: described(Timestamp, 'When the service found it'),
    updatedAt: UpdatedAt,
  },
  { $id: 'UnrecordedPayment', 'x-extension': true },
)

export const UnrecordedPaymentQuery = Type.Object({
  state: Type.Optional(
    oneOf(statesOf(unrecordedPaymentMachine), {
      description: 'Only those in this state. All states if it is left out',
    }),
  ),
  ...PageQuery.properties,
})

export const UnrecordedPaymentListSchema = Type.Object({
  unrecordedPayments: Type.Array(component(UnrecordedPaymentSchema), {
    description: 'Newest first',
  }),
  nextCursor: NextCursor,
})

export const AcknowledgeBody = Type.Object(
  { reason: text({ max: 1000, description: 'What was found out about the payment' }) },
  { additionalProperties: false },
)

/** An additional field in responses of the contract. */
export const UnrecordedPayments = (description: string) =>
  Type.Array(component(UnrecordedPaymentSchema), { description, 'x-extension': true })

export const unrecordedPaymentComponents = [UnrecordedPaymentSchema]
