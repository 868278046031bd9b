/** The tasks of a caller, from rows that were read together in one transaction. */
import { findAnotherApprover, listApproverWallets } from '#approvals/approvals.store.ts'
import type { Context } from '#context.ts'
import { findActiveBinding } from '#executor/executor.store.ts'
import { findAnotherMember } from '#organizations/members.store.ts'
import type { Member } from '#organizations/permissions.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database.ts'
import { findPolicy } from '#treasury/policies.store.ts'
import { findHeld, findVault } from '#treasury/vaults.store.ts'
import type { TaskCaller, TaskExpense, TaskTreasury } from './task-rules.ts'
import {
  listMemberCases,
  listOperatorCases,
  listStuckExpenses,
  listTaskExpenses,
} from './tasks.store.ts'
import { arrange, caseTask, memberTasks, operatorTasks, type Task } from './tasks.ts'

export const TASKS_PER_GROUP = 50
const RECENT_SECONDS = 24 * 60 * 60
/** What `approvals/prepare` wants to be left of a policy. */
const SIGNING_SECONDS_MIN = 60

type TaskContext = Pick<Context, 'clock'>

const readingOf = ({ clock }: TaskContext) => {
  const now = clock.now()
  return { now, endedAfter: addSeconds(now, -RECENT_SECONDS), limit: TASKS_PER_GROUP }
}

export async function readMemberTasks(ctx: TaskContext, tx: Tx, member: Member): Promise<Task[]> {
  const { organizationId, accountId, role } = member
  const whose = { organizationId, accountId, seesAll: role !== 'employee' }
  const reading = readingOf(ctx)
  const [caller, cases, executor] = await Promise.all([
    describeCaller(tx, member),
    listMemberCases(tx, { ...reading, ...whose }),
    findActiveBinding(tx, organizationId),
  ])
  const signs = caller.approverAddresses.length > 0
  const expenses = await listTaskExpenses(tx, { ...reading, ...whose, signs })
  const treasuries = new Map<string, TaskTreasury | undefined>()
  for (const vaultId of vaultsInQuestion(caller, expenses)) {
    const executorAddress = executor?.address
    treasuries.set(vaultId, await readTreasury(tx, { member, vaultId, executorAddress }))
  }
  const shared = {
    caller,
    hasExecutor: executor !== undefined,
    now: reading.now.toISOString(),
    signableUntil: addSeconds(reading.now, SIGNING_SECONDS_MIN).toISOString(),
  }
  const tasks = expenses.flatMap((expense) =>
    memberTasks({ ...shared, expense, treasury: treasuries.get(expense.vaultId) }),
  )
  return arrange([...tasks, ...cases.map((one) => caseTask(one, 'member'))], TASKS_PER_GROUP)
}

async function describeCaller(tx: Tx, member: Member): Promise<TaskCaller> {
  const { organizationId, membershipId, accountId, role } = member
  const reviewers = { organizationId, accountId, roles: ['owner', 'manager'] as const }
  const [wallets, isAnotherReviewer] = await Promise.all([
    listApproverWallets(tx, { organizationId, membershipId }),
    findAnotherMember(tx, reviewers),
  ])
  return {
    accountId,
    role,
    isSoleReviewer: !isAnotherReviewer,
    approverAddresses: wallets.filter(({ isServer }) => !isServer).map(({ address }) => address),
  }
}

/** Only where the books decide whether the caller could sign or release. */
function vaultsInQuestion(caller: TaskCaller, expenses: readonly TaskExpense[]): Set<string> {
  const isSigner = caller.approverAddresses.length > 0
  const isReleaser = caller.role !== 'employee'
  const inQuestion = expenses.filter(
    ({ state, payment }) =>
      (isSigner && state === 'awaiting_approval') ||
      (isReleaser && state === 'blocked' && payment !== null),
  )
  return new Set(inQuestion.map(({ vaultId }) => vaultId))
}

async function readTreasury(
  tx: Tx,
  {
    member: { organizationId, accountId },
    vaultId,
    executorAddress,
  }: { member: Member; vaultId: string; executorAddress: string | undefined },
): Promise<TaskTreasury | undefined> {
  const vault = await findVault(tx, { organizationId, vaultId })
  if (!vault) return undefined
  const version = vault.policyVersion
  const policy = await findPolicy(tx, { organizationId, vaultId, version })
  const addresses = policy?.approverAddresses ?? []
  return {
    vault,
    policy,
    held: await findHeld(tx, { organizationId, vaultId }),
    executorAddress,
    isAnotherApprover: await findAnotherApprover(tx, { organizationId, accountId, addresses }),
  }
}

/** Across organizations: `tx` is the observer's. */
export async function readOperatorTasks(ctx: TaskContext, tx: Tx): Promise<Task[]> {
  const reading = readingOf(ctx)
  const stuck = await listStuckExpenses(tx, reading)
  const cases = await listOperatorCases(tx, reading)
  return arrange(
    [...stuck.flatMap(operatorTasks), ...cases.map((one) => caseTask(one, 'operator'))],
    TASKS_PER_GROUP,
  )
}
