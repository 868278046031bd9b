/** Reads the tasks of a caller from rows of one transaction. */
import { isManager, type Member } from '#access/permissions.ts'
import { DEADLINE_SECONDS_MIN, SHARED_DEADLINE_SECONDS_MIN } from '#approvals/approval-deadline.ts'
import { listApproverIds, listApproverWallets } from '#approvals/approvals.store.ts'
import type { Context } from '#context.ts'
import { findActiveBinding, findNamedBinding } from '#executor/executor.store.ts'
import type { Waiting } from '#expenses/list-expenses.ts'
import { listPendingMembers } from '#organizations/joining.store.ts'
import { listReviewerIds } from '#organizations/reviewers.store.ts'
import { findAutomaticStanding } from '#payments/automatic.store.ts'
import { automaticRefusal } from '#payments/automatic-limits.ts'
import { releaseStepOf } from '#payments/payment.ts'
import { listOpenUnrecorded } from '#payments/unrecorded-payments.store.ts'
import { addSeconds, toDate } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { readPage } from '#platform/paging.ts'
import { readPeriod } from '#treasury/period.ts'
import { findPolicy } from '#treasury/policies.store.ts'
import { findWaitingProposal } from '#treasury/proposals.store.ts'
import { listRecipientsAmong } from '#treasury/vault-recipients.store.ts'
import { findHeld, findVault } from '#treasury/vaults.store.ts'
import { readProposalTasks } from './read-proposal-tasks.ts'
import { arrange, type Task, type TaskList } from './task.ts'
import type { TaskCaller, TaskExpense, TaskSituation, TaskTreasury } from './task-rules.ts'
import {
  ACTIONABLE,
  findIsCut,
  listMemberCases,
  listOperatorCases,
  listStuckExpenses,
  listTaskExpenses,
  listTaskExpensesById,
} from './tasks.store.ts'
import { caseTask, memberTasks, operatorTasks, pendingMemberTask, unrecordedTask } from './tasks.ts'

const TASKS_PER_GROUP = 50
const RECENT_SECONDS = 24 * 60 * 60

/** One more than a group shows, to detect whether there are others. */
const ROWS_READ = TASKS_PER_GROUP + 1
const NEWEST = readPage({ limit: TASKS_PER_GROUP })

type TaskContext = Pick<Context, 'clock' | 'config'>

const readingOf = ({ clock }: Pick<TaskContext, 'clock'>) => {
  const now = clock.now()
  return { now, endedAfter: addSeconds(now, -RECENT_SECONDS), limit: ROWS_READ }
}

/** `until`: the clock alone may change the list from then on. */
type TimedTasks = TaskList & { until: Date }

export async function readMemberTasks(
  ctx: TaskContext,
  tx: Tx,
  member: Member,
): Promise<TimedTasks> {
  const { organizationId, accountId, role } = member
  const visibility = { organizationId, accountId, seesAll: isManager(member) }
  const reading = readingOf(ctx)
  const isOwner = role === 'owner'
  const [caller, cases, executor, unrecorded, pending] = await Promise.all([
    describeCaller(tx, member),
    listMemberCases(tx, { ...reading, organizationId, accountId, seesAll: isOwner }),
    findActiveBinding(tx, organizationId),
    isOwner ? listOpenUnrecorded(tx, { organizationId, limit: ROWS_READ }) : [],
    isOwner ? listPendingMembers(tx, { organizationId, page: NEWEST }) : [],
  ])
  const signs = caller.approverAddresses.length > 0
  const wanted = { ...reading, ...visibility, signs }
  const expenses = await listTaskExpenses(tx, wanted)
  const situations = await describeSituations(ctx, tx, { member, caller, executor, expenses })
  const tasks = situations.flatMap(memberTasks)
  tasks.push(...pending.map((one) => pendingMemberTask(organizationId, one)))
  tasks.push(...unrecorded.map(unrecordedTask))
  if (isOwner || signs) {
    tasks.push(...(await readProposalTasks(tx, { organizationId, isOwner, limit: ROWS_READ })))
  }
  tasks.push(...cases.map((one) => caseTask(one, 'member')))
  const until = nextChange(reading.now, { situations, tasks })
  const isCut = await findIsCut(tx, wanted, expenses)
  return { ...arrange(tasks, { perGroup: TASKS_PER_GROUP, isCut }), until }
}

