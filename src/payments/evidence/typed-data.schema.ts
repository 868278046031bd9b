/** The EIP-712 typed data that an approver signs. */
import type { TypedData } from '@countersign/proof/typed-data.ts'
import { Type } from '#platform/schema.ts'
import { Address, BaseUnits, described, Hash, oneOf, PosInt } from '#platform/values.ts'

const DomainSchema = Type.Object(
  {
    name: Type.String({ description: '`CountersignVault`' }),
    version: Type.String({ description: '`1`' }),
    chainId: described(PosInt, 'The chain of the vault'),
    verifyingContract: described(Address, 'The vault'),
  },
  { title: 'ApprovalDomain', description: 'Binds the signature to one vault on one chain' },
)

const fields = (description: string) =>
  Type.Array(
    Type.Object(
      {
        name: Type.String({ description: 'The name of the field' }),
        type: Type.String({ description: 'Its Solidity type, such as `bytes32`' }),
      },
      { title: 'TypedDataField' },
    ),
    { description },
  )

const TypesSchema = Type.Object(
  {
    EIP712Domain: fields('The fields of `domain`'),
    PaymentApproval: fields('The fields of `message`, in the order in which they are hashed'),
  },
  { title: 'ApprovalTypes', description: 'The types that the wallet needs to hash the message' },
)

const MessageSchema = Type.Object(
  {
    approvalId: described(Hash, 'The id of the approval, as 32 bytes'),
    approver: described(Address, 'The wallet that signs'),
    organizationHash: described(Hash, 'Stands for the organization on chain; salted'),
    paymentId: described(Hash, 'The id of the payment on chain. The vault executes it once'),
    token: described(Address, 'The token that is paid'),
    recipient: described(Address, 'Who is paid'),
    amount: described(BaseUnits, 'What is paid, in base units'),
    policyVersion: described(BaseUnits, 'The policy that must be in force, as a decimal string'),
    reportHash: described(Hash, 'The report that the approver has seen'),
    expenseVersionHash: described(Hash, 'The revision that the approver has seen'),
    deadline: described(BaseUnits, 'In Unix seconds, as a decimal string'),
  },
  { title: 'ApprovalMessage', description: 'What the signature approves' },
)

export const typedDataFields = {
  domain: DomainSchema,
  types: Type.Unsafe<TypedData['types']>({ ...TypesSchema }),
  primaryType: oneOf(['PaymentApproval'], { description: 'The type of `message`' }),
  message: Type.Unsafe<TypedData['message']>({ ...MessageSchema }),
}
