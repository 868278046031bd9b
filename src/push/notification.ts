/** Which events people are told of, whom, and where it leads. Pure. */
import { isManager, type Role } from '#access/permissions.ts'
import { sha256 } from '#platform/digest.ts'

export type Category =
  | 'approval_needed'
  | 'review_needed'
  | 'payment_confirmed'
  | 'payment_blocked'
  | 'payment_unrecorded'
  | 'revision_requested'
  | 'support_updated'
  | 'wallet_exported'
  | 'wallet_export_locked'

/** A live event with what decides about it. */
export type NotableEvent = {
  id: string
  organizationId: string | null
  audience: 'consumer' | 'admin' | 'both'
  kind: string
  aggregateType: string
  aggregateId: string
  targetState: string | null
  code: string | null
  occurredAt: string
  /** Whose thing it is: who submitted the expense, opened the case, or holds the wallet. */
  accountId: string | null
  /** Of a support case: an operator has written. */
  isAnswered: boolean
}

/** An active member whose account is active. */
export type Viewer = {
  accountId: string
  role: Role
  isApprover: boolean
}

const UNRECORDED_FOUND = 'unrecorded_payment_found'

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
])

/** Undefined for what nobody is told of. */
export function categoryOf(
  event: Pick<NotableEvent, 'kind' | 'targetState' | 'code' | 'isAnswered'>,
): Category | undefined {
  const { targetState: state } = event
  if (event.kind === 'integration.changed') return integrationCategories.get(event.code)
  if (event.kind === 'expense.changed') return expenseCategories.get(state)
  // A payment is confirmed once; what is said of it afterwards carries a code.
  if (event.kind === 'payment.changed' && !(state === 'confirmed' && event.code !== null)) {
    return paymentCategories.get(state)
  }
  // Only operators change a case after it was opened.
  return event.kind === 'support_case.changed' && event.isAnswered ? 'support_updated' : undefined
}

const folders: Record<string, string> = {
  expense: 'expenses',
  payment: 'payments',
  support_case: 'support-cases',
}

/** Where the application shows it. A wallet is its holder's, in whatever organization. */
export const routeOf = ({
  organizationId,
  aggregateType,
  aggregateId,
  code,
}: Pick<NotableEvent, 'organizationId' | 'aggregateType' | 'aggregateId' | 'code'>): string => {
  const isUnrecorded = code === UNRECORDED_FOUND
  if (aggregateType === 'integration' && !isUnrecorded) return '/wallets'
  const folder = isUnrecorded ? 'unrecorded-payments' : folders[aggregateType]
  return `/organizations/${organizationId}/${folder}/${aggregateId}`
}

/** News of a wallet goes to its holder wherever they are a member, and even if nowhere. */
export const isOfWallet = (
  category: Category,
): category is 'wallet_exported' | 'wallet_export_locked' =>
  category === 'wallet_exported' || category === 'wallet_export_locked'

/** Nobody decides on their own while another could. */
const othersOrAlone = (able: readonly Viewer[], submitter: string | null): readonly Viewer[] => {
  const others = able.filter(({ accountId }) => accountId !== submitter)
  return others.length > 0 ? others : able
}

/** The holder of a wallet, a member or not, and those who answer for the organization's money. */
const holderAndOwners = (holder: string | null, members: readonly Viewer[]): string[] => {
  const owners = members.filter(({ role }) => role === 'owner').map(({ accountId }) => accountId)
  return [...new Set([...(holder === null ? [] : [holder]), ...owners])]
}

/** The accounts that are told. */
export function recipientsOf(
  category: Category,
  { accountId: concerned, members }: { accountId: string | null; members: readonly Viewer[] },
): string[] {
  if (isOfWallet(category)) return holderAndOwners(concerned, members)
  const isConcerned = ({ accountId }: Viewer) => accountId === concerned
  const told = {
    review_needed: () => othersOrAlone(members.filter(isManager), concerned),
    approval_needed: () =>
      othersOrAlone(
        members.filter(({ isApprover }) => isApprover),
        concerned,
      ),
    payment_blocked: () => members.filter((member) => isConcerned(member) || isManager(member)),
    payment_unrecorded: () => members.filter(isManager),
    payment_confirmed: () => members.filter(isConcerned),
    revision_requested: () => members.filter(isConcerned),
    support_updated: () => members.filter(isConcerned),
  }
  return told[category]().map(({ accountId }) => accountId)
}

/**
 * As with live events, employees see what is their own; and an approver, in whatever role, what
 * they are asked to sign.
 */
export const maySee = (
  category: Category,
  { event, viewer }: { event: Pick<NotableEvent, 'accountId' | 'audience'>; viewer: Viewer },
): boolean =>
  event.audience !== 'admin' &&
  (isManager(viewer) ||
    event.accountId === viewer.accountId ||
    (category === 'approval_needed' && viewer.isApprover))

const HOUR_SECONDS = 3_600

/** How long it is news, counted from the event. */
export const newsSeconds: Record<Category, number> = {
  approval_needed: HOUR_SECONDS,
  review_needed: HOUR_SECONDS,
  payment_confirmed: 24 * HOUR_SECONDS,
  payment_blocked: 24 * HOUR_SECONDS,
  payment_unrecorded: 24 * HOUR_SECONDS,
  revision_requested: 24 * HOUR_SECONDS,
  support_updated: 24 * HOUR_SECONDS,
  wallet_exported: 24 * HOUR_SECONDS,
  wallet_export_locked: 24 * HOUR_SECONDS,
}

/** Somebody waits for whoever is told. */
export const urgencyOf = (category: Category): 'normal' | 'high' =>
  category === 'payment_confirmed' || category === 'support_updated' ? 'normal' : 'high'

/** One for each thing and device: a push service cannot tell that two devices heard of the same. */
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
