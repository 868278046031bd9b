/**
 * Live events of members, wallet roles, invitations and recipients. They concern no account, so
 * streams, snapshots and webhooks show them to owners and managers, never to employees.
 */

import type { LiveChange } from '#journal/journal.store.ts'
import { integrationChange } from '#journal/journal.ts'

/** What changed. The aggregate id of the event is that of the thing: a membership, and so on. */
type OrganizationChangeCode =
  | 'organization_renamed'
  | 'member_joined'
  /** Waits for an owner's confirmation. */
  | 'membership_pending'
  | 'member_role_changed'
  | 'member_revoked'
  | 'member_left'
  | 'wallet_role_assigned'
  | 'wallet_role_revoked'
  | 'invitation_created'
  | 'invitation_accepted'
  | 'invitation_revoked'
  | 'invitation_expired'
  | 'recipient_created'
  | 'recipient_renamed'
  | 'recipient_deactivated'

/** `targetState`: the state after the change; null for a thing without states. */
export const organizationChange = (
  code: OrganizationChangeCode,
  targetState: string | null,
): LiveChange => integrationChange({ code, targetState, severity: 'healthy' })
