/** Creates, revokes and expires invitations. */
import { randomBytes } from 'node:crypto'
import type { Member, Role } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { type Actor, SYSTEM } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import { addSeconds, timestampToMilliseconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { sha256 } from '#platform/digest.ts'
import { AppError } from '#platform/errors.ts'
import { type Answer, type IdempotentRequest, once } from '#platform/idempotency.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import { next } from '#platform/machine.ts'
import { asActor, asMember } from './actor.ts'
import { type InvitationEvent, invitationMachine } from './invitation.machine.ts'
import { deriveToken, revealToken } from './invitation-token.ts'
import {
  type InvitationRow,
  type InvitedRole,
  insertInvitation,
  listEmailedSince,
  lockInvitation,
  lockOpenInvitations,
  updateInvitationState,
} from './invitations.store.ts'
import { organizationChange } from './organization-change.ts'

const DAY_SECONDS = 24 * 60 * 60
const LIFETIME_SECONDS = 7 * DAY_SECONDS
/** In a day. */
const EMAILS_TO_ADDRESS_MAX = 5
/** In a day, for each invitation that may be open. */
const EMAILS_PER_OPEN_INVITATION = 5

type InvitationContext = Pick<Context, 'db' | 'clock' | 'ids' | 'secrets' | 'config'>

/** Stored under the Idempotency-Key: everything but the token. */
type IssuedInvitation = {
  id: string
  organizationId: string
  role: InvitedRole
  expiresAt: string
  /** Omitted when anybody with the token may accept. */
  email?: string
}
export type CreatedInvitation = IssuedInvitation & { inviteToken: string }

const actions = {
  accept: 'invitation.accepted',
  revoke: 'invitation.revoked',
  expire: 'invitation.expired',
} as const

const changeCodes = {
  accept: 'invitation_accepted',
  revoke: 'invitation_revoked',
  expire: 'invitation_expired',
} as const

/** Owners invite for every role that can be invited, managers only for that of an employee. */
export const mayInvite = (role: Role, invited: InvitedRole): boolean =>
  role === 'owner' || (role === 'manager' && invited === 'employee')

const requireMayInvite = (actor: Member, role: InvitedRole): void => {
  if (mayInvite(actor.role, role)) return
  throw new AppError('role_required', {
    message: 'A manager may invite only employees. Ask an owner.',
  })
}

export type InviteMember = {
  actor: Member
  role: InvitedRole
  /** Only an account with this verified address may accept. */
  email: string | undefined
  request: IdempotentRequest
}

export async function inviteMember(
  ctx: InvitationContext,
  { actor, role, email, request }: InviteMember,
): Promise<Answer<CreatedInvitation>> {
  requireMayInvite(actor, role)
  return asMember(ctx, actor, async (tx) => {
    const { body, replayed } = await once(tx, request, {
      at: ctx.clock.now(),
      work: () => issue(ctx, tx, { actor, role, email: email?.toLowerCase() }),
    })
    return { replayed, body: { ...body, inviteToken: await revealToken(ctx, tx, body) } }
  })
}

async function issue(
  ctx: InvitationContext,
  tx: Tx,
  { actor, role, email }: Omit<InviteMember, 'request'>,
): Promise<IssuedInvitation> {
  const { organizationId } = actor
  const at = ctx.clock.now()
  const { invitationsPerOrganization: max } = ctx.config.limits.quotas
  if ((await lockOpenInvitations(tx, { organizationId, at })) >= max) {
    throw new AppError('state_conflict', {
      message: `An organization may have at most ${max} open invitations. Revoke one first.`,
    })
  }
  const sent = ctx.config.email ? email : undefined
  if (sent !== undefined) await requireFewEmails(tx, { organizationId, email: sent, at, max })
  const id = ctx.ids.next()
  const tokenSalt = randomBytes(32)
  const expiresAt = addSeconds(at, LIFETIME_SECONDS)
  insertInvitation(tx, {
    id,
    organizationId,
    role,
    tokenSalt,
    tokenHash: sha256(deriveToken(ctx, id, tokenSalt)),
    invitedByMembershipId: actor.membershipId,
    email: email ?? null,
    at,
    expiresAt,
  })
  enqueueExpiry(tx, { id, organizationId, expiresAt: expiresAt.toISOString() })
  if (sent !== undefined) enqueueInvitationEmail(tx, { organizationId, invitationId: id })
  await recordChange(ctx, tx, {
    organizationId,
    actor: asActor(actor),
    action: 'invitation.created',
    aggregateType: 'invitation',
    aggregateId: id,
    // The trail cannot be erased, so it does not repeat the address.
    data: {
      role,
      expiresAt: expiresAt.toISOString(),
      ...(email !== undefined && { hasEmail: true }),
    },
    live: organizationChange('invitation_created', 'open'),
  })
  return {
    id,
    organizationId,
    role,
    expiresAt: expiresAt.toISOString(),
    ...(email !== undefined && { email }),
  }
}

const enqueueExpiry = (
  tx: Tx,
  { id, organizationId, expiresAt }: Pick<InvitationRow, 'id' | 'organizationId' | 'expiresAt'>,
  notBefore = '',
): void =>
  enqueue(
    tx,
    'expire_invitation',
    { organizationId, invitationId: id },
    {
      runAt: expiresAt > notBefore ? expiresAt : notBefore,
      key: `expire_invitation:${id}`,
    },
  )

/**
 * One queue for all: invitations go to strangers' mail servers, and must not keep a worker busy
 * while one of them hangs.
 */
export const enqueueInvitationEmail = (
  tx: Tx,
  payload: JobPayloads['send_invitation_email'],
  delaySeconds = 0,
): void =>
  enqueue(tx, 'send_invitation_email', payload, {
    key: `invitation_email:${payload.invitationId}`,
    queue: 'email:invitations',
    delaySeconds,
  })

/**
 * The quota counts open invitations. Without these limits, inviting and revoking in turn would send
 * strangers e-mails without end.
 */
async function requireFewEmails(
  tx: Tx,
  {
    organizationId,
    email,
    at,
    max,
  }: { organizationId: string; email: string; at: Date; max: number },
): Promise<void> {
  const since = addSeconds(at, -DAY_SECONDS)
  const sent = await listEmailedSince(tx, { organizationId, since })
  const toAddress = sent.filter((one) => one.email === email)
  const [oldestOfAll] = sent
  const [oldestToAddress] = toAddress
  if (oldestToAddress && toAddress.length >= EMAILS_TO_ADDRESS_MAX) {
    throw tooManyEmails(`${EMAILS_TO_ADDRESS_MAX} invitations to this address`, {
      since,
      oldest: oldestToAddress.createdAt,
    })
  }
  const emailsMax = max * EMAILS_PER_OPEN_INVITATION
  if (oldestOfAll && sent.length >= emailsMax) {
    throw tooManyEmails(`${emailsMax} invitations by e-mail`, {
      since,
      oldest: oldestOfAll.createdAt,
    })
  }
}

const tooManyEmails = (what: string, { since, oldest }: { since: Date; oldest: string }) =>
  new AppError('rate_limited', {
    message: `An organization may send at most ${what} a day. Wait for Retry-After.`,
    retryAfterSeconds: Math.max(
      1,
      Math.ceil((timestampToMilliseconds(oldest) - since.getTime()) / 1000),
    ),
  })

/** The only writer of an invitation's state. */
export async function moveInvitation(
  ctx: Pick<Context, 'clock' | 'ids'>,
  tx: Tx,
  {
    invitation,
    event,
    actor,
    acceptedByMembershipId = null,
  }: {
    invitation: InvitationRow
    event: InvitationEvent
    actor: Actor
    acceptedByMembershipId?: string | null
  },
): Promise<void> {
  const { id, organizationId, role, state: from } = invitation
  const to = next(invitationMachine, { from, event })
  const at = ctx.clock.now()
  updateInvitationState(tx, { organizationId, id, from, to, acceptedByMembershipId, at })
  await recordChange(ctx, tx, {
    organizationId,
    actor,
    action: actions[event],
    aggregateType: 'invitation',
    aggregateId: id,
    data: { role, membershipId: acceptedByMembershipId },
    live: organizationChange(changeCodes[event], to),
  })
}

export const isExpired = (ctx: Pick<Context, 'clock'>, { expiresAt }: InvitationRow): boolean =>
  expiresAt <= ctx.clock.now().toISOString()

export async function revokeInvitation(
  ctx: InvitationContext,
  { actor, invitationId }: { actor: Member; invitationId: string },
): Promise<{ id: string }> {
  return asMember(ctx, actor, async (tx) => {
    const where = { organizationId: actor.organizationId, id: invitationId }
    const invitation = await lockInvitation(tx, where)
    if (!invitation) throw new AppError('not_found')
    requireMayInvite(actor, invitation.role)
    if (isExpired(ctx, invitation)) throw new AppError('state_conflict')
    await moveInvitation(ctx, tx, { invitation, event: 'revoke', actor: asActor(actor) })
    return { id: invitation.id }
  })
}

/** Job that runs at the invitation's expiry. The invitation may have ended by then. */
export async function expireInvitation(
  ctx: InvitationContext,
  { organizationId, invitationId }: JobPayloads['expire_invitation'],
): Promise<void> {
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const invitation = await lockInvitation(tx, { organizationId, id: invitationId })
    if (invitation?.state !== 'open') return
    // The queue uses the database clock, but the service's clock decides, and it may be behind.
    if (!isExpired(ctx, invitation)) {
      const soon = addSeconds(ctx.clock.now(), 1).toISOString()
      return enqueueExpiry(tx, invitation, soon)
    }
    await moveInvitation(ctx, tx, { invitation, event: 'expire', actor: SYSTEM })
  })
}
