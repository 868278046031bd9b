import { Type } from 'typebox'
import { Address, formatted, Hash, PosInt, Uuid } from '#platform/values.ts'

export const ApprovalParams = Type.Object({ organizationId: Uuid, approvalId: Uuid })

const closed = { additionalProperties: false }

export const PrepareApprovalBody = Type.Object(
  {
    expectedVersion: PosInt,
    deadlineSeconds: Type.Optional(Type.Integer({ minimum: 60, maximum: 604_800 })),
  },
  closed,
)

/** 65 bytes from a key; a contract signature may be longer. */
const signature = formatted(
  '^0x([a-fA-F0-9]{2}){1,4096}$',
  '0x and 1 to 4096 bytes as pairs of hexadecimal digits',
)

export const SubmitSignatureBody = Type.Object(
  { expectedVersion: PosInt, approvalId: Uuid, signature },
  closed,
)
export const CancelSigningBody = Type.Object({ expectedVersion: PosInt, approvalId: Uuid }, closed)
export const InvalidateBody = Type.Object({ transactionHash: Type.String() }, closed)

export const PreparedApprovalSchema = Type.Object(
  {
    domain: Type.Object({
      name: Type.String(),
      version: Type.String(),
      chainId: PosInt,
      verifyingContract: Address,
    }),
    types: Type.Record(
      Type.String(),
      Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
    ),
    primaryType: Type.Unsafe<'PaymentApproval'>({ type: 'string', enum: ['PaymentApproval'] }),
    message: Type.Record(Type.String(), Type.String()),
    digest: Hash,
    approvalId: Uuid,
    approverAddress: Address,
  },
  { $id: 'PreparedApproval' },
)

const only = <const T extends string>(value: T) => Type.Unsafe<T>({ type: 'string', enum: [value] })

export const CancelledSigningSchema = Type.Object({
  approvalId: Uuid,
  state: only('prepared'),
  cancelled: Type.Unsafe<true>({ type: 'boolean', enum: [true] }),
})

export const InvalidatedApprovalSchema = Type.Object({
  approvalId: Uuid,
  state: only('invalidated'),
  transactionHash: Hash,
})

export const approvalComponents = [PreparedApprovalSchema]
