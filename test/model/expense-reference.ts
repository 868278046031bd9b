/**
 * A reference model of expenses, written by hand from the decisions (§3 and §6) alone and compared
 * with the service.
 */
import { expenseActions } from '#expenses/expenses.actions.ts'
import { moveOf } from './expense-moves.ts'

export type Name = 'owner' | 'manager' | 'employee' | 'colleague' | 'leaver' | 'stranger' | 'sole'
/** `main` has a member of every role; `sole` has one owner and an employee. */
export type Home = 'main' | 'sole'
type Role = 'owner' | 'manager' | 'employee'

const roles: Record<Home, Partial<Record<Name, Role>>> = {
  main: {
    owner: 'owner',
    manager: 'manager',
    employee: 'employee',
    colleague: 'employee',
    leaver: 'employee',
  },
  sole: { sole: 'owner', employee: 'employee' },
}

const membersOf = (home: Home): Name[] => Object.keys(roles[home]) as Name[]

export type ModelRun = { number: number; state: string; attempts: number; revision: number }

export type ModelExpense = {
  number: number
  home: Home
  submitter: Name
  state: string
  blockCode: string | null
  revision: number
  mode: 'approved' | 'automatic'
  hasReport: boolean
  reports: number
  comments: number
  runs: ModelRun[]
}

/** One audit event: its actor, subject and states. */
export type ModelEvent = {
  home: Home
  action: string
  aggregate: { expense: number } | { run: number }
  actor: Name | 'system'
  /** The resulting state, as live events report it. */
  state: string
  data: Record<string, unknown>
}

export type Model = {
  expenses: ModelExpense[]
  runs: number
  left: Set<Name>
  events: ModelEvent[]
}

export const emptyModel = (): Model => ({ expenses: [], runs: 0, left: new Set(), events: [] })

/** '200', or '409 state_conflict'. */
export type Expected = string

const refusal = {
  forbidden: '403 forbidden',
  role: '403 role_required',
  self: '403 self_review',
  missing: '404 not_found',
  version: '409 version_conflict',
  state: '409 state_conflict',
  report: '409 report_missing',
} as const

const roleOf = ({ left }: Model, home: Home, actor: Name): Role | undefined =>
  home === 'main' && left.has(actor) ? undefined : roles[home][actor]

const sees = (model: Model, expense: ModelExpense, home: Home, actor: Name): boolean =>
  expense.home === home &&
  (roleOf(model, home, actor) !== 'employee' || expense.submitter === actor)

export type Target = { home: Home; actor: Name; expense: ModelExpense | undefined }
type Versioned = Target & { expectedVersion: number }
/** The expense, or the refusal. */
type Found = ModelExpense | Expected

/** The caller is a member and may see the expense. */
function visible(model: Model, { home, actor, expense }: Target, hidden: Expected): Found {
  if (roleOf(model, home, actor) === undefined) return refusal.forbidden
  return expense !== undefined && sees(model, expense, home, actor) ? expense : hidden
}

/** The caller's own, at the version they have seen. */
function own(model: Model, target: Versioned): Found {
  const found = visible(model, target, refusal.forbidden)
  if (typeof found === 'string') return found
  if (found.submitter !== target.actor) return refusal.forbidden
  return found.revision === target.expectedVersion ? found : refusal.version
}

function record(
  model: Model,
  {
    expense,
    event,
    actor,
    data = {},
  }: {
    expense: ModelExpense
    event: keyof typeof expenseActions
    actor: Name | 'system'
    data?: Record<string, unknown>
  },
): void {
  const { home, number, state } = expense
  const aggregate = { expense: number }
  model.events.push({ home, action: expenseActions[event], aggregate, actor, state, data })
}

/** Returns false and changes nothing when the table has no such move. */
function move(
  model: Model,
  {
    expense,
    event,
    actor,
    blockCode,
    data,
  }: {
    expense: ModelExpense
    event: keyof typeof expenseActions
    actor: Name | 'system'
    blockCode?: string
    data?: Record<string, unknown>
  },
): boolean {
  const { state: from } = expense
  const to = moveOf(from, event)
  if (to === undefined) return false
  expense.state = to
  expense.blockCode = to === 'blocked' ? (blockCode ?? 'token_refused') : null
  if (event === 'revise') {
    expense.revision += 1
    expense.hasReport = false
  }
  record(model, { expense, event, actor, data: { from, to, revision: expense.revision, ...data } })
  return true
}

export function create(
  model: Model,
  { home, actor, mode }: { home: Home; actor: Name; mode: ModelExpense['mode'] },
): Expected {
  if (roleOf(model, home, actor) === undefined) return refusal.forbidden
  const expense: ModelExpense = {
    number: model.expenses.length,
    home,
    submitter: actor,
    state: 'draft',
    blockCode: null,
    revision: 1,
    mode,
    hasReport: false,
    reports: 0,
    comments: 0,
    runs: [],
  }
  model.expenses.push(expense)
  record(model, { expense, event: 'create', actor, data: { to: 'draft', revision: 1 } })
  return '201'
}

