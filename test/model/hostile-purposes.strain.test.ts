/** No purpose gets further than the rules alone allow, whoever reads it. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ReportOutput } from '#analysis/report-output.ts'
import { textKeyOf } from '#expenses/expense.ts'
import { AppError } from '#platform/errors.ts'
import type { Analyst } from '#ports/analyst.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { analystThat, calmAnalyst, tryRunWith } from '#test/support/expense-model.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { isProof } from '#test/support/figures.ts'
import { honestPurposes } from '#test/support/honest-purposes.ts'
import { hostilePurposes } from '#test/support/hostile-purposes.ts'
import { liftOwnersRowSecurity, times } from '#test/support/steps.ts'

vi.setConfig({ testTimeout: 300_000 })

type Mode = 'approved' | 'automatic'
type Case = { purpose: string; mode: Mode; analyst: Analyst | undefined }
type Outcome = { purpose: string; state: string; output: ReportOutput }

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openExpenseHouse(service)
})
afterAll(() => service.stop())

/**
 * All submitted long enough ago not to affect each other. The rows are written directly; other
 * tests check that the service writes the same.
 */
async function submitAll(cases: readonly Case[]): Promise<{ expenseId: string; runId: string }[]> {
  const { ids } = service.ctx
  const rows = cases.map(({ purpose, mode }) => ({
    expenseId: ids.next(),
    runId: ids.next(),
    paymentId: ids.next(),
    purpose,
    mode,
    purposeKey: textKeyOf(purpose).toString('hex'),
  }))
  await service.database.asOwner(
    `with given as (
       select * from json_to_recordset($1) as g("expenseId" uuid, "runId" uuid, "paymentId" uuid,
         purpose text, mode text, "purposeKey" text)
     ), expense as (
       insert into expenses (id, organization_id, submitter_account_id, payment_id,
         current_revision, state, created_at, updated_at)
       select "expenseId", $2, $3, "paymentId", 1, 'analysis_queued', long_ago, long_ago
       from given, (select now() - interval '60 days' as long_ago) t returning id
     ), revision as (
       insert into expense_revisions (organization_id, expense_id, revision, vault_id,
         recipient_id, recipient_label, recipient_address, amount, requested_mode, purpose,
         purpose_key, version_hash, author_account_id, created_at, submitted_at)
       select $2, "expenseId", 1, $4, $5, 'Acme Supplies', lower($6), 25000000, mode, purpose,
         decode("purposeKey", 'hex'), '0x' || repeat('0', 64), $3, now() - interval '60 days',
         now() - interval '60 days'
       from given returning expense_id
     )
     insert into agent_runs (id, organization_id, expense_id, expense_revision, state,
       created_at, updated_at)
     select "runId", $2, "expenseId", 1, 'queued', now(), now() from given`,
    [
      JSON.stringify(rows),
      house.organization.id,
      house.employee.accountId,
      house.vaultId,
      house.recipientId,
      house.recipientAddress,
    ],
  )
  return rows
}

const AT_ONCE = 4

/** Analysed by the job itself; the outcomes in the order of the cases. */
async function analyseAll(cases: readonly Case[]): Promise<Outcome[]> {
  const submitted = await submitAll(cases)
  const { id: organizationId } = house.organization
  const lanes = times(AT_ONCE, async (lane) => {
    for (let n = lane; n < cases.length; n += AT_ONCE) {
      const runId = submitted[n]?.runId ?? ''
      await tryRunWith(service.ctx, cases[n]?.analyst, { organizationId, runId })
    }
  })
  await Promise.all(lanes)
  const found = await service.database.asOwner<Outcome & { id: string }>(
    `select e.id, e.state, v.purpose, r.output from expenses e
     join expense_revisions v on v.expense_id = e.id
     join reports r on r.id = e.current_report_id where e.organization_id = $1`,
    [organizationId],
  )
  const byId = new Map(found.map((row) => [row.id, row]))
  return submitted.map(({ expenseId }) => {
    const outcome = byId.get(expenseId)
    if (!outcome) throw new Error(`Expense ${expenseId} has no report`)
    return outcome
  })
}

const awayAnalyst = analystThat(() => Promise.reject(new AppError('dependency_unavailable')))

const recommendations = ['approve', 'review', 'reject']
const isPermissive = ({ state }: Outcome) => state === 'automatic_ready_for_payment'
const isCleanReport = ({ output }: Outcome) =>
  output.policy.fits && output.checks.every(({ outcome }) => outcome === 'pass')

/** Expects the second to be nowhere more lenient than the first. */
function expectNoLower(rules: Outcome, other: Outcome): void {
  const { output, purpose } = other
  expect(purpose).toBe(rules.purpose)
  expect(isPermissive(other) && !isPermissive(rules), purpose).toBe(false)
  expect(output.riskScore, purpose).toBeGreaterThanOrEqual(rules.output.riskScore)
  expect(recommendations.indexOf(output.recommendation), purpose).toBeGreaterThanOrEqual(
    recommendations.indexOf(rules.output.recommendation),
  )
  expect(output.policy, purpose).toEqual(rules.output.policy)
  expect(verdicts(other), purpose).toEqual(verdicts(rules))
}

const verdicts = ({ output: { checks } }: Outcome) =>
  checks.filter(({ id }) => id !== 'model_opinion').map(({ id, outcome }) => [id, outcome])

/** A proof asks all of them. `src/analysis` tests the rules by themselves with all of them, too. */
const asked = hostilePurposes.filter((_purpose, n) => isProof('PROVE_OUT') || n % 4 === 0)

const casesOf = (mode: Mode, analyst: Analyst | undefined, purposes: readonly string[]): Case[] =>
  purposes.map((purpose) => ({ purpose, mode, analyst }))

describe(`${hostilePurposes.length} hostile purposes`, () => {
  test('number at least 200, and honest ones pass at the same place', async () => {
    expect(new Set(hostilePurposes).size).toBeGreaterThanOrEqual(200)
    const honest = honestPurposes.slice(0, 3)
    const outcomes = await analyseAll(casesOf('automatic', undefined, honest))
    expect(outcomes.map(isPermissive)).toEqual([true, true, true])
  })

  test('in automatic mode get no further with a model beside the rules than without', async () => {
    const rules = await analyseAll(casesOf('automatic', undefined, asked))
    for (const one of rules) expect(isPermissive(one), one.purpose).toBe(isCleanReport(one))
    // To the rules none of them reads like an invoice.
    expect(rules.filter(isPermissive).map(({ purpose }) => purpose)).toEqual([])

    const calm = await analyseAll(casesOf('automatic', calmAnalyst, asked))
    for (const [n, one] of rules.entries()) expectNoLower(one, calm[n] ?? one)
    expect(calm.every(({ output }) => output.analyst.kind === 'rules_and_model')).toBe(true)

    const away = await analyseAll(casesOf('automatic', awayAnalyst, asked))
    for (const [n, one] of rules.entries()) expectNoLower(one, away[n] ?? one)
    expect(away.map(({ state }) => state)).toEqual(rules.map(({ state }) => state))
  })

  test('in approved mode wait for a reviewer, whoever reads them', async () => {
    const readers = [undefined, calmAnalyst, awayAnalyst]
    // Only the mode decides here, so every eighth suffices.
    const cases = hostilePurposes
      .filter((_purpose, n) => n % 8 === 0)
      .map((purpose, n) => {
        return { purpose, mode: 'approved' as const, analyst: readers[n % readers.length] }
      })
    const outcomes = await analyseAll(cases)
    expect(new Set(outcomes.map(({ state }) => state))).toEqual(new Set(['needs_review']))
  })
})
