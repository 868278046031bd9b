/** An executor's lane, past the service: when it rests, and its rows as an old backup has them. */
import { expect } from 'vitest'
import type { PayingHouse, ReadExpense } from '#test/support/payments.ts'

type House = Pick<PayingHouse, 'treasury'>

export const asOwner = <T>({ treasury }: House, text: string, values: unknown[] = []) =>
  treasury.service.database.asOwner<T & Record<string, unknown>>(text, values)

/** No pass is planned: what is written now is seen by nobody until the lane is woken. */
export const untilLaneRests = (house: House): Promise<void> =>
  expect
    .poll(() => asOwner(house, `select 1 from graphile_worker.jobs where key like 'work_lane:%'`), {
      timeout: 45_000,
      interval: 50,
    })
    .toEqual([])

/** The payment and its expense as they are given, together. */
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

/** What was signed and what it proved is not in the backup. */
export async function forgetAttempts(house: House, paymentId: string): Promise<void> {
  for (const table of ['payment_receipts', 'payment_attempts']) {
    await asOwner(house, `delete from ${table} where payment_id = $1`, [paymentId])
  }
}
