import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor } from '#platform/paging.ts'
import { Type } from '#platform/schema.ts'
import {
  Address,
  described,
  extension,
  formatted,
  line,
  oneOf,
  Timestamp,
  Uuid,
  visibleAscii,
} from '#platform/values.ts'
import { CompletedExportSchema, RequestedExportSchema } from './exports.schema.ts'
import { walletMachine } from './wallet.machine.ts'

/** Unlinked wallets are never shown. */
const shownStates = oneOf(
  statesOf(walletMachine).filter((state) => state !== 'unlinked'),
  { description: 'Of a server wallet. disabled: it can no longer get a role or be exported' },
)

export const WalletKind = oneOf(['embedded', 'external', 'server'], {
  description:
    'embedded: the identity provider made it for the person. external: an own wallet that was ' +
    'linked. server: the wallet provider holds its key',
})

const ChainType = oneOf(['ethereum', 'solana'], {
  description: 'ethereum: every EVM chain. Only such a wallet can have a role',
})

export const WalletSchema = Type.Object(
  {
    id: described(Uuid, 'The wallet, as `walletId` in other operations'),
    address: described(Address, 'The zero address for a Solana wallet: see `nativeAddress`'),
    kind: WalletKind,
    chainType: Type.Optional(ChainType),
    nativeAddress: Type.Optional(
      Type.String({
        description: 'Base58 address of a wallet that has no EVM address',
        ...extension,
      }),
    ),
    purpose: Type.Optional(
      Type.String({ description: 'What a server wallet is for, as given when it was created' }),
    ),
    creationEnvironment: Type.Optional(
      Type.String({ description: 'Environment of the deployment that created a server wallet' }),
    ),
    lifecycleStatus: Type.Optional(shownStates),
    customExportAvailable: Type.Optional(
      Type.Boolean({ description: 'Whether the key of a server wallet can be exported' }),
    ),
  },
  { $id: 'Wallet' },
)

export const WalletListSchema = Type.Object(
  {
    wallets: Type.Array(component(WalletSchema), {
      description: 'Newest first. Unlinked wallets and wallets not yet created are left out',
    }),
    nextCursor: NextCursor,
  },
  { $id: 'WalletList' },
)

export const CreateWalletBody = Type.Object(
  {
    organizationId: Type.Optional(
      described(
        Uuid,
        'The organization that the wallet is for. Only there can it get a role; left out: none',
      ),
    ),
    chainType: Type.Optional(
      described(ChainType, 'The kind of key and address. Left out: ethereum'),
    ),
    purpose: line({ max: 100, description: 'What the wallet is for, as its holder sees it' }),
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
    address: described(Address, 'The wallet to link'),
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
    challengeId: described(Uuid, 'Send it with the signature to `POST /v1/consumer/wallets/links`'),
    message: Type.String({
      description: 'EIP-4361 message for `personal_sign`, to be signed exactly as it is',
    }),
    expiresAt: described(Timestamp, 'Ten minutes from now'),
  },
  { $id: 'LinkChallenge' },
)

/** An ERC-6492 signature contains the deployment of its wallet. */
const SIGNATURE_BYTES_MAX = 16_384

export const LinkWalletBody = Type.Object(
  {
    challengeId: described(Uuid, 'The challenge whose message the wallet signed'),
    signature: formatted('^0x([0-9a-fA-F]{2})+$', 'a signature: 0x and bytes in hexadecimal', {
      description: 'Signature of the message by a key, ERC-1271 or ERC-6492',
      maxLength: 2 + 2 * SIGNATURE_BYTES_MAX,
    }),
  },
  { additionalProperties: false },
)

export const WalletParams = Type.Object({
  walletId: described(Uuid, 'A wallet of the calling account'),
})

export const walletComponents = [
  WalletSchema,
  WalletListSchema,
  LinkChallengeSchema,
  RequestedExportSchema,
  CompletedExportSchema,
]
