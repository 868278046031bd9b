/** One request id identifies the request, the jobs that it caused and their audit events. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '#platform/log.ts'
import { openPayingHouse, type PayingHouse, payable, untilState } from '#test/support/payments.ts'
import { key, startTreasury, type Treasury } from '#test/support/treasury.ts'

type Line = Record<string, unknown> & { msg: string }

let treasury: Treasury
let house: PayingHouse
const lines: Line[] = []

beforeAll(async () => {
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const log = createLog({ level: 'info', destination })
  treasury = await startTreasury({ replace: () => ({ log }) })
  house = await openPayingHouse(treasury)
})
afterAll(() => treasury.stop())

const linesOf = (requestId: string, msg: string) =>
  lines.filter((line) => line.requestId === requestId && line.msg === msg)

/** Submits an automatic expense, whose remaining steps are jobs. */
async function submit(requestId: string): Promise<string> {
  const { service } = house.treasury
  const { token } = house.employee
  const made = await service.call('POST', `${house.path}/expenses`, {
    token,
    headers: key(),
    body: payable(house, { requestedMode: 'automatic' }),
  })
  const submitted = await service.call('POST', `${house.path}/expenses/${made.body.id}/submit`, {
    token,
    headers: { 'x-request-id': requestId },
    body: { expectedVersion: 1 },
  })
  expect(submitted.status).toBe(202)
  return made.body.id
}

describe('the id of a request', () => {
  test('is in the log line of every job from the analysis to the payment', async () => {
    const requestId = `trace-${randomUUID()}`
    const id = await submit(requestId)
    await untilState(house, id, 'paid')
    expect(linesOf(requestId, 'request')).toMatchObject([{ method: 'POST', status: 202 }])
    await expect
      .poll(() => new Set(linesOf(requestId, 'job').map(({ job }) => job)))
      .toEqual(new Set(['analyze_expense', 'work_lane']))
    for (const line of linesOf(requestId, 'job')) {
      expect(Object.keys(line).sort()).toEqual(
        [
          ...['attempt', 'job', 'jobId', 'level', 'ms', 'msg', 'organizationId', 'outcome'],
          ...['requestId', 'service', 'time'],
        ].sort(),
      )
      expect(line).toMatchObject({
        level: 'info',
        outcome: 'done',
        attempt: 1,
        organizationId: house.id,
        jobId: expect.stringMatching(/^\d+$/),
      })
    }
  })

  test('is in the audit event of the request and in those of its jobs', async () => {
    const requestId = `trace-${randomUUID()}`
    const id = await submit(requestId)
    await untilState(house, id, 'paid')
    const rows = await treasury.service.database.asOwner<{ action: string; realm: string }>(
      `select action, actor_realm as realm from audit_events
       where organization_id = $1 and request_id = $2 order by seq`,
      [house.id, requestId],
    )
    expect(rows).toContainEqual({ action: 'expense.submitted', realm: 'consumer' })
    for (const action of ['agent_run.succeeded', 'payment.released', 'payment.submitted']) {
      expect(rows).toContainEqual({ action, realm: 'system' })
    }
  })

  test('is absent from the lines of jobs that reschedule themselves', async () => {
    await expect
      .poll(() => lines.find(({ job }) => job === 'watch_executor'), { timeout: 40_000 })
      .toMatchObject({ requestId: null, organizationId: house.id, outcome: 'done' })
  })
})
