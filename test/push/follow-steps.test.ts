import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Context } from '#context.ts'
import { followJournal } from '#push/follow-journal.ts'
import {
  addDevice,
  clearQueuedJobs,
  fakePush,
  pushEnvironment,
  type QueuedJob,
  queuedJobs,
} from '#test/push/steps.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'

let service: TestApp
/** Its owner has five devices; the other organization's owner has 600. */
let house: ExpenseHouse
let crowded: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp({ env: pushEnvironment(), replace: { push: fakePush() } })
  house = await openExpenseHouse(service)
  crowded = await openExpenseHouse(service)
  for (let count = 0; count < 5; count += 1) await addDevice(service, house.organization.owner)
  await service.database.asOwner(
    `insert into push_subscriptions (id, account_id, endpoint, p256dh, auth, device_label,
       created_at, renewed_at)
     select gen_random_uuid(), $1, 'https://127.0.0.1/' || gen_random_uuid(),
       '\\x04' || decode(repeat('00', 64), 'hex'), decode(repeat('00', 16), 'hex'), 'Phone',
       now(), now()
     from generate_series(1, 600)`,
    [crowded.organization.owner.accountId],
  )
})
afterAll(() => service.stop())

beforeEach(async () => {
  await follow()
  await clearQueuedJobs(service)
})

type Step = { jobs: QueuedJob[]; statements: number }

/** The steps until nothing is left to read, each with the deliveries that it queued. */
async function follow(): Promise<Step[]> {
  const steps: Step[] = []
  let statements = 0
  const { db } = service.ctx
  const counting: Context = {
    ...service.ctx,
    db: {
      ...db,
      transaction: (scope, work, options) => {
        return db.transaction(
          scope,
          (tx) =>
            work({
              ...tx,
              query: (statement) => {
                statements += 1
                return tx.query(statement)
              },
              write: (statement) => {
                statements += 1
                tx.write(statement)
              },
            }),
          options,
        )
      },
    },
  }
  const step = async () => {
    statements = 0
    const outcome = await followJournal(counting)
    if (statements > 0) steps.push({ jobs: await queuedJobs(service), statements })
    await clearQueuedJobs(service)
    return outcome
  }
  await expect.poll(step, { interval: 1, timeout: 15_000 }).toBe('idle')
  return steps
}

/** Blocks payments of these organizations in one transaction, in this order. */
const blockPayments = (
  organizationIds: readonly string[],
  paymentIds = organizationIds.map(() => randomUUID()),
) =>
  service.database.asOwner<{ id: string }>(
    `insert into live_events (id, organization_id, audience, kind, aggregate_type, aggregate_id,
       target_state, severity, occurred_at)
     select gen_random_uuid(), n.organization_id, 'both', 'payment.changed', 'payment',
       n.payment_id, 'blocked', 'healthy', now()
     from unnest($1::uuid[], $2::text[]) with ordinality as n (organization_id, payment_id, place)
     order by n.place returning id`,
    [organizationIds, paymentIds],
  )

const told = ({ jobs }: Step) =>
  jobs.map(({ payload: { eventId, subscriptionId } }) => `${eventId} ${subscriptionId}`)

test('queues many events once each, in order, in steps of two statements', async () => {
  const events = await blockPayments(Array<string>(300).fill(house.organization.id))
  const steps = await follow()
  expect(steps.map(({ jobs }) => jobs.length)).toEqual([...Array(7).fill(200), 100])
  expect(steps.map(({ statements }) => statements)).toEqual(Array(8).fill(2))
  expect(new Set(steps.flatMap(told)).size).toBe(1_500)
  const order = steps.flatMap(({ jobs }) => jobs.map(({ payload }) => payload.eventId))
  expect([...new Set(order)]).toEqual(events.map(({ id }) => id))
})

test('gives an event with more deliveries than a step a step of its own', async () => {
  const [small, large] = [house.organization.id, crowded.organization.id]
  await blockPayments([small, large, small])
  const steps = await follow()
  expect(steps.map(({ jobs }) => jobs.length)).toEqual([5, 600, 5])
  // That many jobs could exceed the statement time-out.
  expect(steps.map(({ statements }) => statements)).toEqual([2, 3, 2])
  expect(new Set(steps.flatMap(told)).size).toBe(610)
})

test('passes events without recipients in one step and queues nothing', async () => {
  await blockPayments(Array<string>(300).fill((await openExpenseHouse(service)).organization.id))
  const steps = await follow()
  expect(steps.at(-1)).toEqual({ jobs: [], statements: 1 })
  expect(steps.flatMap(told)).toEqual([])
})

test('queues only the later of two events of one aggregate in a step', async () => {
  const paymentId = randomUUID()
  const { id } = house.organization
  const events = await blockPayments([id, id], [paymentId, paymentId])
  const steps = await follow()
  expect(steps).toHaveLength(1)
  const ids = steps.flatMap(({ jobs }) => jobs.map(({ payload }) => payload.eventId))
  expect(ids).toEqual(Array(5).fill(events[1]?.id))
})
