/**
 * Which buttons an expense has, by its state, and for whom they are on. The service decides in the
 * end; these are its rules (docs/STATES.md), so that a button says before the click why it is off and
 * who could. Pure.
 */

import { blockWords } from '@countersign/app-kit/words/block-codes.ts'
import { signaturesOf } from '../../../approval/signatures.ts'
import type { Role } from '../../../data/organization.tsx'
import type { Expense, Member } from '../expense-types.ts'

export type ActionId =
  | 'submit'
  | 'revise'
  | 'cancel'
  | 'review'
  | 'sign'
  | 'release'
  | 'reconcile'
  | 'invalidate'

type OffCode =
  | 'submitter_only'
  | 'reviewers_only'
  | 'own_expense'
  | 'paid_to_you'
  | 'approvers_only'
  | 'not_in_policy'
  | 'server_wallet'
  | 'already_signed'
  | 'managers_only'
  | 'owner_or_approver_only'
  | 'too_many_revisions'

/** Why the action is off for this person, and the accounts of those who could. */
export type Off = { code: OffCode; who: readonly string[] }
export type ExpenseAction = { id: ActionId; isMain: boolean; off: Off | null }

export type Situation = {
  expense: Pick<
    Expense,
    'state' | 'blockCode' | 'submitterAccountId' | 'currentRevision' | 'requiredApprovals'
  > & {
    revision: Pick<Expense['revision'], 'recipientAddress'>
    approvals?: readonly Pick<
      NonNullable<Expense['approvals']>[number],
      'state' | 'accountId' | 'expenseRevision' | 'cancelled'
    >[]
  }
  accountId: string
  role: Role
  members: readonly Pick<Member, 'accountId' | 'role' | 'status' | 'wallets' | 'walletRoles'>[]
  /** Of the policy of the vault; null while it is not known. */
  policyApprovers: readonly string[] | null
  /** Signatures that the vault would take, whatever the service thinks of them. */
  accepted: readonly { accountId: string }[]
  /** The payment waits for someone to release it. */
  isReleaseManual: boolean
  revisionsMax: number
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
const isManager = ({ role }: { role: Role }): boolean => role !== 'employee'

/** Active members, without those whom the expense pays: they decide nothing about it. */
function deciders({ members, expense }: Situation) {
  const paid = expense.revision.recipientAddress
  const isPaid = ({ wallets }: Situation['members'][number]) =>
    wallets.some(({ address }) => same(address, paid))
  const active = members.filter(({ status }) => status === 'active')
  return { active, independent: active.filter((member) => !isPaid(member)), isPaid }
}

type SituationMember = Situation['members'][number]

const approverWallets = ({ wallets, walletRoles }: SituationMember) =>
  wallets.filter(({ id }) =>
    walletRoles.some(
      ({ walletId, role, active }) => walletId === id && role === 'approver' && active,
    ),
  )

const isListed = (member: SituationMember, listed: readonly string[] | null): boolean =>
  approverWallets(member).some(
    ({ address, kind }) =>
      kind !== 'server' && (listed === null || listed.some((one) => same(one, address))),
  )

export const reviewersOf = (situation: Situation): string[] => {
  const able = deciders(situation).independent.filter(isManager)
  const others = able.filter(({ accountId }) => accountId !== situation.expense.submitterAccountId)
  // A submitter decides only where nobody else can.
  return (others.length > 0 ? others : able).map(({ accountId }) => accountId)
}

/** Those who can give one of the signatures that are missing. */
export const signersOf = (situation: Situation): string[] => {
  const { expense, policyApprovers } = situation
  const { required, signed } = signaturesOf(expense)
  const able = deciders(situation).independent.filter((member) => isListed(member, policyApprovers))
  const others = able.filter(({ accountId }) => accountId !== expense.submitterAccountId)
  // The submitter's own signature counts only where the others are too few.
  return (others.length >= required ? others : able)
    .map(({ accountId }) => accountId)
    .filter((accountId) => !signed.some((one) => one.accountId === accountId))
}

function offOf(id: ActionId, situation: Situation): Off | null {
  const { expense, accountId, role } = situation
  const { active, isPaid } = deciders(situation)
  const me = active.find((member) => member.accountId === accountId)
  const isOwn = expense.submitterAccountId === accountId
  const managers = active.filter(isManager).map((member) => member.accountId)
  switch (id) {
    case 'submit':
    case 'revise':
    case 'cancel':
      if (!isOwn) return { code: 'submitter_only', who: [expense.submitterAccountId] }
      return id === 'revise' && expense.currentRevision >= situation.revisionsMax
        ? { code: 'too_many_revisions', who: [] }
        : null
    case 'review': {
      const who = reviewersOf(situation)
      if (!isManager({ role })) return { code: 'reviewers_only', who }
      if (me && isPaid(me)) return { code: 'paid_to_you', who }
      return isOwn && !who.includes(accountId) ? { code: 'own_expense', who } : null
    }
    case 'sign': {
      const who = signersOf(situation)
      if (hasSigned(situation)) return { code: 'already_signed', who }
      if (!me || approverWallets(me).length === 0) return { code: 'approvers_only', who }
      if (approverWallets(me).every(({ kind }) => kind === 'server')) {
        return { code: 'server_wallet', who }
      }
      if (!isListed(me, situation.policyApprovers)) return { code: 'not_in_policy', who }
      if (isPaid(me)) return { code: 'paid_to_you', who }
      return isOwn && !who.includes(accountId) ? { code: 'own_expense', who } : null
    }
    case 'release':
    case 'reconcile':
      return isManager({ role }) ? null : { code: 'managers_only', who: managers }
    case 'invalidate': {
      const { accepted } = situation
      if (role === 'owner' || accepted.some((one) => one.accountId === accountId)) return null
      const owners = active.filter((member) => member.role === 'owner')
      const who = [...owners, ...accepted].map((one) => one.accountId)
      return { code: 'owner_or_approver_only', who: [...new Set(who)] }
    }
  }
}

const hasSigned = ({ expense, accountId }: Situation): boolean =>
  signaturesOf(expense).signed.some((one) => one.accountId === accountId)

const WAYS = {
  submit: ['submit'],
  sign_again: ['review'],
  revise: ['revise'],
  release: ['release'],
  reconcile: ['reconcile'],
  reject: ['review'],
  policy: [],
  deposit: [],
  support: [],
} as const

/** A signature that the service has set aside can still be made worthless at the vault. */
const idsOf = (situation: Situation): ActionId[] => [
  ...stateIdsOf(situation),
  ...(situation.accepted.length > 0 && !AT_THE_CHAIN.includes(situation.expense.state)
    ? (['invalidate'] as const)
    : []),
]

/** Too late: the chain decides, or has decided. */
const AT_THE_CHAIN: readonly Expense['state'][] = ['executing', 'reconciling', 'paid']

function stateIdsOf(situation: Situation): ActionId[] {
  const { expense, isReleaseManual } = situation
  switch (expense.state) {
    case 'draft':
      return ['submit', 'revise', 'cancel']
    case 'needs_review':
      return ['review', 'revise', 'cancel']
    case 'revision_requested':
      return ['revise', 'cancel']
    case 'awaiting_approval':
      return ['sign', 'review', 'revise', 'cancel']
    case 'approved_ready_for_payment':
    case 'automatic_ready_for_payment':
      return isReleaseManual ? ['release'] : []
    case 'reconciling':
      return ['reconcile']
    case 'blocked': {
      const ways = blockWords(expense.blockCode).ways.flatMap((way) => WAYS[way])
      return [...new Set<ActionId>([...ways, 'review', 'revise', 'cancel'])]
    }
    default:
      return []
  }
}

/** The buttons in their order. The first one that this person can use is the main one. */
export function actionsOf(situation: Situation): ExpenseAction[] {
  const actions = idsOf(situation).map((id) => ({ id, off: offOf(id, situation) }))
  const first = actions[0]
  const main = first?.off === null || actions.length === 1 ? first : usable(actions)
  return actions.map((action) => ({ ...action, isMain: action === main }))
}

/** Taking something back is never what everyone waits for, unless the table begins with it. */
const usable = (actions: readonly { id: ActionId; off: Off | null }[]) =>
  actions.find(({ id, off }) => off === null && !NEVER_MAIN.includes(id))

const NEVER_MAIN: readonly ActionId[] = ['cancel', 'revise', 'invalidate']

/** What a reviewer can decide now. */
export const reviewChoices = ({
  state,
  currentReportId,
}: Pick<Expense, 'state' | 'currentReportId'>) =>
  state === 'awaiting_approval' || (state === 'blocked' && currentReportId === null)
    ? (['request_revision', 'reject'] as const)
    : (['advance_to_approval', 'request_revision', 'reject'] as const)
