/** Concurrent payments over one budget: exactly what fits is reserved. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runAnalysis } from '#analysis/run-analysis.ts'
import { type Answer, joinOrganization, startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn, readExpense, submit } from '#test/support/expense-states.ts'
import { createExpense } from '#test/support/expenses.ts'
import { sizeOf, tellFigures } from '#test/support/figures.ts'
import {
  openSigningHouse,
  prepareAs,
  type SigningHouse,
  signWith,
  submitAs,
} from '#test/support/signing.ts'
import { liftOwnersRowSecurity, tally, times } from '#test/support/steps.ts'

/** This many concurrently, with budget for two of five. */
const ASKED = sizeOf('PROVE_PAYMENTS', 30)
const FITTING = (ASKED * 2) / 5
const AMOUNT = 1_000_000n
const budgetFor = (count: number) => AMOUNT * BigInt(count)

// Prepares dozens of expenses for signature first.
vi.setConfig({ testTimeout: 3_000 * ASKED })

let service: TestApp

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

const heldIn = async ({ vaultId }: SigningHouse) => {
  const [row] = await service.database.asOwner<{ count: number; sum: string }>(
    `select count(*)::int, coalesce(sum(amount), 0)::text as sum from payments
     where vault_id = $1 and state in ('reserved', 'queued')`,
    [vaultId],
  )
  return row
}

const reservationsOf = (count: number) => ({ count, sum: budgetFor(count).toString() })

/** All of them lock one vault, so on a busy machine some have to retry. */
async function untilAnswered(send: () => Promise<Answer>): Promise<Answer> {
  const answer = await send()
  return answer.status === 503 ? untilAnswered(send) : answer
}

async function inTurn<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (const index of times(count, (n) => n)) made.push(await make(index))
  return made
}

describe('over one budget, concurrently', () => {
  test.each([
    [
      ...([ASKED, FITTING, 'the balance above the reserve'] as const),
      { balance: budgetFor(FITTING) + 500n, reserveFloor: 500n },
      '409 insufficient_funds',
    ],
    [
      ...([10, 4, 'the lifetime cap'] as const),
      { lifetimeCap: budgetFor(5) - 1n, approvedCap: AMOUNT, automaticCap: 1n },
      '409 policy_violation',
    ],
  ])(
    'of %i concurrent signatures %i fit within %s and are accepted',
    async (asked, fitting, _name, terms, refusal) => {
      const house = await openSigningHouse(service, terms)
      const { person, accounts } = house.signer
      const hands = await inTurn(asked, async (n) => {
        const own = {
          amountBaseUnits: AMOUNT.toString(),
          purpose: `Invoice ${n} for toner cartridges`,
        }
        const expense = await expenseIn(service, house, 'awaiting_approval', { terms: own })
        const { body } = await prepareAs(service, house, expense, { person })
        const signature = await signWith(accounts[0], body)
        return { expense, signed: { person, approvalId: body.approvalId, signature } }
      })
      const answers = await Promise.all(
        hands.map(({ expense, signed }) =>
          untilAnswered(() => submitAs(service, house, expense, signed)),
        ),
      )
      expect(tally(answers)).toEqual({ '202': fitting, [refusal]: asked - fitting })
      expect(await heldIn(house)).toEqual(reservationsOf(fitting))
      tellFigures({ asked: ASKED, overCommitted: 0 })
      // The refused ones are unchanged and can be signed once there is budget.
      for (const [index, { expense, signed }] of hands.entries()) {
        const isIn = answers[index]?.status === 202
        const { body } = await readExpense(service, house, expense.id)
        expect(body.state).toBe(isIn ? 'approved_ready_for_payment' : 'awaiting_approval')
        const [approval] = await service.database.asOwner<{ state: string }>(
          'select state from approvals where id = $1',
          [signed.approvalId],
        )
        expect(approval?.state).toBe(isIn ? 'signed' : 'prepared')
      }
    },
  )

  test('automatic payments that do not fit go to review', async () => {
    const [asked, fitting] = [10, 4]
    const house = await openSigningHouse(service, {
      balance: budgetFor(fitting),
      reserveFloor: 0n,
    })
    const { organization } = house
    const runs = await inTurn(asked, async (n) => {
      const person = await joinOrganization(service, organization, { role: 'employee' })
      const terms = {
        // Distinct amounts: equal ones would raise a duplicate warning.
        amountBaseUnits: (AMOUNT - BigInt(n)).toString(),
        purpose: `Train ticket ${2000 + n} to the customer in city number ${n} and back`,
        requestedMode: 'automatic',
      }
      const { body } = await createExpense(service, house, { person, terms })
      const { body: run } = await submit(service, house, { id: body.id, person })
      return { id: body.id, runId: run.taskId }
    })
    const organizationId = organization.id
    await Promise.all(runs.map(({ runId }) => runAnalysis(service.ctx, { organizationId, runId })))
    const states = await Promise.all(
      runs.map(async ({ id }) => (await readExpense(service, house, id)).body.state),
    )
    const count = (state: string) => states.filter((each) => each === state).length
    expect(count('automatic_ready_for_payment')).toBe(fitting)
    expect(count('needs_review')).toBe(asked - fitting)
    expect((await heldIn(house))?.count).toBe(fitting)
  })
})

test('no deadlock occurs', async () => {
  const [row] = await service.database.asOwner<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  )
  expect(row?.deadlocks).toBe(0)
})
