import { component } from '#http/openapi.ts'
import { statesOf } from '#platform/machine.ts'
import { NextCursor } from '#platform/paging.ts'
import { Type } from '#platform/schema.ts'
import {
  CreatedAt,
  DisplayName,
  described,
  Email,
  extension,
  nullable,
  OrganizationId,
  oneOf,
  Timestamp,
  Uuid,
} from '#platform/values.ts'
import { invitationMachine } from './invitation.machine.ts'

/** There is no invitation of an owner: an owner promotes a member instead. */
export const InvitedRole = oneOf(['manager', 'employee'], {
  description: 'The role that the person gets. Owners are made with `POST …/members/…/role`',
})

const InvitationId = described(Uuid, 'The invitation')

export const InvitationParams = Type.Object({
  organizationId: OrganizationId,
  invitationId: InvitationId,
})

export const InviteTokenParams = Type.Object({
  token: Type.String({
    minLength: 1,
    description: '`inviteToken` of the invitation. It is secret: whoever has it may use it',
  }),
})

const ExpiresAt = described(Timestamp, 'Seven days after it was created. It cannot be used then')

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
    id: InvitationId,
    organizationId: OrganizationId,
    role: InvitedRole,
    status: oneOf(statesOf(invitationMachine), {
      description: 'Only an open invitation can be accepted or revoked. The others are final',
    }),
    expiresAt: ExpiresAt,
    createdAt: CreatedAt,
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
  invitations: Type.Array(component(InvitationSchema), {
    description: 'In every state, newest first',
  }),
  nextCursor: NextCursor,
})

export const NewInvitationSchema = Type.Object(
  {
    id: InvitationId,
    organizationId: OrganizationId,
    role: InvitedRole,
    inviteToken: Type.String({
      description:
        'Give it to the person, who sends it to `POST /v1/consumer/invitations/{token}/accept`. ' +
        'It works once and is not shown again',
    }),
    expiresAt: ExpiresAt,
    email: invitedEmail,
  },
  { $id: 'NewInvitation' },
)

export const AcceptedInvitationSchema = Type.Object(
  {
    organizationId: described(Uuid, 'The organization that the caller has joined'),
    organizationName: Type.String({ description: 'Its name' }),
    role: InvitedRole,
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
    role: InvitedRole,
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

export const RevokedInvitationSchema = Type.Object(
  { id: described(Uuid, 'The invitation, which can no longer be accepted') },
  { title: 'RevokedInvitation' },
)

export const invitationComponents = [
  InvitationSchema,
  NewInvitationSchema,
  AcceptedInvitationSchema,
]