/** Sums of the last day or week change with every minute. */
const SAME_SECONDS_MAX = 60

/** When the next deadline or expiry passes, or a finished task leaves the list. */
function nextChange(
  now: Date,
  { situations, tasks }: { situations: readonly TaskSituation[]; tasks: readonly Task[] },
): Date {
  const passing = situations.flatMap(({ expense, treasury }) => [
    expense.preparation?.deadline,
    expense.payment?.deadline,
    treasury?.policy?.expiresAt,
    treasury?.policy && secondsAfter(treasury.policy.expiresAt, -DEADLINE_SECONDS_MIN),
    treasury?.policy && secondsAfter(treasury.policy.expiresAt, -SHARED_DEADLINE_SECONDS_MIN),
    treasury?.period?.endsAt,
    ...replacementTimes(treasury),
    treasury?.recipients.get(expense.recipientAddress)?.allowedFrom ?? undefined,
  ])
  const leaving = tasks
    .filter(({ group }) => group === 'recently_completed')
    .map(({ updatedAt }) => secondsAfter(updatedAt, RECENT_SECONDS))
  const after = now.toISOString()
  const next = [...passing, ...leaving].reduce<string>(
    (soonest, time) => (time !== undefined && time > after && time < soonest ? time : soonest),
    secondsAfter(after, SAME_SECONDS_MAX),
  )
  return toDate(next)
}

/** When a policy that waits ends the time to sign under the one in force. */
const replacementTimes = (treasury: TaskTreasury | undefined): string[] => {
  const from = treasury?.replacedFrom
  if (!from) return []
  const least = [DEADLINE_SECONDS_MIN, SHARED_DEADLINE_SECONDS_MIN]
  return [from, ...least.map((seconds) => secondsAfter(from, -seconds))]
}

const secondsAfter = (time: string, seconds: number): string =>
  addSeconds(toDate(time), seconds).toISOString()

type Executor = Awaited<ReturnType<typeof findActiveBinding>>

async function describeSituations(
  ctx: TaskContext,
  tx: Tx,
  {
    member,
    caller,
    executor,
    expenses,
  }: { member: Member; caller: TaskCaller; executor: Executor; expenses: readonly TaskExpense[] },
): Promise<TaskSituation[]> {
  const now = ctx.clock.now()
  const treasuries = new Map<string, TaskTreasury | undefined>()
  for (const vaultId of relevantVaultIds(caller, expenses)) {
    const paid = expenses.filter((expense) => expense.vaultId === vaultId)
    const addresses = [...new Set(paid.map(({ recipientAddress }) => recipientAddress))]
    const reading = { member, vaultId, addresses, now: now.toISOString() }
    treasuries.set(vaultId, await readTreasury(tx, reading))
  }
  const shared = {
    caller,
    hasExecutor: executor !== undefined,
    now: now.toISOString(),
    signableUntil: addSeconds(now, DEADLINE_SECONDS_MIN).toISOString(),
    sharedUntil: addSeconds(now, SHARED_DEADLINE_SECONDS_MIN).toISOString(),
  }
  const situations: TaskSituation[] = []
  const standings: Standings = new Map()
  for (const expense of expenses) {
    const treasury = treasuries.get(expense.vaultId)
    const mayBeAutomatic = await findMayBeAutomatic(ctx, tx, { expense, treasury, standings })
    situations.push({ ...shared, expense, treasury, mayBeAutomatic })
  }
  return situations
}

/** For lists of expenses that wait for the caller: the rules of the task list decide. */
export const createWaiting = (ctx: TaskContext): Waiting => ({
  states: ACTIONABLE,
  select: (tx, input) => selectWaiting(ctx, tx, input),
})

/** Which of the expenses have a task that needs action of this member. */
async function selectWaiting(
  ctx: TaskContext,
  tx: Tx,
  { member, expenseIds }: { member: Member; expenseIds: readonly string[] },
): Promise<Set<string>> {
  const { organizationId, accountId } = member
  const now = ctx.clock.now()
  const [caller, executor, expenses] = await Promise.all([
    describeCaller(tx, member),
    findActiveBinding(tx, organizationId),
    listTaskExpensesById(tx, { organizationId, accountId, now, expenseIds }),
  ])
  const situations = await describeSituations(ctx, tx, { member, caller, executor, expenses })
  const waiting = situations.filter((situation) =>
    memberTasks(situation).some(({ group }) => group === 'needs_action'),
  )
  return new Set(waiting.map(({ expense }) => expense.id))
}

