/**
 * Derives the tasks of a caller. Every visible expense in progress is one task; a failed run, an
 * approval to sign, a payment to reconcile and a support case have tasks of their own. Pure.
 */
import { isManager } from '#access/permissions.ts'
import type { BlockCode } from '#platform/block-codes.ts'
import {
  isOwn,
  mayApprove,
  mayReconcile,
  mayRelease,
  mayReview,
  mayRevise,
  type TaskExpense,
  type TaskSituation,
} from './task-rules.ts'
import {
  caseDetail,
  expenseDetail,
  forOperators,
  oneLine,
  paymentDetail,
  preparationDetail,
  runDetail,
  TITLE_MAX,
  unrecordedDetail,
} from './task-text.ts'

const actions = {
  review_report: ['Review the report', 'view'],
  request_revision: ['Request a revision', 'view'],
  revise_expense: ['Revise the expense', 'view'],
  prepare_approval: ['Prepare the approval', 'financial'],
  sign_approval: ['Sign the approval', 'financial'],
  queue_payment: ['Release the payment', 'financial'],
  reconcile_payment: ['Reconcile the payment', 'financial'],
  inspect_failure: ['Inspect the failure', 'view'],
  open_support: ['Open a support case', 'view'],
  update_support_case: ['Update the support case', 'view'],
} as const satisfies Record<string, readonly [label: string, intent: 'view' | 'financial']>

export type ActionId = keyof typeof actions
export const actionIds = Object.keys(actions) as ActionId[]

type TaskAction = { id: ActionId; label: string; intent: 'view' | 'financial' }

export const taskGroups = ['needs_action', 'in_progress', 'recently_completed'] as const
type TaskGroup = (typeof taskGroups)[number]

export type Task = {
  id: string
  organizationId: string | null
  aggregateType: 'expense' | 'agent_run' | 'approval' | 'payment' | 'support_case' | 'integration'
  aggregateId: string
  title: string
  detail: string
  state: string
  group: TaskGroup
  updatedAt: string
  actions: TaskAction[]
  /** What the actions' requests need besides the aggregate's id. */
  expenseId: string | null
  expenseRevision: number | null
}

type TaskInput = Omit<Task, 'id' | 'group' | 'actions' | 'expenseId' | 'expenseRevision'> & {
  actions: readonly ActionId[]
  isOver?: boolean
  /** For a task that needs action but for which the contract has none. */
  needsAction?: boolean
  of?: Pick<TaskExpense, 'id' | 'currentRevision'>
}

/** A task needs action when this caller can do something about it. */
function toTask({ actions: ids, isOver = false, needsAction, of, ...task }: TaskInput): Task {
  const open = needsAction || ids.length > 0 ? 'needs_action' : 'in_progress'
  return {
    id: `${task.aggregateType}:${task.aggregateId}`,
    ...task,
    group: isOver ? 'recently_completed' : open,
    actions: ids.map((id) => ({ id, label: actions[id][0], intent: actions[id][1] })),
    expenseId: of?.id ?? null,
    expenseRevision: of?.currentRevision ?? null,
  }
}

const isFinal = ({ state }: Pick<TaskExpense, 'state'>): boolean =>
  state === 'paid' || state === 'rejected' || state === 'cancelled'

const actionsIf = (isSo: boolean, ...ids: ActionId[]): ActionId[] => (isSo ? ids : [])

/** Others never see drafts; an employee sees others' expenses only to sign them. */
export function memberTasks(situation: TaskSituation): Task[] {
  const { expense } = situation
  const isOthersVisible = isManager(situation.caller)
    ? expense.state !== 'draft'
    : mayApprove(situation)
  if (!isOwn(situation) && !isOthersVisible) return []
  return [expenseTask, runTask, preparationTask, paymentTask].flatMap((task) => task(situation))
}

const common = ({ organizationId, purpose, ...of }: TaskExpense) => ({
  organizationId,
  title: oneLine(purpose, TITLE_MAX),
  of,
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
  const task = toTask({
    ...common(expense),
    aggregateType: 'expense',
    aggregateId: expense.id,
    detail: expenseDetail(expense),
    state: expense.state,
    updatedAt: expense.updatedAt,
    actions: ids,
    isOver: isFinal(expense),
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
  })

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
  })
  return [task]
}

const newestFirst = (a: Task, b: Task): number =>
  a.updatedAt === b.updatedAt ? (a.id < b.id ? 1 : -1) : a.updatedAt < b.updatedAt ? 1 : -1

/** Tasks that need action first, then those in progress, then completed ones; newest first. */
export const arrange = (tasks: readonly Task[], perGroup: number): Task[] =>
  taskGroups.flatMap((group) =>
    tasks
      .filter((task) => task.group === group)
      .sort(newestFirst)
      .slice(0, perGroup),
  )
