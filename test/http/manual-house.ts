/** An organization whose payments wait for their release, for all modules of a test file. */
import { expect } from 'vitest'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  type ReadExpense,
  readExpense,
} from '#test/support/payments.ts'
import { oneTreasury, stopOneTreasury } from './one-treasury.ts'

let opened: Promise<PayingHouse> | undefined

/** The first module opens it. Each test pays expenses of its own. */
export function manualHouse(): Promise<PayingHouse> {
  opened ??= oneTreasury({ PAYMENT_RELEASE: 'manual' }).then((treasury) =>
    openPayingHouse(treasury),
  )
  return opened
}

/** Afterwards the next file opens another. */
export async function closeManualHouse(): Promise<void> {
  opened = undefined
  await stopOneTreasury()
}

/** An expense whose payment waits for its release. */
export async function reservedIn(house: PayingHouse): Promise<ReadExpense> {
  const expense = await awaitingApproval(house)
  const { status, body } = await approve(house, expense)
  expect([status, body.state]).toEqual([202, 'reserved'])
  return readExpense(house, expense.id)
}
