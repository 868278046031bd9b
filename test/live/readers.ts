/** Readers of tasks, and their tasks as one line of text. */

import type { Task } from '#live/task.ts'
import type { TaskCaller, TaskExpense } from '#live/task-rules.ts'
import { memberTasks } from '#live/tasks.ts'
import { aSituation, aTreasury, ME, SOMEBODY, WALLET } from '#test/live/situations.ts'

type Reader = { caller: Partial<TaskCaller>; own?: boolean; isAnotherApprover?: boolean }

const signer = { approverAddresses: [WALLET] }

/** The reader; the expense is somebody else's unless marked `own`. */
const readers = {
  'an owner': { caller: { role: 'owner' } },
  'a manager': { caller: { role: 'manager' } },
  'a manager who signs': { caller: { role: 'manager', ...signer } },
  'its submitter, a manager': { caller: { role: 'manager' }, own: true },
  'its submitter, the only manager': {
    caller: { role: 'owner', otherReviewerIds: [] },
    own: true,
  },
  'its submitter, one of two signers': { caller: { role: 'owner', ...signer }, own: true },
  'its submitter, the only signer': {
    caller: { role: 'owner', ...signer },
    own: true,
    isAnotherApprover: false,
  },
  'its submitter, an employee': { caller: { role: 'employee' }, own: true },
  'its submitter, an employee and the only signer': {
    caller: { role: 'employee', ...signer },
    own: true,
    isAnotherApprover: false,
  },
  'another employee': { caller: { role: 'employee' } },
  'another employee who signs': { caller: { role: 'employee', ...signer } },
} satisfies Record<string, Reader>

export type ReaderName = keyof typeof readers
export const readerNames = Object.keys(readers) as ReaderName[]

export const tasksFor = (
  name: ReaderName,
  expense: Partial<TaskExpense>,
  more: object = {},
): Task[] => {
  const { caller, own = false, isAnotherApprover = true }: Reader = readers[name]
  return memberTasks(
    aSituation({
      caller,
      expense: { submitterAccountId: own ? ME : SOMEBODY, ...expense },
      treasury: aTreasury({ isAnother: isAnotherApprover }),
      ...more,
    }),
  )
}

/** `expense: review_report request_revision`, one part per task; `in_progress` without actions. */
export const told = (tasks: readonly Task[]): string =>
  tasks
    .map(({ aggregateType, group, actions }) =>
      group === 'needs_action'
        ? `${aggregateType}: ${actions.map(({ id }) => id).join(' ')}`
        : `${aggregateType} ${group}`,
    )
    .join(', ')

export const SUBMITTERS = readerNames.filter((name) => name.startsWith('its submitter'))
export const STRANGERS: ReaderName[] = ['another employee', 'another employee who signs']
