/**
 * Derives the tasks of a caller. Every visible expense in progress is one task; a failed run, an
 * approval to sign, a payment to reconcile and a support case have tasks of their own. Pure.
 */
import { isManager } from '#access/permissions.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import type { PolicyChanges } from '#treasury/policy-changes.ts'
import type { WaitingProposal } from '#treasury/proposals.store.ts'
import { actionsIf, type Task, toTask } from './task.ts'
import {
  isOwn,
  mayApprove,
  mayReconcile,
  mayRelease,
  mayReview,
  mayRevise,
  requiredOf,
  type TaskExpense,
  type TaskSituation,
} from './task-rules.ts'
import {
  caseDetail,
  expenseDetail,
  forOperators,
  oneLine,
  overdueDetail,
  paymentDetail,
  preparationDetail,
  proposalDetail,
  runDetail,
  TITLE_MAX,
  unrecordedDetail,
} from './task-text.ts'

const isFinal = ({ state }: Pick<TaskExpense, 'state'>): boolean =>
  state === 'paid' || state === 'rejected' || state === 'cancelled'

/** Others never see drafts; an employee sees others' expenses only to sign them. */
export function memberTasks(situation: TaskSituation): Task[] {
  const { expense } = situation
  const isOthersVisible = isManager(situation.caller)
    ? expense.state !== 'draft'
    : mayApprove(situation)
  if (!isOwn(situation) && !isOthersVisible) return []
  return [expenseTask, runTask, preparationTask, paymentTask].flatMap((task) => task(situation))
}

const common = ({ organizationId, purpose, id, currentRevision }: TaskExpense) => ({
  organizationId,
  title: oneLine(purpose, TITLE_MAX),
  of: { id, currentRevision },
})

function expenseTask(situation: TaskSituation): Task[] {
  const { expense } = situation
  const ids = [
    ...actionsIf(mayReview(situation), 'review_report', 'request_revision'),
    ...actionsIf(mayRevise(situation), 'revise_expense'),
    ...actionsIf(mayApprove(situation), 'prepare_approval', 'sign_approval'),
    ...actionsIf(mayRelease(situation), 'queue_payment'),
    ...actionsIf(expense.state === 'blocked', 'open_support'),
  ]
  const required = requiredOf(situation)
  const signatures =
    expense.state === 'awaiting_approval' && required !== null
      ? { requiredApprovals: required, signedApprovals: expense.signerIds.length }
      : undefined
  const task = toTask({
    ...common(expense),
    aggregateType: 'expense',
    aggregateId: expense.id,
    detail: expenseDetail({ ...expense, ...signatures }),
    state: expense.state,
    updatedAt: expense.updatedAt,
    actions: ids,
    isOver: isFinal(expense),
    facts: {
      amountBaseUnits: String(expense.amount),
      recipientLabel: expense.recipientLabel,
      code: expense.blockCode,
      ...signatures,
    },
  })
  return [task]
}

function runTask({ expense }: TaskSituation): Task[] {
  const { failedRun: run } = expense
  if (!run || expense.state !== 'blocked') return []
  const task = toTask({
    ...common(expense),
    aggregateType: 'agent_run',
    aggregateId: run.id,
    detail: runDetail(run.failureCode),
    state: 'failed',
    updatedAt: run.updatedAt,
    actions: ['inspect_failure'],
    facts: { code: run.failureCode },
  })
  return [task]
}

/** An approval that the caller has prepared and not signed yet. */
function preparationTask(situation: TaskSituation): Task[] {
  const { expense } = situation
  const { preparation } = expense
  if (!preparation || !mayApprove(situation)) return []
  const task = toTask({
    ...common(expense),
    aggregateType: 'approval',
    aggregateId: preparation.id,
    detail: preparationDetail(preparation.deadline),
    state: 'prepared',
    updatedAt: preparation.updatedAt,
    actions: ['sign_approval'],
    facts: { deadline: preparation.deadline },
  })
  return [task]
}

/** For callers who may reconcile the payment; others have the expense's own task. */
function paymentTask(situation: TaskSituation): Task[] {
  const { expense } = situation
  const { payment } = expense
  if (!payment || !mayReconcile(situation)) return []
  const task = toTask({
    ...common(expense),
    aggregateType: 'payment',
    aggregateId: payment.id,
    detail: paymentDetail(payment.state, payment.blockCode),
    state: payment.state,
    updatedAt: payment.updatedAt,
    actions: ['reconcile_payment', ...actionsIf(payment.state === 'blocked', 'open_support')],
    facts: { code: payment.blockCode },
  })
  return [task]
}

export type TaskCase = {
  id: string
  organizationId: string
  organizationName: string
  subject: string
  priority: number
  state: 'open' | 'investigating' | 'resolved' | 'reopened'
  updatedAt: string
}

