import { Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { Address, oneOf, Uuid } from '#platform/values.ts'

export const WalletSchema = Type.Object(
  {
    id: Uuid,
    address: Address,
    kind: oneOf(['embedded', 'external', 'server']),
    chainType: Type.Optional(oneOf(['ethereum', 'solana'])),
    nativeAddress: Type.Optional(
      Type.String({ description: 'Base58 address of a wallet that has no EVM address' }),
    ),
  },
  { $id: 'Wallet' },
)

export const MembershipSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    organizationName: Type.String(),
    role: oneOf(['owner', 'manager', 'employee']),
    status: oneOf(['active', 'revoked']),
  },
  { $id: 'Membership' },
)

export const ConsumerSessionSchema = Type.Object(
  {
    account: Type.Object({ id: Uuid, status: oneOf(['active', 'disabled']) }),
    wallets: Type.Array(component(WalletSchema)),
    memberships: Type.Array(component(MembershipSchema)),
  },
  { $id: 'ConsumerSession' },
)

export const AdminSessionSchema = Type.Object(
  {
    account: Type.Object({
      id: Uuid,
      subject: Type.String(),
      status: oneOf(['active', 'disabled']),
    }),
    role: oneOf(['operator']),
    active: Type.Boolean(),
  },
  { $id: 'AdminSession' },
)

const IdentityToken = Type.String({ minLength: 1, maxLength: 20_000 })

export const ConsumerSessionBody = Type.Object(
  { identityToken: IdentityToken },
  { additionalProperties: false },
)

export const AdminSessionBody = Type.Object(
  { identityToken: Type.Optional(IdentityToken) },
  { additionalProperties: false },
)

export const identityComponents = [
  WalletSchema,
  MembershipSchema,
  ConsumerSessionSchema,
  AdminSessionSchema,
]
