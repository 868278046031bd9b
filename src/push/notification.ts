/** Which events lead to notifications, for whom, and where they lead. Pure. */
import { isManager, type Role } from '#access/permissions.ts'
import { SIGNATURE_ADDED } from '#expenses/move-expense.ts'
import { sha256 } from '#platform/digest.ts'

export type Category =
  | 'approval_needed'
  | 'review_needed'
  | 'payment_confirmed'
  | 'payment_blocked'
  | 'payment_unrecorded'
  | 'policy_proposed'
  | 'vault_changed'
  | 'revision_requested'
  | 'member_role_changed'
  | 'support_updated'
  | 'wallet_exported'
  | 'wallet_export_locked'
  | 'webhook_disabled'

/** A live event with the facts that decide about a notification. */
export type NotificationEvent = {
  id: string
  organizationId: string | null
  audience: 'consumer' | 'admin' | 'both'
  kind: string
  aggregateType: string
  aggregateId: string
  targetState: string | null
  code: string | null
  occurredAt: string
  /**
   * The account concerned: the submitter of the expense, opener of the case or holder of the
   * wallet.
   */
  accountId: string | null
  /** With a signature that was added: who has signed. */
  signerIds: readonly string[] | null
}

/** An active member whose account is active. */
export type NotificationViewer = {
  accountId: string
  membershipId: string
  role: Role
  isApprover: boolean
}

const UNRECORDED_FOUND = 'unrecorded_payment_found'
const WEBHOOK_DISABLED = 'webhook_disabled'
const ROLE_CHANGED = 'member_role_changed'

/** A policy waits, prepared here or not: whoever did not expect it has time to veto. */
const PROPOSED = ['policy_proposed', 'policy_proposal_drift', 'policy_proposal_reopened']
/** What a vault logged and nobody prepared here. */
const DRIFT = [
  ...['policy_drift', 'policy_server_approver', 'recipients_drift', 'recipient_blocked'],
  ...['approver_revoked', 'policy_paused'],
]

const expenseCategories = new Map<string | null, Category>([
  ['needs_review', 'review_needed'],
  ['awaiting_approval', 'approval_needed'],
  ['revision_requested', 'revision_requested'],
])

const paymentCategories = new Map<string | null, Category>([
  ['confirmed', 'payment_confirmed'],
  ['blocked', 'payment_blocked'],
  ['failed', 'payment_blocked'],
])

const integrationCategories = new Map<string | null, Category>([
  ['wallet_export_completed', 'wallet_exported'],
  ['wallet_export_locked', 'wallet_export_locked'],
  [UNRECORDED_FOUND, 'payment_unrecorded'],
  [WEBHOOK_DISABLED, 'webhook_disabled'],
  [ROLE_CHANGED, 'member_role_changed'],
  ...PROPOSED.map((code): [string, Category] => [code, 'policy_proposed']),
  ...DRIFT.map((code): [string, Category] => [code, 'vault_changed']),
])

/** Undefined for events without a notification. */
export function categoryOf(
  event: Pick<NotificationEvent, 'kind' | 'targetState' | 'code'>,
): Category | undefined {
  const { targetState: state } = event
  if (event.kind === 'integration.changed') return integrationCategories.get(event.code)
  // Events with a code, such as comments, leave an expense in its state. A signature that was
  // added asks those who have not signed.
  if (event.kind === 'expense.changed') {
    const isAsking = event.code === null || event.code === SIGNATURE_ADDED
    return isAsking ? expenseCategories.get(state) : undefined
  }
  // A payment is confirmed once; later changes of a confirmed payment carry a code.
  if (event.kind === 'payment.changed' && !(state === 'confirmed' && event.code !== null)) {
    return paymentCategories.get(state)
  }
  return event.kind === 'support_case.changed' && isFromSupport(event.code)
    ? 'support_updated'
    : undefined
}

/**
 * An operator's answer, or a new status without one. Internal notes and members' own messages
 * carry other codes.
 */
const isFromSupport = (code: string | null): boolean => code === null || code === 'answered'

const folders: Record<string, string> = {
  expense: 'expenses',
  payment: 'payments',
  support_case: 'support-cases',
}

const integrationFolders: Record<string, string> = {
  [UNRECORDED_FOUND]: 'unrecorded-payments',
  [ROLE_CHANGED]: 'members',
}

/**
 * Where the application shows it. Wallets belong to accounts, so their route names no organization.
 */
export const routeOf = ({
  organizationId,
  aggregateType,
  aggregateId,
  code,
}: Pick<
  NotificationEvent,
  'organizationId' | 'aggregateType' | 'aggregateId' | 'code'
>): string => {
  if (code === WEBHOOK_DISABLED) return `/organizations/${organizationId}/webhooks`
  if (code !== null && [...PROPOSED, ...DRIFT].includes(code)) {
    return `/organizations/${organizationId}/treasury`
  }
  const folder = (code !== null && integrationFolders[code]) || folders[aggregateType]
  if (folder === undefined) return '/wallets'
  return `/organizations/${organizationId}/${folder}/${aggregateId}`
}

