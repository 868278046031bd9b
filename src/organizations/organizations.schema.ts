/** Organizations, their members and wallet roles. */

import { component } from '#http/openapi.ts'
import { NextCursor } from '#platform/paging.ts'
import { Type } from '#platform/schema.ts'
import {
  Address,
  CreatedAt,
  DisplayName,
  described,
  extension,
  line,
  nullable,
  OrganizationId,
  oneOf,
  Uuid,
} from '#platform/values.ts'
import { WalletKind } from '#wallets/wallets.schema.ts'
import { InvitedRole, invitationComponents } from './invitations.schema.ts'
import { recipientComponents } from './recipients.schema.ts'

const Role = oneOf(['owner', 'manager', 'employee'], {
  description:
    'employee: submits own expenses. manager: also reviews, pays and invites employees. owner: ' +
    'also manages members, vaults and webhooks',
})
const WalletRole = oneOf(['treasury_owner', 'approver'], {
  description:
    'treasury_owner: owns vaults and configures their policies; as a server wallet it only ' +
    'deposits. approver: signs approvals',
})
const notices = Type.Array(
  Type.String({ description: 'An effect on chain that the change cannot undo' }),
  { description: 'What to do on chain afterwards, as sentences. Empty if nothing' },
)

const MembershipId = described(Uuid, 'The membership. Somebody who joins again gets another')

export const OrganizationParams = Type.Object({
  organizationId: described(Uuid, 'The organization to read or change'),
})
export const MembershipParams = Type.Object({
  organizationId: OrganizationId,
  membershipId: described(Uuid, 'A membership, from `GET …/members` or `GET …/pending-members`'),
})
export const WalletRoleParams = Type.Object({
  organizationId: OrganizationId,
  walletRoleId: described(Uuid, 'A wallet role: `id` in `walletRoles` of `GET …/members`'),
})

export const OrganizationSchema = Type.Object(
  {
    id: described(Uuid, 'The organization, as `organizationId` in paths'),
    name: Type.String({ description: 'As members see it. Not unique' }),
    role: described(Role, "The caller's role in the organization"),
  },
  { $id: 'OrganizationSummary' },
)

export const OrganizationListSchema = Type.Object({
  organizations: Type.Array(component(OrganizationSchema), {
    description: 'Most recently joined first',
  }),
  nextCursor: NextCursor,
})

export const OrganizationBody = Type.Object(
  { name: line({ min: 2, max: 100, description: 'One line of 2 to 100 characters' }) },
  { additionalProperties: false },
)

const memberFields = {
  membershipId: MembershipId,
  accountId: described(Uuid, 'The account of the person'),
  role: Role,
  status: oneOf(['active', 'revoked'], {
    description: 'revoked: the membership has ended and gives no access',
  }),
  displayName: DisplayName,
  wallets: Type.Array(
    Type.Object(
      {
        id: described(Uuid, 'The wallet, as `walletId` of a wallet role'),
        address: described(
          Address,
          'The zero address for a Solana wallet, which cannot get a role',
        ),
        kind: WalletKind,
      },
      { title: 'MemberWallet' },
    ),
    { description: 'Wallets of the person. Of a revoked member, those that they had by then' },
  ),
  walletRoles: Type.Array(
    Type.Object(
      {
        id: described(Uuid, 'The wallet role'),
        walletId: described(Uuid, 'The wallet that has the role'),
        role: WalletRole,
        active: Type.Boolean({ description: 'False once the role is revoked' }),
      },
      { title: 'MemberWalletRole' },
    ),
    { description: 'Roles of their wallets in this organization, including revoked ones' },
  ),
}

export const MemberSchema = Type.Object(
  {
    ...memberFields,
    email: Type.Optional(
      nullable(
        Type.String({
          description: 'Verified e-mail address; listed for owners only',
          ...extension,
        }),
      ),
    ),
  },
  { $id: 'Member' },
)
export const RevokedMemberSchema = Type.Object(
  { ...memberFields, notices },
  { $id: 'RevokedMember' },
)

export const ChangedMemberSchema = Type.Object(
  { ...memberFields, notices },
  { $id: 'ChangedMember' },
)

export const RoleBody = Type.Object(
  { role: described(Role, 'The new role') },
  { additionalProperties: false },
)

export const MemberListSchema = Type.Object({
  members: Type.Array(component(MemberSchema), {
    description: 'Active and revoked members, most recently joined first',
  }),
  nextCursor: NextCursor,
})

const PendingMemberSchema = Type.Object(
  {
    membershipId: described(Uuid, 'The membership to confirm or revoke'),
    accountId: described(Uuid, 'The account of the person'),
    role: described(InvitedRole, 'The role that the person gets once confirmed'),
    displayName: DisplayName,
    createdAt: described(CreatedAt, 'When the person accepted the invitation'),
  },
  { $id: 'PendingMember' },
)

export const PendingMemberListSchema = Type.Object({
  pendingMembers: Type.Array(component(PendingMemberSchema), {
    description: 'Most recently accepted first',
  }),
  nextCursor: NextCursor,
})

const walletRoleFields = {
  membershipId: described(Uuid, 'The member who holds the wallet'),
  walletId: described(Uuid, 'The wallet that has the role'),
  role: WalletRole,
  id: described(Uuid, 'The wallet role'),
  organizationId: OrganizationId,
  address: described(Address, 'Address of the wallet'),
  active: Type.Boolean({ description: 'False once the role is revoked. It is never active again' }),
}

export const WalletRoleSchema = Type.Object(walletRoleFields, { $id: 'WalletRole' })
export const RevokedWalletRoleSchema = Type.Object(
  { ...walletRoleFields, notices },
  { $id: 'RevokedWalletRole' },
)

export const WalletRoleBody = Type.Object(
  {
    membershipId: described(Uuid, 'An active member of the organization'),
    walletId: described(Uuid, 'A wallet of this member'),
    role: WalletRole,
  },
  { additionalProperties: false },
)

export const organizationComponents = [
  OrganizationSchema,
  MemberSchema,
  RevokedMemberSchema,
  ChangedMemberSchema,
  PendingMemberSchema,
  WalletRoleSchema,
  RevokedWalletRoleSchema,
  ...invitationComponents,
  ...recipientComponents,
]
