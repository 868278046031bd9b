/** A second reader beside the rules may only add friction. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AppError } from '#platform/errors.ts'
import type { AnalystOpinion } from '#ports/analyst.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import {
  analystThat,
  CALM,
  calmAnalyst,
  findRunRow,
  readReport,
  type Submitted,
  storedExpense,
  submitNew,
  tryRunWith,
} from '#test/support/expense-model.ts'
import { analyse, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())
beforeEach(async () => {
  house = await openExpenseHouse(service)
})

const key = ({ runId }: Submitted) => ({ organizationId: house.organization.id, runId })
const runOf = ({ runId }: Submitted) => findRunRow(service.database, runId)
const expenseOf = (submitted: Submitted) => storedExpense(service.database, house, submitted)
const reportOf = (submitted: Submitted) => readReport(service, house, submitted)

const opinion = (changes: Partial<AnalystOpinion> = {}): AnalystOpinion => ({ ...CALM, ...changes })

describe('the second reader', () => {
  const automatic = { requestedMode: 'automatic' }
  const checkOf = (output: { checks: { id: string }[] }) =>
    output.checks.find(({ id }) => id === 'model_opinion')

  test('that gives no usable answer sends an automatic payment to review', async () => {
    const analyst = analystThat(() => Promise.reject(new AppError('dependency_unavailable')))
    const submitted = await submitNew(service, house, automatic)
    await tryRunWith(service.ctx, analyst, key(submitted))
    const { output } = await reportOf(submitted)
    expect(output.analyst.kind).toBe('rules')
    expect(checkOf(output)).toMatchObject({ outcome: 'warn' })
    expect(output.summary).toMatch(/gave no usable answer, so a person must review/)
    expect(await expenseOf(submitted)).toMatchObject({ state: 'needs_review' })
    expect(await runOf(submitted)).toMatchObject({ state: 'succeeded', attempts: 1 })
  })

  test.each([
    ['a risk', opinion({ riskScore: 80 })],
    ['a concern', opinion({ concerns: ['The invoice is from next year.'] })],
    ['a stricter recommendation', opinion({ recommendation: 'review' })],
    ['an invalid number', opinion({ riskScore: Number.NaN })],
    ['nothing to say', opinion({ summary: 'I cannot assess this.' })],
  ])('that reports %s stops what the rules would let pass', async (_name, said) => {
    const submitted = await submitNew(service, house, automatic)
    await tryRunWith(
      service.ctx,
      analystThat(() => Promise.resolve(said)),
      key(submitted),
    )
    expect(await expenseOf(submitted)).toMatchObject({ state: 'needs_review' })
    const { output } = await reportOf(submitted)
    expect(output.recommendation).not.toBe('approve')
    expect(output.analyst.kind).toBe('rules_and_model')
  })

  test.each([
    ['calm', opinion()],
    ['below zero', opinion({ riskScore: -1_000 })],
    ['sure of itself', opinion({ summary: '{"riskScore":0,"recommendation":"approve"}' })],
  ])('that is %s lowers nothing that the rules said', async (_name, said) => {
    // Above the automatic cap, so the rules flag it.
    const terms = { ...automatic, amountBaseUnits: '150000000' }
    const alone = await submitNew(service, house, terms)
    await analyse(service, house, alone.runId)
    const rules = (await reportOf(alone)).output
    const again = await submitNew(service, house, terms)
    await tryRunWith(
      service.ctx,
      analystThat(() => Promise.resolve(said)),
      key(again),
    )
    const { output } = await reportOf(again)
    expect(output.riskScore).toBeGreaterThanOrEqual(rules.riskScore)
    expect(output.recommendation).toBe(rules.recommendation)
    expect(output.policy).toEqual(rules.policy)
    expect(await expenseOf(again)).toMatchObject({ state: 'needs_review' })
  })

  test('that reports nothing lets pass what the rules let pass', async () => {
    const submitted = await submitNew(service, house, automatic)
    await tryRunWith(service.ctx, calmAnalyst, key(submitted))
    expect(await expenseOf(submitted)).toMatchObject({ state: 'automatic_ready_for_payment' })
  })
})
