import { Type } from 'typebox'
import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor } from '#platform/paging.ts'
import {
  Address,
  DisplayName,
  Email,
  extension,
  line,
  nullable,
  oneOf,
  Timestamp,
  Uuid,
} from '#platform/values.ts'
import { invitationMachine } from './invitation.machine.ts'
import { recipientComponents } from './recipients.schema.ts'

const role = oneOf(['owner', 'manager', 'employee'])
const invitedRole = oneOf(['manager', 'employee'])
const walletRole = oneOf(['treasury_owner', 'approver'])
const nextCursor = NextCursor
const notices = Type.Array(
  Type.String({ description: 'Effects on chain that the revocation cannot undo' }),
)

export const OrganizationParams = Type.Object({ organizationId: Uuid })
export const MembershipParams = Type.Object({ organizationId: Uuid, membershipId: Uuid })
export const WalletRoleParams = Type.Object({ organizationId: Uuid, walletRoleId: Uuid })
export const InvitationParams = Type.Object({ organizationId: Uuid, invitationId: Uuid })
export const InviteTokenParams = Type.Object({ token: Type.String({ minLength: 1 }) })

export const OrganizationSchema = Type.Object(
  { id: Uuid, name: Type.String(), role },
  { $id: 'OrganizationSummary' },
)

export const OrganizationListSchema = Type.Object({
  organizations: Type.Array(component(OrganizationSchema)),
  nextCursor,
})

export const OrganizationBody = Type.Object(
  { name: line({ min: 2, max: 100 }) },
  { additionalProperties: false },
)

const memberFields = {
  membershipId: Uuid,
  accountId: Uuid,
  role,
  status: oneOf(['active', 'revoked']),
  displayName: DisplayName,
  wallets: Type.Array(
    Type.Object({ id: Uuid, address: Address, kind: oneOf(['embedded', 'external', 'server']) }),
  ),
  walletRoles: Type.Array(
    Type.Object({ id: Uuid, walletId: Uuid, role: walletRole, active: Type.Boolean() }),
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

export const RoleBody = Type.Object({ role }, { additionalProperties: false })

export const MemberListSchema = Type.Object({
  members: Type.Array(component(MemberSchema)),
  nextCursor,
})

const PendingMemberSchema = Type.Object(
  {
    membershipId: Uuid,
    accountId: Uuid,
    role: invitedRole,
    displayName: DisplayName,
    createdAt: Timestamp,
  },
  { $id: 'PendingMember' },
)

export const PendingMemberListSchema = Type.Object({
  pendingMembers: Type.Array(component(PendingMemberSchema)),
  nextCursor,
})

const walletRoleFields = {
  membershipId: Uuid,
  walletId: Uuid,
  role: walletRole,
  id: Uuid,
  organizationId: Uuid,
  address: Address,
  active: Type.Boolean(),
}

export const WalletRoleSchema = Type.Object(walletRoleFields, { $id: 'WalletRole' })
export const RevokedWalletRoleSchema = Type.Object(
  { ...walletRoleFields, notices },
  { $id: 'RevokedWalletRole' },
)

export const WalletRoleBody = Type.Object(
  { membershipId: Uuid, walletId: Uuid, role: walletRole },
  { additionalProperties: false },
)

const invitedEmail = Type.Optional(
  nullable(
    Type.String({
      description:
        'The only verified address that may accept it; null for any. Shown to owners and to the ' +
        'member who sent the invitation',
      ...extension,
    }),
  ),
)

const InvitationSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    role: invitedRole,
    status: oneOf(statesOf(invitationMachine)),
    expiresAt: Timestamp,
    createdAt: Timestamp,
    invitedByAccountId: Type.Optional(
      Type.String({ ...Uuid, description: 'The member who sent the invitation', ...extension }),
    ),
    invitedByDisplayName: DisplayName,
    acceptedByAccountId: Type.Optional(
      nullable(
        Type.String({
          ...Uuid,
          description: 'Who accepted it; null until somebody has',
          ...extension,
        }),
      ),
    ),
    acceptedByDisplayName: DisplayName,
    email: invitedEmail,
  },
  { $id: 'Invitation' },
)

export const InvitationListSchema = Type.Object({
  invitations: Type.Array(component(InvitationSchema)),
  nextCursor,
})

export const NewInvitationSchema = Type.Object(
  {
    id: Uuid,
    organizationId: Uuid,
    role: invitedRole,
    inviteToken: Type.String(),
    expiresAt: Timestamp,
    email: invitedEmail,
  },
  { $id: 'NewInvitation' },
)

export const AcceptedInvitationSchema = Type.Object(
  {
    organizationId: Uuid,
    organizationName: Type.String(),
    role: invitedRole,
    status: Type.Optional(
      Type.String({
        enum: ['pending'],
        'x-extension': true,
        description: 'Present when an owner must confirm the membership first',
      }),
    ),
  },
  { $id: 'AcceptedInvitation' },
)

export const InvitationBody = Type.Object(
  {
    role: invitedRole,
    email: Type.Optional(
      Type.String({
        ...Email,
        description:
          'Only an account with this verified address may accept the invitation. It is sent ' +
          'there where e-mail is configured',
        ...extension,
      }),
    ),
  },
  { additionalProperties: false },
)

export const RevokedInvitationSchema = Type.Object({ id: Uuid })

export const organizationComponents = [
  OrganizationSchema,
  MemberSchema,
  RevokedMemberSchema,
  ChangedMemberSchema,
  PendingMemberSchema,
  WalletRoleSchema,
  RevokedWalletRoleSchema,
  InvitationSchema,
  NewInvitationSchema,
  AcceptedInvitationSchema,
  ...recipientComponents,
]
