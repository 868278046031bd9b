import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor, PageQuery } from '#platform/paging.ts'
import { Type } from '#platform/schema.ts'
import {
  added,
  DisplayName,
  described,
  line,
  nullable,
  OrganizationId,
  oneOf,
  Uuid,
} from '#platform/values.ts'
import { WalletSchema } from '#wallets/wallets.schema.ts'
import { accountMachine } from './identity.machine.ts'

/** Also of pending memberships. */
const OrganizationName = Type.String({ description: 'Name of the organization' })

const MembershipSchema = Type.Object(
  {
    id: described(Uuid, 'The membership, as in `GET …/members`'),
    organizationId: OrganizationId,
    organizationName: OrganizationName,
    role: oneOf(['owner', 'manager', 'employee'], {
      description: 'What the account may do in the organization',
    }),
    status: oneOf(['active', 'revoked'], {
      description:
        'revoked: the membership has ended and gives no access. Somebody who joins again gets a ' +
        'new one.',
    }),
  },
  { $id: 'Membership' },
)

const AccountId = described(Uuid, 'The account. It stays the same in all sessions')
const AccountStatus = oneOf(statesOf(accountMachine), {
  description: 'disabled: every operation except `GET /v1/consumer/me` is refused',
})

export const ConsumerSessionSchema = Type.Object(
  {
    account: Type.Object(
      { id: AccountId, status: AccountStatus, displayName: DisplayName },
      { title: 'Account', description: 'The calling account' },
    ),
    wallets: Type.Array(component(WalletSchema), {
      description: 'Wallets of the account that are linked or created, oldest first',
    }),
    memberships: Type.Array(component(MembershipSchema), {
      description:
        'The newest 200 memberships of the account, newest first. Includes revoked ones. ' +
        '`membershipsNextCursor` leads to the others',
    }),
    membershipsNextCursor: Type.Optional(
      added(
        NextCursor,
        'Send it as `cursor` to `GET /v1/consumer/memberships` for the older memberships. Null ' +
          'if `memberships` has them all',
      ),
    ),
    pendingMemberships: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: described(Uuid, 'The membership, which stays the same when it is confirmed'),
            organizationId: OrganizationId,
            organizationName: OrganizationName,
            role: oneOf(['manager', 'employee'], {
              description: 'The role that the account gets once an owner has confirmed it',
            }),
          },
          { title: 'PendingMembership' },
        ),
        {
          'x-extension': true,
          description:
            'Accepted invitations that an owner must confirm, the newest 200. Left out if there ' +
            'are none',
        },
      ),
    ),
  },
  { $id: 'ConsumerSession' },
)

export const MembershipListSchema = Type.Object(
  {
    memberships: Type.Array(component(MembershipSchema), {
      description: 'Newest first, revoked ones included',
    }),
    nextCursor: NextCursor,
  },
  { title: 'MembershipList' },
)

export const MembershipQuery = Type.Object({
  ...PageQuery.properties,
  organizationId: Type.Optional(added(Uuid, 'Only memberships in this organization')),
})

export const AdminSessionSchema = Type.Object(
  {
    account: Type.Object(
      {
        id: AccountId,
        subject: Type.String({ description: 'The `sub` claim of the access token' }),
        status: oneOf(statesOf(accountMachine), {
          description: 'Always active: a disabled operator is refused',
        }),
      },
      { title: 'OperatorAccount', description: 'The calling account' },
    ),
    role: oneOf(['operator'], { description: 'Operators all have the same rights' }),
    active: Type.Boolean({ description: 'Always true: a revoked operator is refused' }),
  },
  { $id: 'AdminSession' },
)

const IdentityToken = Type.String({
  minLength: 1,
  maxLength: 20_000,
  description:
    'ID token of the identity provider (a JWT). Its issuer and subject must be those of the ' +
    'access token',
})

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