async function describeCaller(tx: Tx, member: Member): Promise<TaskCaller> {
  const { organizationId, membershipId, accountId, role } = member
  const [wallets, reviewerIds] = await Promise.all([
    listApproverWallets(tx, { organizationId, membershipId }),
    listReviewerIds(tx, organizationId),
  ])
  return {
    accountId,
    role,
    otherReviewerIds: reviewerIds.filter((id) => id !== accountId),
    approverAddresses: wallets.filter(({ isServer }) => !isServer).map(({ address }) => address),
  }
}

type Standings = Map<string, ReturnType<typeof findAutomaticStanding>>

/**
 * Computed only for payments that could be released again. They are in none of the sums, so that
 * those of one vault, recipient and submitter share theirs.
 */
async function findMayBeAutomatic(
  { config }: TaskContext,
  tx: Tx,
  {
    expense,
    treasury,
    standings,
  }: { expense: TaskExpense; treasury: TaskTreasury | undefined; standings: Standings },
): Promise<boolean> {
  const { payment, state, organizationId, submitterAccountId, amount } = expense
  if (state !== 'blocked' || payment?.mode !== 'automatic' || !treasury?.policy) return true
  if (releaseStepOf(payment) !== 'release_again') return true
  const { vaultId, recipientAddress } = expense
  const key = `${vaultId} ${recipientAddress} ${submitterAccountId}`
  const finding =
    standings.get(key) ??
    findAutomaticStanding(tx, {
      organizationId,
      paymentId: payment.id,
      vaultId,
      recipientAddress,
      accountIds: [submitterAccountId],
    })
  standings.set(key, finding)
  const standing = await finding
  const { automaticCap } = treasury.policy
  const rules = config.limits.automatic
  return automaticRefusal({ standing, rules, automaticCap, amount }) === undefined
}

/** Only vaults that decide whether the caller could sign or release. */
function relevantVaultIds(caller: TaskCaller, expenses: readonly TaskExpense[]): Set<string> {
  const isSigner = caller.approverAddresses.length > 0
  const isReleaser = isManager(caller)
  const relevant = expenses.filter(
    ({ state, payment }) =>
      (isSigner && state === 'awaiting_approval') ||
      (isReleaser && state === 'blocked' && payment !== null),
  )
  return new Set(relevant.map(({ vaultId }) => vaultId))
}

async function readTreasury(
  tx: Tx,
  {
    member: { organizationId, accountId },
    vaultId,
    addresses: recipientAddresses,
    now,
  }: {
    member: Member
    vaultId: string
    addresses: readonly string[]
    now: string
  },
): Promise<TaskTreasury | undefined> {
  const vault = await findVault(tx, { organizationId, vaultId })
  if (!vault) return undefined
  const version = vault.policyVersion
  const policy = await findPolicy(tx, { organizationId, vaultId, version })
  const executor = await findNamedBinding(tx, { organizationId, policy })
  const waiting = await findWaitingProposal(tx, { organizationId, vaultId })
  const addresses = policy?.approverAddresses ?? []
  const approverIds = await listApproverIds(tx, { organizationId, addresses })
  const recipients = await listRecipientsAmong(tx, {
    organizationId,
    vaultId,
    addresses: recipientAddresses,
  })
  return {
    vault,
    policy,
    held: await findHeld(tx, { organizationId, vaultId }),
    period: await readPeriod(tx, { policy, now }),
    replacedFrom: waiting?.activatesAt ?? null,
    recipients: new Map(recipients.map((standing) => [standing.address, standing])),
    executorAddress: executor?.address,
    otherApproverIds: approverIds.filter((id) => id !== accountId),
  }
}

/** Across organizations: `tx` needs the observer's login. */
export async function readOperatorTasks(
  ctx: Pick<TaskContext, 'clock'>,
  tx: Tx,
): Promise<TimedTasks> {
  const reading = readingOf(ctx)
  const stuck = await listStuckExpenses(tx, reading)
  const cases = await listOperatorCases(tx, reading)
  const tasks = [...stuck.flatMap(operatorTasks), ...cases.map((one) => caseTask(one, 'operator'))]
  return { ...arrange(tasks, { perGroup: TASKS_PER_GROUP }), until: reading.now }
}
