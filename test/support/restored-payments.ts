/** What tests do and read around a database that loses changes of which the chain has payments. */
import { expect, vi } from 'vitest'
import {
  approve,
  awaitingApproval,
  type PayingHouse,
  type ReadExpense,
  readExpense,
  readPayment,
} from '#test/support/payments.ts'
import { auditTrail } from '#test/support/steps.ts'

const PATIENCE = { timeout: 80_000, interval: 50 }

/** With `PAYMENT_RELEASE=manual` it stays reserved. */
export async function signedExpense(house: PayingHouse): Promise<ReadExpense> {
  const expense = await awaitingApproval(house)
  expect((await approve(house, expense)).body.state).toBe('reserved')
  return expense
}

export const untilPaid = (house: PayingHouse, { id }: ReadExpense): Promise<void> =>
  vi.waitFor(async () => expect((await readExpense(house, id)).state).toBe('paid'), PATIENCE)

export const chainPaymentIdOf = async (
  house: PayingHouse,
  { paymentId }: ReadExpense,
): Promise<string> => (await readPayment(house, paymentId)).payment.chainPaymentId

/** The state of each unrecorded payment by its chain payment id. */
export async function unrecorded({
  treasury,
  owner,
  path,
}: PayingHouse): Promise<Record<string, string>> {
  const { token } = owner
  const { body } = await treasury.service.call('GET', `${path}/unrecorded-payments`, { token })
  const rows: { chainPaymentId: string; state: string }[] = body.unrecordedPayments
  return Object.fromEntries(rows.map(({ chainPaymentId, state }) => [chainPaymentId, state]))
}

/** Polls until none is missing: the follower reads the chain again after a restore. */
export const untilUnrecorded = (house: PayingHouse, expected: Record<string, string>) =>
  vi.waitFor(async () => expect(await unrecorded(house)).toEqual(expected), PATIENCE)

export const actionsAfter = async ({ treasury, id }: PayingHouse, afterSeq: number) =>
  (await auditTrail(treasury.service.database, id, { afterSeq })).map(({ action }) => action)
