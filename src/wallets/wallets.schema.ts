import { Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor } from '#platform/paging.ts'
import {
  Address,
  extension,
  formatted,
  line,
  oneOf,
  Timestamp,
  Uuid,
  visibleAscii,
} from '#platform/values.ts'
import { walletMachine } from './wallet.machine.ts'

/** Unlinked wallets are never shown. */
const shownStates = oneOf(statesOf(walletMachine).filter((state) => state !== 'unlinked'))

const ChainType = oneOf(['ethereum', 'solana'])

export const WalletSchema = Type.Object(
  {
    id: Uuid,
    address: Address,
    kind: oneOf(['embedded', 'external', 'server']),
    chainType: Type.Optional(ChainType),
    nativeAddress: Type.Optional(
      Type.String({
        description: 'Base58 address of a wallet that has no EVM address',
        ...extension,
      }),
    ),
    purpose: Type.Optional(Type.String()),
    creationEnvironment: Type.Optional(Type.String()),
    lifecycleStatus: Type.Optional(shownStates),
    customExportAvailable: Type.Optional(Type.Boolean()),
  },
  { $id: 'Wallet' },
)

export const WalletListSchema = Type.Object(
  { wallets: Type.Array(component(WalletSchema)), nextCursor: NextCursor },
  { $id: 'WalletList' },
)

export const CreateWalletBody = Type.Object(
  {
    organizationId: Type.Optional(Uuid),
    chainType: Type.Optional(ChainType),
    purpose: line({ max: 100 }),
    idempotencyKey: visibleAscii({
      description: '1 to 255 visible ASCII characters. Repeating it returns the same wallet.',
      minLength: 1,
      maxLength: 255,
    }),
  },
  { additionalProperties: false },
)

export const LinkChallengeBody = Type.Object(
  {
    address: Type.String({ ...Address, description: 'The wallet to link' }),
    chainType: Type.Optional(
      oneOf(['ethereum', 'solana'], {
        description: 'Defaults to ethereum, the only one that can be linked by a signature',
      }),
    ),
  },
  { additionalProperties: false },
)

export const LinkChallengeSchema = Type.Object(
  {
    challengeId: Uuid,
    message: Type.String({
      description: 'EIP-4361 message for `personal_sign`, to be signed exactly as it is',
    }),
    expiresAt: Type.String({ ...Timestamp, description: 'Ten minutes from now' }),
  },
  { $id: 'LinkChallenge' },
)

/** An ERC-6492 signature contains the deployment of its wallet. */
const SIGNATURE_BYTES_MAX = 16_384

export const LinkWalletBody = Type.Object(
  {
    challengeId: Uuid,
    signature: formatted('^0x([0-9a-fA-F]{2})+$', 'a signature: 0x and bytes in hexadecimal', {
      description: 'Signature of the message by a key, ERC-1271 or ERC-6492',
      maxLength: 2 + 2 * SIGNATURE_BYTES_MAX,
    }),
  },
  { additionalProperties: false },
)

const RecipientPublicKey = Type.String({
  description: 'P-256 public key in base64, as SPKI or as a raw uncompressed point',
  minLength: 1,
  maxLength: 1_000,
})

export const RequestExportBody = Type.Object(
  { organizationId: Type.Optional(Uuid), recipientPublicKey: RecipientPublicKey },
  { additionalProperties: false },
)

export const CompleteExportBody = Type.Object(
  {
    recipientPublicKey: RecipientPublicKey,
    authorizationSignature: Type.String({
      description: "ECDSA P-256/SHA-256 over the payload's canonical JSON, DER in base64",
      minLength: 1,
      maxLength: 1_000,
    }),
    mfaAssertion: Type.String({
      description: 'ID token of a two-factor authentication at most five minutes old',
      minLength: 1,
      maxLength: 20_000,
    }),
  },
  { additionalProperties: false },
)

const AuthorizationPayload = Type.Object({
  version: Type.Literal(1),
  method: oneOf(['POST']),
  url: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.Object({
    encryption_type: oneOf(['HPKE']),
    recipient_public_key: Type.String(),
  }),
  requestId: Uuid,
  expiresAt: Timestamp,
})

export const RequestedExportSchema = Type.Object(
  {
    requestId: Uuid,
    walletId: Uuid,
    expiresAt: Timestamp,
    authorizationPayload: AuthorizationPayload,
  },
  { $id: 'RequestedExport' },
)

export const CompletedExportSchema = Type.Object(
  {
    encryptionType: oneOf(['HPKE']),
    encapsulatedKey: Type.String(),
    ciphertext: Type.String(),
    expiresAt: Timestamp,
    requestId: Uuid,
  },
  { $id: 'CompletedExport' },
)

export const WalletParams = Type.Object({ walletId: Uuid })
export const ExportParams = Type.Object({ walletId: Uuid, requestId: Uuid })

export const walletComponents = [
  WalletSchema,
  WalletListSchema,
  LinkChallengeSchema,
  RequestedExportSchema,
  CompletedExportSchema,
]
