/** Tasks of an expense that several approvers must sign. */
import { describe, expect, test } from 'vitest'
import { aPayment, aSituation, aTreasury, ME, SOMEBODY, WALLET } from '#test/live/situations.ts'
import type { TaskExpense, TaskSituation } from './task-rules.ts'
import { memberTasks } from './tasks.ts'

const THIRD = '01900000-0000-7000-8000-00000000000c'
const AMOUNT = 25_000_000n
const two = { tiers: [{ above: AMOUNT - 1n, approvals: 2 }] }

const signer = { role: 'employee', approverAddresses: [WALLET] } as const

const tasksOf = (
  expense: Partial<TaskExpense>,
  more: Partial<Omit<TaskSituation, 'caller' | 'expense'>> = {},
  caller: Partial<TaskSituation['caller']> = signer,
) =>
  memberTasks(
    aSituation({
      caller,
      expense: { state: 'awaiting_approval', submitterAccountId: THIRD, ...expense },
      treasury: aTreasury({ policy: two }),
      ...more,
    }),
  )

const isOffered = (...asked: Parameters<typeof tasksOf>): boolean =>
  tasksOf(...asked).some(({ actions }) => actions.some(({ id }) => id === 'sign_approval'))

const reserved = aPayment({
  ...{ state: 'reserved', blockCode: null, requiredApprovals: 2, signatures: [SOMEBODY] },
})

test('says how many have signed to an approver who has not', () => {
  const [task] = tasksOf({ signerIds: [SOMEBODY], payment: reserved })
  expect(task?.detail).toMatch(/^1 of 2 signatures\. An approver must sign it\. /)
  expect(task).toMatchObject({ requiredApprovals: 2, signedApprovals: 1, group: 'needs_action' })
})

test('says that nobody has signed yet', () => {
  const [task] = tasksOf({})
  expect(task?.detail).toMatch(/^0 of 2 signatures\. /)
})

test('counts no signatures where one is enough, or after the approval', () => {
  const [one] = tasksOf({ amount: AMOUNT - 1n })
  expect(one?.detail).toMatch(/^An approver must sign it\. /)
  expect(one).toMatchObject({ requiredApprovals: 1, signedApprovals: 0 })
  const [ready] = tasksOf({ state: 'approved_ready_for_payment' }, {}, { role: 'manager' })
  expect(ready).toMatchObject({ requiredApprovals: null, signedApprovals: null })
})

test('tells a manager without an approver wallet what the reservation says', () => {
  const about = { signerIds: [SOMEBODY], payment: reserved }
  const [task] = tasksOf(about, { treasury: undefined }, { role: 'manager' })
  expect(task).toMatchObject({ requiredApprovals: 2, signedApprovals: 1, group: 'in_progress' })
})

describe('a signature is offered', () => {
  test('to an approver who has not signed, and not to one who has', () => {
    expect(isOffered({ signerIds: [SOMEBODY] })).toBe(true)
    expect(isOffered({ signerIds: [ME] })).toBe(false)
  })

  test('although the reservation itself holds the rest of the funds', () => {
    const treasury = aTreasury({ policy: two, vault: { balance: AMOUNT }, held: AMOUNT })
    expect(isOffered({ signerIds: [SOMEBODY], payment: reserved }, { treasury })).toBe(true)
    expect(isOffered({ signerIds: [SOMEBODY] }, { treasury })).toBe(false)
    const earlier = { ...reserved, isCurrent: false }
    expect(isOffered({ signerIds: [SOMEBODY], payment: earlier }, { treasury })).toBe(false)
  })

  test('to the submitter only while too few others could sign', () => {
    const own = { submitterAccountId: ME }
    const others = (...otherApproverIds: string[]) => ({
      treasury: { ...aTreasury({ policy: two }), otherApproverIds },
    })
    expect(isOffered(own, others())).toBe(true)
    expect(isOffered(own, others(SOMEBODY))).toBe(true)
    expect(isOffered(own, others(SOMEBODY, THIRD))).toBe(false)
    expect(isOffered({ ...own, paidAccountIds: [THIRD] }, others(SOMEBODY, THIRD))).toBe(true)
  })

  test('to the first approver only while the policy leaves the others an hour', () => {
    const until = (expiresAt: string) => ({
      treasury: aTreasury({ policy: { ...two, expiresAt } }),
    })
    expect(isOffered({}, until('2026-05-04T13:00:00.000Z'))).toBe(true)
    expect(isOffered({}, until('2026-05-04T12:59:59.999Z'))).toBe(false)
    const second = { signerIds: [SOMEBODY] }
    expect(isOffered(second, until('2026-05-04T12:59:59.999Z'))).toBe(true)
    expect(isOffered(second, until('2026-05-04T12:00:59.999Z'))).toBe(false)
  })
})

test('no release is offered while signatures are missing', () => {
  const released = (payment: typeof reserved) =>
    tasksOf({ state: 'approved_ready_for_payment', payment }, {}, { role: 'manager' }).some(
      (task) => task.actions.some(({ id }) => id === 'queue_payment'),
    )
  expect(released(reserved)).toBe(false)
  expect(released({ ...reserved, signatures: [SOMEBODY, THIRD] })).toBe(true)
})