/** Members wait for operators; operators work on unresolved cases. */
export const caseTask = (
  { id, organizationId, subject, priority, state, updatedAt, organizationName }: TaskCase,
  reader: 'member' | 'operator',
): Task => {
  const detail = caseDetail(state, priority)
  const isOver = state === 'resolved'
  return toTask({
    organizationId,
    aggregateType: 'support_case',
    aggregateId: id,
    title: oneLine(subject, TITLE_MAX),
    detail: reader === 'operator' ? forOperators(detail, organizationName) : detail,
    state,
    updatedAt,
    actions: actionsIf(reader === 'operator' && !isOver, 'update_support_case'),
    isOver,
    facts: { priority, organizationName: reader === 'operator' ? organizationName : null },
  })
}

export type TaskUnrecorded = {
  id: string
  organizationId: string
  recipientAddress: string
  recipientLabel: string | null
  amount: bigint
  transactionHash: string
  updatedAt: string
}

/** For owners: a payment on chain that the service has no record of. */
export const unrecordedTask = (unrecorded: TaskUnrecorded): Task =>
  toTask({
    organizationId: unrecorded.organizationId,
    aggregateType: 'integration',
    aggregateId: unrecorded.id,
    title: 'A vault made a payment without a record',
    detail: unrecordedDetail(unrecorded),
    state: 'unrecorded',
    updatedAt: unrecorded.updatedAt,
    actions: ['inspect_failure'],
    facts: {
      amountBaseUnits: String(unrecorded.amount),
      recipientLabel: unrecorded.recipientLabel,
    },
  })

/**
 * For owners and approvers: a policy waits before it takes effect. An owner must act if the service
 * cannot activate it, and everybody if nobody prepared it here.
 */
export const proposalTask = (
  proposal: WaitingProposal & { changes: PolicyChanges },
  { isOwner }: { isOwner: boolean },
): Task => {
  const { isPrepared, activationCode, activatesAt, vaultLabel } = proposal
  // It has a code only once it is due.
  const isOverdue = activationCode !== null
  const state = isOverdue ? 'activation_due' : 'waiting'
  return toTask({
    organizationId: proposal.organizationId,
    aggregateType: 'integration',
    aggregateId: proposal.id,
    title: isOverdue
      ? 'Activate the policy'
      : oneLine(`A new policy waits in ${vaultLabel}`, TITLE_MAX),
    detail: isOverdue ? overdueDetail(activationCode) : proposalDetail(proposal),
    state,
    updatedAt: proposal.updatedAt,
    actions: [],
    needsAction: !isPrepared || (isOverdue && isOwner),
    facts: {
      code: activationCode,
      deadline: isOverdue ? proposal.expiresAt : activatesAt,
      vaultId: proposal.vaultId,
    },
  })
}

/** For owners: someone accepted a manager's invitation. */
export const pendingMemberTask = (
  organizationId: string,
  { membershipId, role, createdAt }: { membershipId: string; role: string; createdAt: string },
): Task =>
  toTask({
    organizationId,
    aggregateType: 'integration',
    aggregateId: membershipId,
    title: `A new ${role} awaits confirmation`,
    detail: 'A manager invited this person. Confirm the membership, or revoke it.',
    state: 'pending',
    updatedAt: createdAt,
    actions: [],
    needsAction: true,
  })

/** An expense that is stuck, for operators. */
export type StuckExpense = Pick<
  TaskExpense,
  'id' | 'organizationId' | 'currentRevision' | 'state' | 'failedRun' | 'updatedAt'
> & {
  organizationName: string
  payment: { id: string; state: string; blockCode: BlockCode | null; updatedAt: string } | null
}

/** Without purpose or amount, which operators read where their reads are recorded. */
export function operatorTasks(expense: StuckExpense): Task[] {
  const { failedRun: run, payment, organizationName, organizationId } = expense
  const isBlocked = expense.state === 'blocked'
  const ids = ['inspect_failure', ...actionsIf(isBlocked, 'update_support_case')] as const
  const shared = { organizationId, of: expense, actions: ids }
  if (run) {
    const task = toTask({
      ...shared,
      aggregateType: 'agent_run',
      aggregateId: run.id,
      title: 'An analysis failed',
      detail: forOperators(runDetail(run.failureCode), organizationName),
      state: 'failed',
      updatedAt: run.updatedAt,
      facts: { code: run.failureCode, organizationName },
    })
    return [task]
  }
  if (!payment) return []
  const task = toTask({
    ...shared,
    aggregateType: 'payment',
    aggregateId: payment.id,
    title: isBlocked ? 'A payment is blocked' : 'A payment is reconciling',
    detail: forOperators(paymentDetail(payment.state, payment.blockCode), organizationName),
    state: payment.state,
    updatedAt: payment.updatedAt,
    facts: { code: payment.blockCode, organizationName },
  })
  return [task]
}
