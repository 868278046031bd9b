/** Payments whose last step is repeated until it is answered, whatever fails meanwhile. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Answer, joinOrganization } from '#test/support/app.ts'
import {
  awaitingApproval,
  type PayingHouse,
  payable,
  prepareAndSign,
  readExpense,
  submitSignature,
} from '#test/support/payments.ts'
import { key } from '#test/support/treasury.ts'

/** Everything except the last step. */
export type Prepared = { house: PayingHouse; id: string; release(): Promise<void> }

/** An answer may be lost with the database; repeating the request is idempotent. */
async function untilAnswered(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer.status !== 503) return answer
    await wait(100)
  }
}

export async function prepareApproved(house: PayingHouse, index: number): Promise<Prepared> {
  const expense = await awaitingApproval(house, { amountBaseUnits: String(100_000 + index) })
  const signed = await prepareAndSign(house, expense)
  const release = async () => {
    const { status } = await untilAnswered(() => submitSignature(house, expense, signed))
    expect(status).toBe(202)
  }
  return { house, id: expense.id, release }
}

/** A new person each time: many expenses of one person in a day go to review. */
export async function prepareAutomatic(house: PayingHouse, index: number): Promise<Prepared> {
  const { service } = house.treasury
  const { token } = await joinOrganization(service, house, { role: 'employee' })
  const amountBaseUnits = String(100_000 + index)
  const body = payable(house, { amountBaseUnits, requestedMode: 'automatic' })
  const made = await service.call('POST', `${house.path}/expenses`, { token, headers: key(), body })
  expect(made.status).toBe(201)
  const { id } = made.body
  const release = async () => {
    const submit = { token, body: { expectedVersion: 1 } }
    const path = `${house.path}/expenses/${id}/submit`
    const { status } = await untilAnswered(() => service.call('POST', path, submit))
    // A conflict: it was submitted, and the answer was lost.
    expect([202, 409]).toContain(status)
  }
  return { house, id, release }
}

/**
 * Resubmits an expense whose analysis failed, and returns how often. Any other block would need a
 * reason, and there is none here.
 */
export async function untilPaid(
  { house, id, release }: Prepared,
  withinMs: number,
): Promise<number> {
  const begun = performance.now()
  for (let resubmitted = 0; ; ) {
    const { state, blockCode } = await readExpense(house, id)
    if (state === 'paid') return resubmitted
    if (blockCode === 'analysis_failed') {
      resubmitted += 1
      await release()
    } else if (state === 'blocked') {
      throw new Error(`${id} is blocked: ${blockCode}`)
    }
    if (performance.now() - begun > withinMs) throw new Error(`${id} is still ${state}`)
    await wait(200)
  }
}