export function revise(model: Model, target: Versioned & Pick<ModelExpense, 'mode'>): Expected {
  const expense = own(model, target)
  if (typeof expense === 'string') return expense
  if (!move(model, { expense, event: 'revise', actor: target.actor })) return refusal.state
  expense.mode = target.mode
  return '201'
}

export function cancel(model: Model, target: Versioned): Expected {
  const expense = own(model, target)
  if (typeof expense === 'string') return expense
  return move(model, { expense, event: 'cancel', actor: target.actor }) ? '200' : refusal.state
}

export const openRun = ({ runs }: ModelExpense): ModelRun | undefined =>
  runs.find(({ state }) => state === 'queued' || state === 'running')

function recordRun(model: Model, expense: ModelExpense, run: ModelRun, event: string): void {
  const actor = event === 'queued' ? expense.submitter : 'system'
  model.events.push({
    home: expense.home,
    action: `agent_run.${event}`,
    aggregate: { run: run.number },
    actor,
    state: run.state,
    data: { revision: run.revision, ...(event !== 'queued' && { attempts: run.attempts }) },
  })
}

export function submit(model: Model, target: Versioned): Expected {
  const expense = own(model, target)
  if (typeof expense === 'string') return expense
  // The same revision, still in analysis: the same answer, and nothing changes.
  if (openRun(expense)) return '202'
  const isFailed = expense.blockCode === 'analysis_failed'
  if (expense.state === 'blocked' && !isFailed) return refusal.state
  if (!move(model, { expense, event: 'submit', actor: target.actor })) return refusal.state
  const run = { number: model.runs, state: 'queued', attempts: 0, revision: expense.revision }
  model.runs += 1
  expense.runs.push(run)
  recordRun(model, expense, run, 'queued')
  return '202'
}

export type ReviewAction = 'request_revision' | 'reject' | 'advance_to_approval'

export function review(model: Model, target: Versioned & { action: ReviewAction }): Expected {
  const { home, actor, action } = target
  const role = roleOf(model, home, actor)
  if (role === 'employee') return refusal.role
  const expense = visible(model, target, refusal.forbidden)
  if (typeof expense === 'string') return expense
  const isOwn = expense.submitter === actor
  const reviewers = membersOf(home).filter((name) => {
    const their = roleOf(model, home, name)
    return their === 'owner' || their === 'manager'
  })
  if (isOwn && reviewers.length > 1) return refusal.self
  if (expense.revision !== target.expectedVersion) return refusal.version
  const event = action === 'advance_to_approval' ? 'advance' : action
  if (moveOf(expense.state, event) === undefined) return refusal.state
  if (event === 'advance' && !expense.hasReport) return refusal.report
  move(model, { expense, event, actor, data: isOwn ? { sole_reviewer: true } : {} })
  return '200'
}

export function comment(model: Model, target: Target): Expected {
  const expense = visible(model, target, refusal.missing)
  if (typeof expense === 'string') return expense
  expense.comments += 1
  record(model, { expense, event: 'comment', actor: target.actor })
  return '201'
}

export function read(model: Model, target: Target): Expected {
  const found = visible(model, target, refusal.missing)
  return typeof found === 'string' ? found : '200'
}

/** The caller's list, newest first; undefined for non-members. */
export function list(model: Model, { home, actor }: Pick<Target, 'home' | 'actor'>) {
  if (roleOf(model, home, actor) === undefined) return undefined
  return model.expenses.filter((expense) => sees(model, expense, home, actor)).toReversed()
}

export const TRIES = 3

/** One attempt of the newest run. `isClean` is the report's verdict; undefined when it failed. */
export function tryRun(model: Model, expense: ModelExpense, isClean: boolean | undefined): void {
  const run = openRun(expense)
  if (run === undefined) return
  run.attempts += 1
  run.state = 'running'
  recordRun(model, expense, run, 'started')
  if (expense.state === 'analysis_queued') {
    move(model, { expense, event: 'start_analysis', actor: 'system' })
  }
  if (isClean !== undefined) {
    run.state = 'succeeded'
    recordRun(model, expense, run, 'succeeded')
    expense.hasReport = true
    expense.reports += 1
    const event = expense.mode === 'automatic' && isClean ? 'clear' : 'flag'
    move(model, { expense, event, actor: 'system' })
  } else if (run.attempts === TRIES) {
    run.state = 'failed'
    recordRun(model, expense, run, 'failed')
    move(model, { expense, event: 'fail_analysis', actor: 'system', blockCode: 'analysis_failed' })
  }
}

/** What a payment does to its expense; that part of the service is not called over HTTP. */
export const paymentEvents = [
  'approve',
  'payment_submitting',
  'payment_lost',
  'payment_confirmed',
  'payment_blocked',
  'approval_ended',
  'release_approved',
  'release_automatic',
] as const

export type PaymentEvent = (typeof paymentEvents)[number]

export function pay(model: Model, expense: ModelExpense, event: PaymentEvent): Expected {
  return move(model, { expense, event, actor: 'system' }) ? '200' : refusal.state
}
