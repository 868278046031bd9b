/** The two steps of a key export. */
import { Type } from '#platform/schema.ts'
import { described, oneOf, Timestamp, Uuid } from '#platform/values.ts'

const RecipientPublicKey = Type.String({
  description:
    'P-256 public key that the private key is sealed to, in base64: SPKI or a raw uncompressed ' +
    'point. Make a new key pair for each export',
  minLength: 1,
  maxLength: 1_000,
})

export const RequestExportBody = Type.Object(
  {
    organizationId: Type.Optional(
      described(Uuid, 'If given, the wallet must have been created for this organization'),
    ),
    recipientPublicKey: RecipientPublicKey,
  },
  { additionalProperties: false },
)

export const CompleteExportBody = Type.Object(
  {
    recipientPublicKey: described(RecipientPublicKey, 'The key that the export was requested for'),
    authorizationSignature: Type.String({
      description:
        'ECDSA P-256/SHA-256 signature by the recipient key over the canonical JSON (RFC 8785) ' +
        'of `authorizationPayload`, DER in base64. Web Crypto signs in another form: convert it',
      minLength: 1,
      maxLength: 1_000,
    }),
    mfaAssertion: Type.String({
      description:
        'ID token of a two-factor authentication at most five minutes old, with the id of the ' +
        'export request as its `nonce`. In development, `POST /token` of the helper issues one ' +
        'for `"mfa": {"nonce": …}`',
      minLength: 1,
      maxLength: 20_000,
    }),
  },
  { additionalProperties: false },
)

const ExportRequestId = described(Uuid, 'The export request, and the `nonce` of the authentication')
const ExportExpiresAt = described(Timestamp, 'Five minutes after the request')

const AuthorizationPayload = Type.Object(
  {
    version: Type.Literal(1, { description: 'Version of the form of this payload' }),
    method: oneOf(['POST'], { description: 'Method of the request to the wallet provider' }),
    url: Type.String({ description: 'Where the wallet provider exports the key' }),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'Headers that the wallet provider requires to be signed',
    }),
    body: Type.Object(
      {
        encryption_type: oneOf(['HPKE'], { description: 'How the key is encrypted (RFC 9180)' }),
        recipient_public_key: Type.String({
          description: 'The recipient key as SPKI in base64, whichever form was sent',
        }),
      },
      { title: 'ExportPayloadBody', description: 'Body of the request to the wallet provider' },
    ),
    requestId: ExportRequestId,
    expiresAt: ExportExpiresAt,
  },
  {
    title: 'ExportPayload',
    description: 'Sign its canonical JSON (RFC 8785) with the recipient key to complete the export',
  },
)

const WalletId = described(Uuid, 'The wallet whose key is exported')

export const RequestedExportSchema = Type.Object(
  {
    requestId: ExportRequestId,
    walletId: WalletId,
    expiresAt: ExportExpiresAt,
    authorizationPayload: AuthorizationPayload,
  },
  { $id: 'RequestedExport' },
)

export const CompletedExportSchema = Type.Object(
  {
    encryptionType: oneOf(['HPKE'], {
      description:
        'RFC 9180, base mode: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256 and ChaCha20-Poly1305, with ' +
        'empty `info` and no additional data',
    }),
    encapsulatedKey: Type.String({ description: 'Encapsulated key of HPKE, in base64' }),
    ciphertext: Type.String({
      description:
        'The private key, sealed to the recipient key, in base64. Opened, it is text: 0x and 64 ' +
        'hex digits; of a Solana wallet, 64 bytes in base58',
    }),
    expiresAt: described(Timestamp, 'When the request would have expired'),
    requestId: described(Uuid, 'The export request that is now completed'),
  },
  { $id: 'CompletedExport' },
)

export const ExportParams = Type.Object({
  walletId: WalletId,
  requestId: described(Uuid, 'The export request, from the answer that opened it'),
})
