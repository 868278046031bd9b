import { Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { NextCursor } from '#platform/paging.ts'
import { formatted, LowerAddress, oneOf, Uuid } from '#platform/values.ts'

const LowerHash = formatted(
  '^0x[\\da-f]{64}$',
  'a hash in lower case: 0x and 64 hexadecimal digits',
)

export const ProofParams = Type.Object({ organizationId: Uuid, id: Uuid })

export const PrepareProofBody = Type.Object(
  {
    kind: oneOf(['deployment', 'funding', 'configure', 'approval']),
    signer: LowerAddress,
    owner: LowerAddress,
    vault: Type.Optional(LowerAddress),
    executor: Type.Optional(LowerAddress),
    recipient: Type.Optional(LowerAddress),
    paymentIntentId: Type.Optional(Uuid),
  },
  { additionalProperties: false },
)

export const ConfirmProofBody = Type.Object({ hash: LowerHash }, { additionalProperties: false })

export const LedgerProofSchema = Type.Object(
  {
    id: Type.String(),
    organizationId: Type.String(),
    accountId: Type.String(),
    provider: Type.String(),
    intentHash: Type.String(),
    intentJson: Type.String(),
    state: Type.String(),
    claimedByAccountId: Type.Optional(Type.String({ 'x-extension': true })),
    transactionHash: Type.Optional(Type.String()),
    providerRequestId: Type.Optional(Type.String()),
    errorCode: Type.Optional(Type.String()),
    evidenceJson: Type.Optional(Type.String()),
  },
  { $id: 'LedgerProof' },
)

export const LedgerProofListSchema = Type.Object({
  proofs: Type.Array(component(LedgerProofSchema)),
  nextCursor: NextCursor,
})

export const ledgerProofComponents = [LedgerProofSchema]
