import { expectedVersion } from '#expenses/expenses.schema.ts'
import { typedDataFields } from '#payments/evidence/typed-data.schema.ts'
import { Type } from '#platform/schema.ts'
import {
  Address,
  added,
  described,
  formatted,
  Hash,
  NonNeg,
  OrganizationId,
  PosInt,
  Uuid,
} from '#platform/values.ts'

const approvalId = described(Uuid, 'The id of the approval, from its preparation')

export const ApprovalParams = Type.Object({ organizationId: OrganizationId, approvalId })

const closed = { additionalProperties: false }

export const PrepareApprovalBody = Type.Object(
  {
    expectedVersion,
    deadlineSeconds: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 604_800,
        description:
          'How long the signature is valid, from now. Defaults to an hour, or to the end of the ' +
          'policy if that is sooner. Where several approvers must sign, it defaults to a day, is ' +
          'at least an hour, and is shared: leave it out to join the others',
      }),
    ),
  },
  closed,
)

/** 65 bytes from a key; a contract signature may be longer. */
const signature = formatted(
  '^0x([a-fA-F0-9]{2}){1,4096}$',
  '0x and 1 to 4096 bytes as pairs of hexadecimal digits',
  {
    description:
      'Of the typed data: 65 bytes of an `eth_signTypedData_v4`, or what a contract wallet ' +
      'accepts (ERC-1271)',
  },
)

export const SubmitSignatureBody = Type.Object({ expectedVersion, approvalId, signature }, closed)
export const CancelSigningBody = Type.Object({ expectedVersion, approvalId }, closed)
export const InvalidateBody = Type.Object(
  {
    transactionHash: Type.String({
      description: 'The transaction that invalidated the approval: 0x and 64 hexadecimal digits',
    }),
  },
  closed,
)

export const PreparedApprovalSchema = Type.Object(
  {
    ...typedDataFields,
    digest: described(Hash, 'The EIP-712 hash of the typed data, to compare with the wallet'),
    approvalId: described(Uuid, 'Send it with the signature'),
    approverAddress: described(
      Address,
      "The wallet that must sign: the caller's newest approver wallet that the policy lists",
    ),
    requiredApprovals: added(PosInt, 'How many different approvers must sign the payment'),
    signedApprovals: added(NonNeg, 'How many have signed it so far'),
  },
  { $id: 'PreparedApproval' },
)

const only = <const T extends string>(value: T, description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [value], description })

export const CancelledSigningSchema = Type.Object(
  {
    approvalId,
    state: only(
      'prepared',
      'A cancelled approval keeps this state until it expires or is superseded',
    ),
    cancelled: Type.Unsafe<true>({
      type: 'boolean',
      enum: [true],
      description: 'It can no longer be signed',
    }),
  },
  { title: 'CancelledApproval' },
)

export const InvalidatedApprovalSchema = Type.Object(
  {
    approvalId,
    state: only('invalidated', 'The vault refuses its signature for ever'),
    transactionHash: described(Hash, 'The transaction that invalidated it'),
  },
  { title: 'InvalidatedApproval' },
)

export const approvalComponents = [PreparedApprovalSchema]
