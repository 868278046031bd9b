import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor } from '#platform/paging.ts'
import { Type } from '#platform/schema.ts'
import {
  described,
  formatted,
  Hash,
  LowerAddress,
  OrganizationId,
  oneOf,
  Uuid,
} from '#platform/values.ts'
import { proofMachine } from './ledger-proof.machine.ts'

const LowerHash = formatted(
  '^0x[\\da-f]{64}$',
  'a hash in lower case: 0x and 64 hexadecimal digits',
)

export const ProofParams = Type.Object({
  organizationId: OrganizationId,
  id: described(Uuid, 'The ledger proof'),
})

export const PrepareProofBody = Type.Object(
  {
    kind: oneOf(['deployment', 'funding', 'configure', 'approval'], {
      description:
        'What the wallet signs. `deployment`: the deployment of a vault. `funding`: a deposit of ' +
        'one token. `configure`: a policy of a vault. `approval`: the typed data of a payment.',
    }),
    signer: described(LowerAddress, 'The hardware wallet. For `configure` it must be the owner'),
    owner: described(LowerAddress, 'The owner of the vault, also of one that is to be deployed'),
    vault: Type.Optional(
      described(
        LowerAddress,
        'Required for `funding` and `configure`. For `approval` it must be the vault that pays',
      ),
    ),
    executor: Type.Optional(
      described(LowerAddress, 'Required for `configure`: the executor of the new policy'),
    ),
    recipient: Type.Optional(
      described(
        LowerAddress,
        'Required for `configure`: added to the policy. For `approval` it must be the payee',
      ),
    ),
    paymentIntentId: Type.Optional(
      described(Uuid, 'Required for `approval`: the payment whose typed data is signed'),
    ),
  },
  { additionalProperties: false },
)

export const ConfirmProofBody = Type.Object(
  {
    hash: described(
      LowerHash,
      'The hash of the sent transaction; for `approval`, the digest that the wallet signed',
    ),
  },
  { additionalProperties: false },
)

export const LedgerProofSchema = Type.Object(
  {
    id: described(Uuid, 'Ids increase with time'),
    organizationId: OrganizationId,
    accountId: described(Uuid, 'The operator who prepared it'),
    provider: oneOf(['ledger'], { description: 'The kind of hardware wallet' }),
    intentHash: described(Hash, 'Keccak-256 of `intentJson`, to compare what was shown'),
    intentJson: Type.String({
      description:
        'What to sign, as canonical JSON (RFC 8785): `{version, kind, organizationId, signer, ' +
        'owner}`, with `transaction`, or for `approval` with `typedData` (EIP-712) and `digest`',
    }),
    state: oneOf(statesOf(proofMachine), {
      description:
        '`prepared`: any operator may claim it. `claimed`: its claimer signs and confirms. ' +
        '`confirmed`: the hash is what was prepared. `failed`: see `errorCode`.',
    }),
    claimedByAccountId: Type.Optional(
      Type.Unsafe<string>({
        ...Uuid,
        description: 'The operator who claimed it. Absent before that',
        'x-extension': true,
      }),
    ),
    transactionHash: Type.Optional(
      described(Hash, 'The hash that was last submitted. Absent before that and for `approval`'),
    ),
    providerRequestId: Type.Optional(
      Type.String({ description: 'Always absent: the service sends nothing to the wallet' }),
    ),
    errorCode: Type.Optional(
      Type.String({
        description:
          '`transaction_mismatch`, `transaction_reverted` or `digest_mismatch`. Absent unless ' +
          '`failed`',
      }),
    ),
    evidenceJson: Type.Optional(
      Type.String({
        description:
          'What the last confirmation found, as canonical JSON: outcome, differences, block, ' +
          'depth and time. Absent before that',
      }),
    ),
  },
  { $id: 'LedgerProof', description: 'A test that a hardware wallet signs what we prepare' },
)

export const LedgerProofListSchema = Type.Object({
  proofs: Type.Array(component(LedgerProofSchema), { description: 'Newest first' }),
  nextCursor: NextCursor,
})

export const ledgerProofComponents = [LedgerProofSchema]
