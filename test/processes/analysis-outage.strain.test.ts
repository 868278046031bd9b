/** PostgreSQL fails while an expense is analysed, three times in a row. */
import { afterAll, expect, test, vi } from 'vitest'
import { letTimePass } from '#test/processes/dead-workers.ts'
import { production } from '#test/processes/environment.ts'
import { startKillablePostgres } from '#test/processes/killable-postgres.ts'
import { cleanUp, onCleanUp, runScript } from '#test/processes/processes.ts'
import { startTestApp } from '#test/support/app.ts'
import { findRunRow, storedExpense, submitAgain, submitNew } from '#test/support/expense-model.ts'
import { openExpenseHouse } from '#test/support/expenses.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { startPatientModel } from './patient-model.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })

afterAll(cleanUp)

const PURPOSE = 'Translation of the user manual, as offered in May'

test('three attempts cut off block an expense; submitted again, it is analysed', async () => {
  const postgres = await startKillablePostgres()
  const { database } = postgres
  const service = await startTestApp({ database })
  onCleanUp(() => service.stop())
  await liftOwnersRowSecurity(database)
  const model = await startPatientModel()
  onCleanUp(() => model.stop())
  const worker = runScript('src/worker.ts', {
    ...production(database.url),
    NODE_ENV: 'development',
    ANALYST_URL: model.url,
    ANALYST_MODEL: 'emulated',
    ANALYST_TIMEOUT_MS: '60000',
  })
  await worker.says(/"msg":"worker running"/)
  const house = await openExpenseHouse(service)
  const first = await submitNew(service, house, { purpose: PURPOSE })

  for (const attempt of [1, 2, 3]) {
    await expect.poll(() => model.isAskedOf(PURPOSE)).toBe(true)
    await postgres.kill('SIGKILL')
    // It can neither write the report nor say that it failed, so its lease must run out.
    model.answer(PURPOSE)
    await worker.says(new RegExp(`"attempt":${attempt},.*"msg":"analysis failed"`))
    await postgres.restart()
    expect(await findRunRow(database, first.runId)).toMatchObject({
      state: 'running',
      attempts: attempt,
    })
    await letTimePass(database)
  }
  const expense = () => storedExpense(database, house, first)
  await expect
    .poll(expense)
    .toMatchObject({ state: 'blocked', blockCode: 'analysis_failed', reports: 0 })
  expect(await findRunRow(database, first.runId)).toMatchObject({ failureCode: 'tries_spent' })

  model.answerAtOnce()
  const runId = await submitAgain(service, house, first.expenseId)
  await expect.poll(expense).toMatchObject({ state: 'needs_review', reports: 1 })
  expect(await findRunRow(database, runId)).toMatchObject({ state: 'succeeded', attempts: 1 })
  expect(await findRunRow(database, first.runId)).toMatchObject({ state: 'failed', attempts: 3 })
})
