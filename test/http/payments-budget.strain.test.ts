/** Concurrent payments against one budget: exactly what fits is reserved, the rest refused. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runAnalysis, TRIES_MAX } from '#analysis/run-analysis.ts'
import {
  type Answer,
  joinOrganization,
  type Person,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { expenseIn, readExpense, submit } from '#test/support/expense-states.ts'
import { createExpense } from '#test/support/expenses.ts'
import { reportFigures, sizeOf } from '#test/support/figures.ts'
import {
  openSigningHouse,
  prepareAs,
  type SigningHouse,
  signWith,
  submitAs,
} from '#test/support/signing.ts'
import { liftOwnersRowSecurity, tally, times } from '#test/support/steps.ts'

/** Concurrent payments of each case, and how many of them the budget covers: two in five. */
const ASKED = sizeOf('PROVE_PAYMENTS', 15)
const FITTING = (ASKED * 2) / 5
const AMOUNT = 1_000_000n
const budgetFor = (count: number) => AMOUNT * BigInt(count)

// Each case prepares its expenses one after the other first.
vi.setConfig({ testTimeout: 6_000 * ASKED })

let service: TestApp

beforeAll(async () => {
  // A connection for each, so that all of them wait for the vault's lock and not for the pool.
  service = await startTestApp({ env: { DATABASE_POOL_SIZE: String(ASKED + 10) } })
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

/** Of each budget: what was asked for at once, and how much more or less than fits was reserved. */
const budgets: { asked: number; over: number; under: number }[] = []
afterAll(() =>
  reportFigures({
    budgets: budgets.length,
    askedMin: Math.min(...budgets.map(({ asked }) => asked)),
    overCommitted: budgets.reduce((sum, { over }) => sum + over, 0),
    underCommitted: budgets.reduce((sum, { under }) => sum + under, 0),
  }),
)

const note = (asked: number, fitting: number, held = 0) =>
  budgets.push({ asked, over: Math.max(0, held - fitting), under: Math.max(0, fitting - held) })

const heldIn = async ({ vaultId }: SigningHouse) => {
  const [row] = await service.database.asOwner<{ count: number; sum: string }>(
    `select count(*)::int, coalesce(sum(amount), 0)::text as sum from payments
     where vault_id = $1 and state in ('reserved', 'queued')`,
    [vaultId],
  )
  return row
}

const promised = (count: number) => ({ count, sum: budgetFor(count).toString() })

/** They all wait for one vault: a busy machine may have some of them come again. */
async function untilAnswered(send: () => Promise<Answer>): Promise<Answer> {
  const answer = await send()
  return answer.status === 503 ? untilAnswered(send) : answer
}

async function inTurn<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (const index of times(count, (n) => n)) made.push(await make(index))
  return made
}

type Submitted = { id: string; person: Person }

/**
 * Submits all, analyses them at once and returns their states. On a busy machine an analysis may
 * give up waiting for the vault's lock, three times at most: its submitter then submits again.
 */
async function analyseAll(house: SigningHouse, all: readonly Submitted[]): Promise<string[]> {
  const organizationId = house.organization.id
  const stateOf = async ({ id }: Submitted): Promise<string> =>
    (await readExpense(service, house, id)).body.state
  for (let open = all; open.length > 0; ) {
    const runs = await inTurn(open.length, async (n) => {
      const { body } = await submit(service, house, open[n] as Submitted)
      return body.taskId as string
    })
    for (let n = 0; n <= TRIES_MAX; n += 1) {
      await Promise.all(runs.map((runId) => runAnalysis(service.ctx, { organizationId, runId })))
    }
    const states = await Promise.all(open.map(stateOf))
    open = open.filter((_one, n) => states[n] === 'blocked')
  }
  return Promise.all(all.map(stateOf))
}

describe('over one budget, concurrently', () => {
  test.each([
    [
      ...([ASKED, FITTING, 'the balance above the reserve'] as const),
      { balance: budgetFor(FITTING) + 500n, reserveFloor: 500n },
      '409 insufficient_funds',
    ],
    [
      ...([ASKED, FITTING, 'the lifetime cap'] as const),
      { lifetimeCap: budgetFor(FITTING + 1) - 1n, approvedCap: AMOUNT, automaticCap: 1n },
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
      const held = await heldIn(house)
      note(hands.length, fitting, held?.count)
      expect(tally(answers)).toEqual({ '202': fitting, [refusal]: asked - fitting })
      expect(held).toEqual(promised(fitting))
      // A refused approval stays prepared: it can be signed once the budget allows it.
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
    const [asked, fitting] = [ASKED, FITTING]
    const house = await openSigningHouse(service, {
      balance: budgetFor(fitting),
      reserveFloor: 0n,
    })
    const { organization } = house
    const expenses = await inTurn(asked, async (n) => {
      const person = await joinOrganization(service, organization, { role: 'employee' })
      const terms = {
        // No amount twice: a repeated one is for a person to review.
        amountBaseUnits: (AMOUNT - BigInt(n)).toString(),
        purpose: `Train ticket ${2000 + n} to the customer in city number ${n} and back`,
        requestedMode: 'automatic',
      }
      const { body } = await createExpense(service, house, { person, terms })
      return { id: body.id as string, person }
    })
    const states = await analyseAll(house, expenses)
    const held = (await heldIn(house))?.count
    note(expenses.length, fitting, held)
    const count = Object.entries(Object.groupBy(states, (state) => state)).map(
      ([state, same = []]) => [state, same.length],
    )
    expect(Object.fromEntries(count)).toEqual({
      automatic_ready_for_payment: fitting,
      needs_review: asked - fitting,
    })
    expect(held).toBe(fitting)
  })
})

test('nobody waited for each other in a circle', async () => {
  const [row] = await service.database.asOwner<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  )
  expect(row?.deadlocks).toBe(0)
})
