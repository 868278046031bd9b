/** What a task says for clients that have their own words. */
import { describe, expect, test } from 'vitest'
import { type ReaderName, tasksFor } from '#test/live/readers.ts'
import { NOW } from '#test/live/situations.ts'
import type { TaskExpense } from './task-rules.ts'
import { caseTask, operatorTasks } from './tasks.ts'

const run = { id: 'a-run', failureCode: 'out_of_tries', updatedAt: NOW }
const preparation = { id: 'an-approval', deadline: NOW, updatedAt: NOW }
const blocked = { state: 'blocked', blockCode: 'token_refused' } as const

describe('the facts of a task', () => {
  const factsOf = (name: ReaderName, expense: Partial<TaskExpense>) =>
    tasksFor(name, expense).map(({ aggregateType, amountBaseUnits, code, deadline }) => {
      return { aggregateType, amountBaseUnits, code, deadline }
    })

  test('are what its detail says', () => {
    const [task] = tasksFor('an owner', blocked)
    expect(task?.code).toBe('token_refused')
    expect(task?.detail).toContain(task?.recipientLabel)
    expect(BigInt(task?.amountBaseUnits ?? 0)).toBeGreaterThan(0n)
  })

  test('hold the deadline of an approval, and no amount', () => {
    const tasks = factsOf('a manager who signs', { state: 'awaiting_approval', preparation })
    const approval = { aggregateType: 'approval', amountBaseUnits: null, code: null }
    expect(tasks).toContainEqual({ ...approval, deadline: NOW })
  })

  test('name neither amount nor recipient to an operator', () => {
    const stuck = { id: 'an-expense', organizationId: 'one', organizationName: 'Acme' }
    const rest = { currentRevision: 1, updatedAt: NOW, state: 'blocked', payment: null } as const
    const [task] = operatorTasks({ ...stuck, ...rest, failedRun: run })
    expect([task?.amountBaseUnits, task?.recipientLabel, task?.code]).toEqual([
      ...[null, null, 'out_of_tries'],
    ])
    expect(task?.organizationName).toBe('Acme')
  })

  test('name the organization of a case to an operator only, and its priority to both', () => {
    const one = { id: 'a-case', organizationId: 'one', organizationName: 'Acme', subject: 'Help' }
    const open = { ...one, priority: 3, state: 'open', updatedAt: NOW } as const
    expect(caseTask(open, 'operator')).toMatchObject({ organizationName: 'Acme', priority: 3 })
    expect(caseTask(open, 'member')).toMatchObject({ organizationName: null, priority: 3 })
  })
})
