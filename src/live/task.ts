/** A task: something in progress, and what the caller can do about it. Pure. */
import type { TaskExpense } from './task-rules.ts'

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
} & TaskFacts

/** What the detail says, for clients that say it in another language. */
type TaskFacts = {
  amountBaseUnits: string | null
  recipientLabel: string | null
  code: string | null
  deadline: string | null
  organizationName: string | null
  priority: number | null
  /** Of an expense that awaits approval. */
  requiredApprovals: number | null
  signedApprovals: number | null
  /** Of a policy that waits. */
  vaultId: string | null
}

type Derived = 'id' | 'group' | 'actions' | 'expenseId' | 'expenseRevision' | keyof TaskFacts

type TaskInput = Omit<Task, Derived> & {
  actions: readonly ActionId[]
  facts?: Partial<TaskFacts>
  isOver?: boolean
  /** For a task that needs action but for which the contract has none. */
  needsAction?: boolean
  of?: Pick<TaskExpense, 'id' | 'currentRevision'>
}

/** A task needs action when this caller can do something about it. */
export function toTask(input: TaskInput): Task {
  const { actions: ids, isOver = false, needsAction, of, facts, ...task } = input
  const open = needsAction || ids.length > 0 ? 'needs_action' : 'in_progress'
  return {
    id: `${task.aggregateType}:${task.aggregateId}`,
    ...task,
    group: isOver ? 'recently_completed' : open,
    actions: ids.map((id) => ({ id, label: actions[id][0], intent: actions[id][1] })),
    expenseId: of?.id ?? null,
    expenseRevision: of?.currentRevision ?? null,
    amountBaseUnits: facts?.amountBaseUnits ?? null,
    recipientLabel: facts?.recipientLabel ?? null,
    code: facts?.code ?? null,
    deadline: facts?.deadline ?? null,
    organizationName: facts?.organizationName ?? null,
    priority: facts?.priority ?? null,
    requiredApprovals: facts?.requiredApprovals ?? null,
    signedApprovals: facts?.signedApprovals ?? null,
    vaultId: facts?.vaultId ?? null,
  }
}

export const actionsIf = (isSo: boolean, ...ids: ActionId[]): ActionId[] => (isSo ? ids : [])

const newestFirst = (a: Task, b: Task): number =>
  a.updatedAt === b.updatedAt ? (a.id < b.id ? 1 : -1) : a.updatedAt < b.updatedAt ? 1 : -1

export type TaskList = {
  tasks: Task[]
  /** Groups that have more tasks than are listed. */
  tasksTruncated: TaskGroup[]
}

type Arrangement = {
  perGroup: number
  /** There may be more open tasks than were read. */
  isCut?: boolean
}

/** Tasks that need action first, then those in progress, then completed ones; newest first. */
export function arrange(
  tasks: readonly Task[],
  { perGroup, isCut = false }: Arrangement,
): TaskList {
  const groups = taskGroups.map((group) => {
    const all = tasks.filter((task) => task.group === group).sort(newestFirst)
    const hasMore = all.length > perGroup || (isCut && group !== 'recently_completed')
    return { group, listed: all.slice(0, perGroup), hasMore }
  })
  return {
    tasks: groups.flatMap(({ listed }) => listed),
    tasksTruncated: groups.filter(({ hasMore }) => hasMore).map(({ group }) => group),
  }
}
