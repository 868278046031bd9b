/** Invariants of houses after a fault storm, by the chain and the database. */
import { parseAbi } from 'viem'
import { expect } from 'vitest'
import type { TestDatabase } from '#test/support/database.ts'
import { executions } from '#test/support/past-the-service.ts'
import { type PayingHouse, readExpense, readPayment } from '#test/support/payments.ts'

const transferAbi = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
])

const byValue = (a: bigint, b: bigint) => Number(a - b)

/** What the token logs as paid from the vault to the recipient. */
export async function transfers({ treasury: { chain }, vault, recipient }: PayingHouse) {
  const logs = await chain.client.getContractEvents({
    address: chain.tokenAddress,
    abi: transferAbi,
    eventName: 'Transfer',
    args: { from: vault.address },
    fromBlock: 0n,
  })
  for (const { args } of logs) expect(args.to).toBe(recipient)
  return logs.map(({ args }) => args.amount ?? 0n).toSorted(byValue)
}

type UsedNonce = { nonce: number; uses: number; isPayment: boolean }

/** The executor's nonces in order, and how many payments or activations have used each. */
const noncesOf = (database: TestDatabase, house: PayingHouse) =>
  database.asOwner<UsedNonce>(
    `select nonce::integer, count(distinct id)::integer as uses, bool_or(is_payment) as "isPayment"
     from (
       select organization_id, nonce, payment_id as id, true as is_payment from payment_attempts
       union all
       select organization_id, nonce, activation_id, false from activation_attempts
     ) as attempts
     where organization_id = $1 group by nonce order by nonce`,
    [house.id],
  )

/** Expects each of the house's expenses to be paid once, and nothing else. */
export async function expectPaidOnce(
  database: TestDatabase,
  house: PayingHouse,
  expenseIds: readonly string[],
): Promise<void> {
  const ids: string[] = []
  const amounts: bigint[] = []
  for (const id of expenseIds) {
    const expense = await readExpense(house, id)
    const { payment, receipt, evidence } = await readPayment(house, expense.paymentId)
    expect([expense.state, payment.state, receipt.status]).toEqual(['paid', 'confirmed', 'success'])
    expect(evidence.matches).toBe(true)
    if (payment.mode === 'approved') {
      expect(evidence.approvals).toHaveLength(payment.requiredApprovals)
    }
    ids.push(payment.chainPaymentId)
    amounts.push(BigInt(payment.amountBaseUnits))
  }
  // By the token's own logs and by the vault's: each amount once, and nothing else.
  expect(await transfers(house)).toEqual(amounts.toSorted(byValue))
  expect((await executions(house)).toSorted()).toEqual(ids.toSorted())
  const nonces = await noncesOf(database, house)
  expect(nonces.map(({ nonce }) => nonce)).toEqual(nonces.map((_, index) => index))
  expect(nonces.filter(({ uses }) => uses !== 1)).toEqual([])
  expect(nonces.filter(({ isPayment }) => isPayment)).toHaveLength(ids.length)
  const { executor, treasury } = house
  expect(await treasury.chain.client.getTransactionCount({ address: executor })).toBe(nonces.length)
}

/** Payments stored as failed or blocked, with their history. */
export const failures = (database: TestDatabase) =>
  database.asOwner(
    `select action, data from audit_events where action in ('payment.failed', 'payment.blocked')`,
  )
