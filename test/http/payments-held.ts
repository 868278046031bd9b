/** A held lane resumes, records each event once and pays each payment once. */
import { beforeAll, expect, test } from 'vitest'
import { manualHouse, reservedIn } from '#test/http/manual-house.ts'
import { attemptsInRows } from '#test/support/faulty-nodes.ts'
import { asOwner, forgetAttempts, untilLaneRests, writeStates } from '#test/support/lane-rows.ts'
import { expectPaidOnce, untilPayment } from '#test/support/paid-once.ts'
import {
  type PayingHouse,
  type ReadExpense,
  readPayment,
  release,
  step,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { auditTrail } from '#test/support/steps.ts'
import { randomHash, type Treasury } from '#test/support/treasury.ts'

let treasury: Treasury
let house: PayingHouse

beforeAll(async () => {
  house = await manualHouse()
  treasury = house.treasury
})

async function paid(): Promise<ReadExpense> {
  const expense = await reservedIn(house)
  expect((await release(house, expense)).status).toBe(202)
  await untilState(house, expense.id, 'paid')
  await untilLaneRests(house)
  return expense
}

/** Sets the stored nonce one behind the chain, as after restoring an old backup. */
const rewindNonce = () => asOwner(house, 'update executor_bindings set next_nonce = next_nonce - 1')

async function lastSeq(): Promise<number> {
  return (await auditTrail(treasury.service.database, house.id)).at(-1)?.seq ?? 0
}

/** Counts the audit actions on the executor and this payment since the given event. */
async function countActionsSince(
  afterSeq: number,
  paymentId: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const trail = await auditTrail(treasury.service.database, house.id, { afterSeq })
  for (const { action, aggregateId } of trail) {
    if (!action.startsWith('executor.') && aggregateId !== paymentId) continue
    counts[action] = (counts[action] ?? 0) + 1
  }
  return counts
}

const isGivenUp = async ({ paymentId }: ReadExpense): Promise<boolean | undefined> => {
  const [row] = await asOwner<{ is_given_up: boolean }>(
    house,
    'select is_given_up from payments where id = $1',
    [paymentId],
  )
  return row?.is_given_up
}

test('blocks a mismatched execution once and pays the next payment', async () => {
  const [other, next] = [await paid(), await reservedIn(house)]
  const before = await tokenBalance(house, house.recipient)
  // The backup has it blocked under an older signature; it was signed again and paid since.
  await forgetAttempts(house, other.paymentId)
  await asOwner(house, 'update payment_signatures set digest = $2 where payment_id = $1', [
    other.paymentId,
    randomHash(),
  ])
  await writeStates(house, other, {
    payment: 'blocked',
    expense: 'blocked',
    code: 'reserve_breached',
  })
  await rewindNonce()
  const since = await lastSeq()
  expect((await release(house, next)).status).toBe(202)
  await expectPaidOnce(house, next, before)
  await untilLaneRests(house)
  const { payment } = await readPayment(house, other.paymentId)
  expect([payment.state, payment.blockCode]).toEqual(['blocked', 'execution_mismatch'])
  expect(await countActionsSince(since, other.paymentId)).toEqual({
    'executor.held': 1,
    'executor.released': 1,
    'payment.reconciliation_started': 1,
    'payment.blocked': 1,
  })
  // Held once more: a mismatch that is already reported is not reconciled again.
  await rewindNonce()
  const later = await lastSeq()
  await paid()
  const again = await countActionsSince(later, other.paymentId)
  expect(again).toEqual({ 'executor.held': 1, 'executor.released': 1 })
})

test('blocks a payment whose nonce was used elsewhere until a member gives it up', async () => {
  const [used, lost, next] = [await paid(), await reservedIn(house), await reservedIn(house)]
  const before = await tokenBalance(house, house.recipient)
  // The lost payment's attempt has the nonce of the mined transaction.
  const [{ nonce } = { nonce: -1 }] = await attemptsInRows(house, used.paymentId)
  await forgetAttempts(house, used.paymentId)
  await asOwner(
    house,
    'update payments set lane_id = (select id from executor_bindings) where id = $1',
    [lost.paymentId],
  )
  await asOwner(
    house,
    `insert into payment_attempts (id, organization_id, payment_id, lane_id, number,
       executor_address, nonce, fee_rank, max_fee_per_gas, max_priority_fee_per_gas,
       transaction_hash, raw, call_hash, state)
     select gen_random_uuid(), organization_id, $1, id, 1, address, $2::integer, 0, 10, 1, $3,
       '0x12', '0x', 'sent' from executor_bindings`,
    [lost.paymentId, nonce, randomHash()],
  )
  await writeStates(house, lost, { payment: 'broadcast', expense: 'executing', isOpen: true })
  await rewindNonce()
  const since = await lastSeq()

  expect((await release(house, next)).status).toBe(202)
  await expectPaidOnce(house, next, before)
  const blocked = await untilPayment(house, lost.paymentId, 'blocked')
  expect(blocked.payment.blockCode).toBe('nonce_used_elsewhere')
  const counts = await countActionsSince(since, lost.paymentId)
  expect(counts).toEqual({ 'executor.held': 1, 'executor.released': 1, 'payment.blocked': 1 })

  const reconciled = await step(
    house,
    `payments/${lost.paymentId}/reconcile`,
    { expectedVersion: 1 },
    house.manager,
  )
  expect([reconciled.status, reconciled.body.state]).toEqual([202, 'reconciling'])
  const still = await untilPayment(house, lost.paymentId, 'blocked')
  expect([still.payment.blockCode, await isGivenUp(lost)]).toEqual(['nonce_used_elsewhere', false])

  const givenUp = await release(house, lost)
  expect([givenUp.status, givenUp.body.state]).toEqual([202, 'reconciling'])
  expect(await isGivenUp(lost)).toBe(true)
  const failed = await untilPayment(house, lost.paymentId, 'failed')
  expect(failed.payment.blockCode).toBe('nonce_used_elsewhere')
  const afterNext = await tokenBalance(house, house.recipient)
  const again = await release(house, lost)
  expect([again.status, again.body.state]).toEqual([202, 'queued'])
  expect(await isGivenUp(lost)).toBe(false)
  await expectPaidOnce(house, lost, afterNext)
})
