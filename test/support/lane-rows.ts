/** An executor's lane at row level: when it rests, and its rows as in an old backup. */
import { expect } from 'vitest'
import type { PayingHouse, ReadExpense } from '#test/support/payments.ts'

type House = Pick<PayingHouse, 'treasury'>

export const asOwner = <T>({ treasury }: House, text: string, values: unknown[] = []) =>
  treasury.service.database.asOwner<T & Record<string, unknown>>(text, values)

/** Waits until no pass is scheduled: later writes go unseen until the lane is woken. */
export const untilLaneRests = (house: House): Promise<void> =>
  expect
    .poll(() => asOwner(house, `select 1 from graphile_worker.jobs where key like 'work_lane:%'`), {
      timeout: 45_000,
      interval: 50,
    })
    .toEqual([])

/** Writes the states of the payment and its expense together. */
export async function writeStates(
  house: House,
  { id, paymentId }: Pick<ReadExpense, 'id' | 'paymentId'>,
  {
    payment,
    expense,
    code = null,
    isOpen = false,
  }: { payment: string; expense: string; code?: string | null; isOpen?: boolean },
): Promise<void> {
  await asOwner(
    house,
    'update payments set state = $2, block_code = $3, has_open_attempt = $4 where id = $1',
    [paymentId, payment, code, isOpen],
  )
  await asOwner(house, 'update expenses set state = $2, block_code = $3 where id = $1', [
    id,
    expense,
    expense === 'blocked' ? code : null,
  ])
}

/** Removes the attempts and their evidence, which the backup lacks. */
export async function forgetAttempts(house: House, paymentId: string): Promise<void> {
  for (const table of ['payment_receipts', 'payment_attempts']) {
    await asOwner(house, `delete from ${table} where payment_id = $1`, [paymentId])
  }
}
