import { Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor, PageQuery } from '#platform/paging.ts'
import {
  Address,
  BaseUnits,
  Hash,
  NonNeg,
  nullable,
  oneOf,
  PosInt,
  Timestamp,
  text,
  Uuid,
} from '#platform/values.ts'
import { unrecordedPaymentMachine } from './unrecorded-payment.machine.ts'

export const UnrecordedPaymentParams = Type.Object({
  organizationId: Uuid,
  unrecordedPaymentId: Uuid,
})

const state = oneOf(statesOf(unrecordedPaymentMachine), {
  description:
    'open: nobody has acknowledged it. recorded: its payment row exists now. ' +
    'withdrawn: a reorganisation of the chain has removed its log.',
})

export const UnrecordedPaymentSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    vaultId: Uuid,
    vaultAddress: Address,
    chainPaymentId: Hash,
    mode: oneOf(['approved', 'automatic']),
    recipientAddress: Address,
    recipientLabel: nullable(
      Type.String({ description: "The organization's recipient with that address, if any" }),
    ),
    amountBaseUnits: BaseUnits,
    policyVersion: PosInt,
    reportHash: Hash,
    expenseVersionHash: Hash,
    approvalDigest: nullable(Hash),
    approverAddress: nullable(Address),
    transactionHash: Hash,
    blockNumber: NonNeg,
    blockHash: Hash,
    executedAt: Timestamp,
    state,
    acknowledgedByAccountId: nullable(Uuid),
    acknowledgedAt: nullable(Timestamp),
    acknowledgementReason: nullable(Type.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'UnrecordedPayment', 'x-extension': true },
)

export const UnrecordedPaymentQuery = Type.Object({
  state: Type.Optional(state),
  ...PageQuery.properties,
})

export const UnrecordedPaymentListSchema = Type.Object({
  unrecordedPayments: Type.Array(component(UnrecordedPaymentSchema)),
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
