/** Leases of analysis runs: which worker may write a report, and how often it is attempted. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AnalystOpinion } from '#ports/analyst.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import {
  analystThat,
  brokenAnalyst,
  CALM,
  endLeaseOf,
  findRunRow,
  readReport,
  type Submitted,
  storedExpense,
  submitAgain,
  submitNew,
  tryRunWith,
} from '#test/support/expense-model.ts'
import {
  analyse,
  type ExpenseHouse,
  openExpenseHouse,
  PURPOSE,
  takeStep,
} from '#test/support/expenses.ts'
import { auditTrail, liftOwnersRowSecurity, outcome, times } from '#test/support/steps.ts'

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
afterEach(async () => {
  await service.database.asOwner('drop trigger if exists refuse on reports')
})

const key = ({ runId }: Pick<Submitted, 'runId'>) => ({
  organizationId: house.organization.id,
  runId,
})

const runOf = (submitted: Submitted) => findRunRow(service.database, submitted.runId)

const expenseOf = (submitted: Submitted) => storedExpense(service.database, house, submitted)
const reportOf = (submitted: Submitted) => readReport(service, house, submitted)

/** The audit actions about it, in order. */
async function trailOf({ expenseId, runId }: Submitted): Promise<string[]> {
  const trail = await auditTrail(service.database, house.organization.id)
  return trail
    .filter(({ aggregateId }) => aggregateId === expenseId || aggregateId === runId)
    .map(({ action }) => action)
}

const BEGINNING = ['expense.created', 'expense.submitted', 'agent_run.queued']
const TAKEN = ['agent_run.started', 'expense.analysis_started']
const REPORTED = ['agent_run.succeeded', 'expense.flagged']

/** An attempt that pauses in the middle of its run until released. */
async function stall(submitted: Submitted) {
  const asked = Promise.withResolvers<void>()
  const told = Promise.withResolvers<AnalystOpinion>()
  const analyst = analystThat(() => {
    asked.resolve()
    return told.promise
  })
  const ended = tryRunWith(service.ctx, analyst, key(submitted))
  await asked.promise
  return { ended, goOn: () => told.resolve(CALM), fail: () => told.reject(new Error('late')) }
}

const jobsOf = ({ runId }: Submitted) =>
  service.database.asOwner<{ inSeconds: number }>(
    `select round(extract(epoch from run_at - now()))::int as "inSeconds"
     from graphile_worker.jobs where key = $1`,
    [`analyze_expense:${runId}`],
  )

