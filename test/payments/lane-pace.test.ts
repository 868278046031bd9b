/** When the job of a lane runs again: at once, or after the interval of the lane. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findActiveBinding } from '#executor/executor.store.ts'
import { LANE_SETTINGS, workLane } from '#payments/work-lane.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { openSigningHouse, type SigningHouse, signAs } from '#test/support/signing.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let house: SigningHouse
let laneId: string

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openSigningHouse(service)
  const expense = await expenseIn(service, house, 'awaiting_approval')
  expect((await signAs(service, house, expense, house.signer)).status).toBe(202)
  const { id: organizationId } = house.organization
  const binding = await service.ctx.db.transaction({ organizationId }, (tx) =>
    findActiveBinding(tx, organizationId),
  )
  laneId = binding?.id ?? ''
  await service.database.asOwner(
    "update payments set state = 'queued', lane_id = $2 where id = $1",
    [expense.paymentId, laneId],
  )
})
afterAll(() => service.stop())

/** A pass over the lane, whose node cannot be reached, and after how long the next one is due. */
async function nextPassAfterMs(workerConcurrency: number): Promise<number> {
  const { asOwner } = service.database
  await asOwner('delete from graphile_worker._private_jobs')
  const ctx = { ...service.ctx, config: { ...service.ctx.config, workerConcurrency } }
  const lane = { organizationId: house.organization.id, laneId }
  await workLane(ctx, lane, new AbortController().signal)
  const [job] = await asOwner<{ ms: number }>(
    `select extract(milliseconds from run_at - created_at)::integer as ms
     from graphile_worker.jobs where key = $1`,
    [`work_lane:${laneId}`],
  )
  return job?.ms ?? -1
}

test('a worker without a slot to spare leaves a crowded lane until its next interval', async () => {
  expect(await nextPassAfterMs(0)).toBe(LANE_SETTINGS.pollEveryMs)
})

test('a worker that keeps a crowded lane gives it up at once after its time', async () => {
  expect(await nextPassAfterMs(8)).toBe(0)
})
