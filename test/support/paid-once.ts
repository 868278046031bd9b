/** The final assertion of every payment test. */
import sql from 'sql-template-tag'
import { expect, vi } from 'vitest'
import { executions } from '#test/support/past-the-service.ts'
import {
  type PayingHouse,
  type ReadExpense,
  readPayment,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { databaseOf } from '#test/support/treasury.ts'

const PATIENCE = { timeout: 45_000, interval: 25 }

export function untilPayment(house: PayingHouse, paymentId: string, state: string) {
  const db = databaseOf(house.treasury)
  const { id: organizationId } = house
  const findRow = () =>
    db?.read({ organizationId }, (reader) =>
      reader.query<{ state: string }>(sql`select state from payments
        where organization_id = ${organizationId} and id = ${paymentId}`),
    )
  return vi.waitFor(async () => {
    const [row] = (await findRow()) ?? []
    if (row && row.state !== state) throw new Error(`It is ${row.state}, not ${state}`)
    const detail = await readPayment(house, paymentId)
    expect(detail.payment?.state).toBe(state)
    return detail
  }, PATIENCE)
}

/** The expense is paid, its log exists once, and the recipient has exactly that much more. */
export async function expectPaidOnce(
  house: PayingHouse,
  { id, paymentId }: Pick<ReadExpense, 'id' | 'paymentId'>,
  before: bigint,
) {
  const paid = await untilState(house, id, 'paid')
  const detail = await readPayment(house, paymentId)
  expect(detail.payment).toMatchObject({ state: 'confirmed', blockCode: null })
  expect(detail.evidence.matches).toBe(true)
  const { blockHash, blockNumber } = detail.receipt
  const { client } = house.treasury.chain
  expect((await client.getBlock({ blockNumber: BigInt(blockNumber) })).hash).toBe(blockHash)
  const times = (await executions(house)).filter((one) => one === detail.payment.chainPaymentId)
  expect(times).toHaveLength(1)
  const amount = BigInt(paid.revision.amountBaseUnits)
  expect(await tokenBalance(house, house.recipient)).toBe(before + amount)
  return detail
}