/** The recipient is asked to act, which is pointless once the resource has moved on. */
export const asksToAct = (category: Category): boolean =>
  category === 'approval_needed' ||
  category === 'review_needed' ||
  category === 'revision_requested'

/** Wallet notifications reach the holder in every organization, or in none. */
export const isWalletCategory = (
  category: Category,
): category is 'wallet_exported' | 'wallet_export_locked' =>
  category === 'wallet_exported' || category === 'wallet_export_locked'

/** Submitters are notified of their own expense only when nobody else could decide. */
const othersOrAlone = (
  able: readonly NotificationViewer[],
  submitter: string | null,
): readonly NotificationViewer[] => {
  const others = able.filter(({ accountId }) => accountId !== submitter)
  return others.length > 0 ? others : able
}

/** The wallet's holder, member or not, and the organization's owners. */
const holderAndOwners = (
  holder: string | null,
  members: readonly NotificationViewer[],
): string[] => {
  const owners = members.filter(({ role }) => role === 'owner').map(({ accountId }) => accountId)
  return [...new Set([...(holder === null ? [] : [holder]), ...owners])]
}

/** Those who can veto a policy, pause a vault or block a recipient. */
const guardsVaults = ({ role, isApprover }: NotificationViewer): boolean =>
  role === 'owner' || isApprover

const isVaultCategory = (category: Category): boolean =>
  category === 'policy_proposed' || category === 'vault_changed'

/** The accounts to notify. */
export function recipientsOf(
  category: Category,
  {
    event,
    members,
  }: {
    event: Pick<NotificationEvent, 'accountId' | 'aggregateId' | 'signerIds'>
    members: readonly NotificationViewer[]
  },
): string[] {
  const { accountId: concerned, aggregateId, signerIds } = event
  if (isWalletCategory(category)) return holderAndOwners(concerned, members)
  const isConcerned = ({ accountId }: NotificationViewer) => accountId === concerned
  const recipients = {
    review_needed: () => othersOrAlone(members.filter(isManager), concerned),
    approval_needed: () =>
      othersOrAlone(
        members.filter(
          ({ isApprover, accountId }) => isApprover && !signerIds?.includes(accountId),
        ),
        concerned,
      ),
    payment_blocked: () => members.filter((member) => isConcerned(member) || isManager(member)),
    payment_unrecorded: () => members.filter(isManager),
    policy_proposed: () => members.filter(guardsVaults),
    vault_changed: () => members.filter(guardsVaults),
    webhook_disabled: () => members.filter(({ role }) => role === 'owner'),
    // And the member: of two owners one may demote the other, and would be the only one to know.
    member_role_changed: () =>
      members.filter(({ role, membershipId }) => role === 'owner' || membershipId === aggregateId),
    payment_confirmed: () => members.filter(isConcerned),
    revision_requested: () => members.filter(isConcerned),
    support_updated: () => members.filter(isConcerned),
  }
  return recipients[category]().map(({ accountId }) => accountId)
}

/**
 * As with live events, employees see their own; an approver in any role sees what awaits a
 * signature.
 */
export const maySee = (
  category: Category,
  {
    event,
    viewer,
  }: {
    event: Pick<NotificationEvent, 'accountId' | 'aggregateId' | 'audience'>
    viewer: NotificationViewer
  },
): boolean =>
  event.audience !== 'admin' &&
  (isManager(viewer) ||
    event.accountId === viewer.accountId ||
    (category === 'member_role_changed' && event.aggregateId === viewer.membershipId) ||
    ((category === 'approval_needed' || isVaultCategory(category)) && viewer.isApprover))

const HOUR_SECONDS = 3_600

/** How long after the event a notification is still useful. */
export const notificationTtlSeconds: Record<Category, number> = {
  approval_needed: HOUR_SECONDS,
  review_needed: HOUR_SECONDS,
  payment_confirmed: 24 * HOUR_SECONDS,
  payment_blocked: 24 * HOUR_SECONDS,
  payment_unrecorded: 24 * HOUR_SECONDS,
  policy_proposed: 24 * HOUR_SECONDS,
  vault_changed: 24 * HOUR_SECONDS,
  revision_requested: 24 * HOUR_SECONDS,
  member_role_changed: 24 * HOUR_SECONDS,
  support_updated: 24 * HOUR_SECONDS,
  wallet_exported: 24 * HOUR_SECONDS,
  wallet_export_locked: 24 * HOUR_SECONDS,
  webhook_disabled: 24 * HOUR_SECONDS,
}

/** High when someone waits for the recipient to act. */
export const urgencyOf = (category: Category): 'normal' | 'high' =>
  category === 'payment_confirmed' || category === 'support_updated' ? 'normal' : 'high'

/** Distinct per device, so that a push service cannot link two devices by their topic. */
export const topicOf = ({
  subscriptionId,
  aggregateType,
  aggregateId,
}: {
  subscriptionId: string
  aggregateType: string
  aggregateId: string
}): string =>
  sha256(`${subscriptionId}:${aggregateType}:${aggregateId}`).toString('base64url').slice(0, 32)
