import { beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '#test/support/app.ts'
import {
  expenseIn,
  failAnalysis,
  readExpense,
  readReport,
  submit,
} from '#test/support/expense-states.ts'
import { analyse, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import {
  type AuditEvent,
  auditTrail,
  type LiveEvent,
  liftOwnersRowSecurity,
  liveTrail,
} from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await sharedTestApp()
  house = await openExpenseHouse(service)
  await liftOwnersRowSecurity(service.database)
})

describe('the analysis', () => {
  const since = async (work: () => Promise<void>) => {
    const read = async () => ({
      trail: await auditTrail(service.database, house.organization.id),
      live: await liveTrail(service.database, house.organization.id),
    })
    const before = await read()
    await work()
    const { trail, live } = await read()
    return { trail: trail.slice(before.trail.length), live: live.slice(before.live.length) }
  }
  const brief = ({ action, aggregateId, actorRealm }: AuditEvent) => [
    action,
    aggregateId,
    actorRealm,
  ]
  const states = (live: LiveEvent[]) =>
    live.map(({ aggregateId, targetState, severity }) => [aggregateId, targetState, severity])

  test('records every step in the audit trail and its report by hash', async () => {
    const { id } = await expenseIn(service, house, 'draft')
    const { taskId } = (await submit(service, house, { id })).body
    const { trail, live } = await since(() => analyse(service, house, taskId))
    expect(trail.map(brief)).toEqual([
      ['agent_run.started', taskId, 'system'],
      ['expense.analysis_started', id, 'system'],
      ['agent_run.succeeded', taskId, 'system'],
      ['expense.flagged', id, 'system'],
    ])
    expect(states(live)).toEqual([
      [taskId, 'running', 'healthy'],
      [id, 'analyzing', 'healthy'],
      [taskId, 'succeeded', 'healthy'],
      [id, 'needs_review', 'action_required'],
    ])
    const { currentReportId: reportId } = (await readExpense(service, house, id)).body
    const { reportHash, output } = (await readReport(service, house, reportId)).body
    const { riskScore } = output
    expect(trail.at(-1)?.data).toMatchObject({ reportId, reportHash, riskScore })
  })

  test('that fails is recorded and raises an action_required event', async () => {
    const { id } = await expenseIn(service, house, 'analysis_queued')
    const { trail, live } = await since(() => failAnalysis(service, house, id))
    const actions = trail.map(({ action }) => action)
    expect(actions.slice(-2)).toEqual(['agent_run.failed', 'expense.analysis_failed'])
    expect(live.slice(-2)).toMatchObject([
      { targetState: 'failed', severity: 'action_required', code: 'tries_spent' },
      { aggregateId: id, targetState: 'blocked', severity: 'action_required' },
    ])
    expect(live.at(-1)).toMatchObject({ code: 'analysis_failed' })
  })
})
