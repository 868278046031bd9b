import { Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { DisplayName, line, nullable, oneOf, Uuid } from '#platform/values.ts'
import { WalletSchema } from '#wallets/wallets.schema.ts'
import { accountMachine } from './identity.machine.ts'

const MembershipSchema = Type.Object(
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
    account: Type.Object({
      id: Uuid,
      status: oneOf(statesOf(accountMachine)),
      displayName: DisplayName,
    }),
    wallets: Type.Array(component(WalletSchema)),
    memberships: Type.Array(component(MembershipSchema)),
    pendingMemberships: Type.Optional(
      Type.Array(
        Type.Object({
          id: Uuid,
          organizationId: Uuid,
          organizationName: Type.String(),
          role: oneOf(['manager', 'employee']),
        }),
        { 'x-extension': true, description: 'Accepted invitations that an owner must confirm' },
      ),
    ),
  },
  { $id: 'ConsumerSession' },
)

export const AdminSessionSchema = Type.Object(
  {
    account: Type.Object({
      id: Uuid,
      subject: Type.String(),
      status: oneOf(statesOf(accountMachine)),
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

export const ProfileBody = Type.Object(
  {
    displayName: nullable(
      line({ max: 100, description: 'One line of up to 100 characters; null to remove it' }),
    ),
  },
  { additionalProperties: false },
)

export const AdminSessionBody = Type.Object(
  { identityToken: Type.Optional(IdentityToken) },
  { additionalProperties: false },
)

export const identityComponents = [MembershipSchema, ConsumerSessionSchema, AdminSessionSchema]