describe('the lease of a run', () => {
  test('lets one of eight concurrent workers write the report', async () => {
    const submitted = await submitNew(service, house)
    await Promise.all(times(8, () => analyse(service, house, submitted.runId)))
    expect(await expenseOf(submitted)).toMatchObject({ state: 'needs_review', reports: 1 })
    expect(await runOf(submitted)).toMatchObject({ state: 'succeeded', attempts: 1, epoch: 1 })
    expect(await trailOf(submitted)).toEqual([...BEGINNING, ...TAKEN, ...REPORTED])
  })

  test('makes an early worker retry when it ends', async () => {
    const submitted = await submitNew(service, house)
    const first = await stall(submitted)
    await analyse(service, house, submitted.runId)
    expect(await runOf(submitted)).toMatchObject({ state: 'running', attempts: 1, epoch: 1 })
    const [job, ...others] = await jobsOf(submitted)
    expect(others).toEqual([])
    expect(job?.inSeconds).toBeGreaterThan(5)
    expect(job?.inSeconds).toBeLessThanOrEqual(15)
    first.goOn()
    await first.ended
    expect(await expenseOf(submitted)).toMatchObject({ state: 'needs_review', reports: 1 })
  })

  test('rejects a stale writer after another worker has written the report', async () => {
    const submitted = await submitNew(service, house)
    const first = await stall(submitted)
    await endLeaseOf(service.database, submitted.runId)
    await analyse(service, house, submitted.runId)
    const [before, trail] = [await expenseOf(submitted), await trailOf(submitted)]
    first.goOn()
    await first.ended
    expect(await expenseOf(submitted)).toEqual(before)
    expect(await trailOf(submitted)).toEqual(trail)
    expect(trail).toEqual([...BEGINNING, ...TAKEN, 'agent_run.started', ...REPORTED])
    expect((await reportOf(submitted)).output.analyst.kind).toBe('rules')
  })

  test.each(['goOn', 'fail'] as const)(
    'rejects a stale writer (%s) while another worker is running',
    async (comesBack) => {
      const submitted = await submitNew(service, house)
      const first = await stall(submitted)
      await endLeaseOf(service.database, submitted.runId)
      const second = await stall(submitted)
      first[comesBack]()
      await first.ended
      const meanwhile = await runOf(submitted)
      expect(meanwhile).toMatchObject({ state: 'running', attempts: 2, epoch: 2 })
      expect(meanwhile.leaseLeft).toBeGreaterThan(0)
      expect(await expenseOf(submitted)).toMatchObject({ state: 'analyzing', reports: 0 })
      second.goOn()
      await second.ended
      expect(await expenseOf(submitted)).toMatchObject({ state: 'needs_review', reports: 1 })
    },
  )

  test('that has expired does not stop a worker while nobody else has taken the run', async () => {
    const submitted = await submitNew(service, house)
    const slow = await stall(submitted)
    await endLeaseOf(service.database, submitted.runId)
    slow.goOn()
    await slow.ended
    expect(await expenseOf(submitted)).toMatchObject({ state: 'needs_review', reports: 1 })
    expect(await runOf(submitted)).toMatchObject({ state: 'succeeded', attempts: 1 })
  })

  test('is renewed while the second reader is asked, only by its holder', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const submitted = await submitNew(service, house)
      const slow = await stall(submitted)
      const shorten = () =>
        service.database.asOwner(
          `update agent_runs set lease_until = now() + interval '2 s' where id = $1`,
          [submitted.runId],
        )
      for (const _beat of times(3, (n) => n)) {
        await shorten()
        vi.advanceTimersByTime(4_000)
        await expect.poll(async () => (await runOf(submitted)).leaseLeft).toBeGreaterThan(10)
      }
      // After the takeover, the first worker's heartbeat does not renew its successor's lease.
      await endLeaseOf(service.database, submitted.runId)
      const heir = await stall(submitted)
      await shorten()
      slow.fail()
      await slow.ended
      expect((await runOf(submitted)).leaseLeft).toBeLessThanOrEqual(2)
      expect(vi.getTimerCount()).toBe(1)
      heir.goOn()
      await heir.ended
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a run that fails', () => {
  const refuseReports = () =>
    service.database.asOwner(`
      create or replace function refuse_report() returns trigger language plpgsql as
        $$ begin raise exception 'the disk is full'; end $$;
      create trigger refuse before insert on reports for each row execute function refuse_report()`)

  test('is tried three times with growing delays, and then blocks the expense', async () => {
    await refuseReports()
    const submitted = await submitNew(service, house)
    for (const [tried, inSeconds] of [
      [1, 2],
      [2, 4],
    ]) {
      await analyse(service, house, submitted.runId)
      expect(await runOf(submitted)).toMatchObject({ state: 'running', attempts: tried })
      expect(await jobsOf(submitted)).toEqual([{ inSeconds }])
      expect(await expenseOf(submitted)).toMatchObject({ state: 'analyzing', reports: 0 })
    }
    await analyse(service, house, submitted.runId)
    expect(await runOf(submitted)).toMatchObject({ state: 'failed', failureCode: 'tries_spent' })
    expect(await expenseOf(submitted)).toMatchObject({
      state: 'blocked',
      blockCode: 'analysis_failed',
      reportId: null,
      reports: 0,
    })
    const again = ['agent_run.started', 'agent_run.started']
    const ended = ['agent_run.failed', 'expense.analysis_failed']
    expect(await trailOf(submitted)).toEqual([...BEGINNING, ...TAKEN, ...again, ...ended])
  })

  test('can be followed by a new run on submit, which succeeds', async () => {
    await refuseReports()
    const first = await submitNew(service, house)
    for (const _try of times(3, (n) => n)) await analyse(service, house, first.runId)
    await service.database.asOwner('drop trigger refuse on reports')

    const runId = await submitAgain(service, house, first.expenseId)
    expect(runId).not.toBe(first.runId)
    // The old run has ended, even if a job for it remains.
    await analyse(service, house, first.runId)
    expect(await expenseOf(first)).toMatchObject({ state: 'analysis_queued', reports: 0 })
    const second = { ...first, runId }
    await analyse(service, house, runId)
    await analyse(service, house, first.runId)
    await analyse(service, house, runId)
    expect(await expenseOf(second)).toMatchObject({ state: 'needs_review', reports: 1 })
    expect(await reportOf(second)).toMatchObject({ runId, version: 1, expenseRevision: 1 })
    expect(await runOf(first)).toMatchObject({ state: 'failed', attempts: 3 })
    expect(await runOf(second)).toMatchObject({ state: 'succeeded', attempts: 1 })
  })

  test('because three workers died ends when the fourth takes it', async () => {
    const submitted = await submitNew(service, house)
    for (const _life of times(3, (n) => n)) {
      await stall(submitted)
      await endLeaseOf(service.database, submitted.runId)
    }
    await analyse(service, house, submitted.runId)
    expect(await runOf(submitted)).toMatchObject({ state: 'failed', attempts: 3 })
    expect(await expenseOf(submitted)).toMatchObject({ blockCode: 'analysis_failed', reports: 0 })
  })

  test('and is revised has its own report for each run and revision', async () => {
    const first = await submitNew(service, house)
    await analyse(service, house, first.runId)
    const { expenseId: id } = first
    const { vaultId, recipientId, employee: person } = house
    const terms = { vaultId, recipientId, purpose: PURPOSE, requestedMode: 'approved' }
    const body = { ...terms, amountBaseUnits: '26000000', expectedVersion: 1, reason: 'Typo.' }
    const revised = await takeStep(service, house, { id, step: 'revisions', person, body })
    expect(outcome(revised)).toBe('201')
    expect(revised.body.currentReportId).toBe(null)
    const second = { expenseId: id, runId: await submitAgain(service, house, id, 2) }
    await tryRunWith(service.ctx, brokenAnalyst, key(second))
    await analyse(service, house, first.runId)
    await analyse(service, house, second.runId)
    const reports = await service.database.asOwner(
      `select run_id as "runId", expense_revision as revision, version from reports
       where expense_id = $1 order by version`,
      [id],
    )
    expect(reports).toEqual([
      { runId: first.runId, revision: 1, version: 1 },
      { runId: second.runId, revision: 2, version: 2 },
    ])
  })
})
