import pg from 'pg'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from 'vitest'
import type { Context } from '#context.ts'
import { addSeconds } from '#platform/clock.ts'
import { followJournal } from '#push/follow-journal.ts'
import {
  addDevice,
  clearQueuedJobs,
  eventOf,
  fakePush,
  pushEnvironment,
  queuedJobs,
  recordPayment,
} from '#test/push/steps.ts'
import { joinOrganization, type Person, startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn, review } from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp({ env: pushEnvironment(), replace: { push: fakePush() } })
  house = await openExpenseHouse(service)
})
afterAll(() => service.stop())

/** Follows until nothing is left to read; another test's transaction may delay it. */
const follow = (ctx: Pick<Context, 'db' | 'observerDb' | 'clock'> = service.ctx) =>
  expect.poll(() => followJournal(ctx)).toBe('idle')

/** Waits until no event is withheld, so that a reader starting now misses none. */
const settle = ({ database }: TestApp = service) =>
  expect
    .poll(() =>
      database.asOwner(`select 1 as held from live_events
        where transaction_id >= pg_snapshot_xmin(pg_current_snapshot()) limit 1`),
    )
    .toEqual([])

const clearJobs = () => clearQueuedJobs(service)

beforeEach(async () => {
  await follow()
  await clearJobs()
})
afterEach(clearJobs)

/** Waiting deliveries, as recipient and event. */
async function told() {
  const jobs = await queuedJobs(service)
  return jobs.map(({ payload: { accountId, eventId } }) => `${accountId} ${eventId}`).sort()
}

const payment = (organizationId: string, paymentId: string, state: string) =>
  recordPayment(service, { organizationId, paymentId, state })

test('starts at the end of the journal: past events notify nobody', async () => {
  const young = await startTestApp({ env: pushEnvironment(), replace: { push: fakePush() } })
  const home = await openExpenseHouse(young)
  await addDevice(young, home.manager)
  await expenseIn(young, home, 'needs_review')
  const before = await young.database.asOwner('select 1 from push_position')
  expect(before).toEqual([])
  await settle(young)
  expect(await followJournal(young.ctx)).toBe('moved')
  await follow(young.ctx)
  expect(await queuedJobs(young)).toEqual([])
  const { id } = await expenseIn(young, home, 'needs_review')
  await follow(young.ctx)
  const eventId = await eventOf(young, { aggregateId: id, targetState: 'needs_review' })
  expect(await queuedJobs(young)).toMatchObject([{ payload: { eventId, attempt: 1 } }])
  await young.stop()
})

describe('notifies', () => {
  let devices: Record<'owner' | 'manager' | 'employee', string>
  let people: Record<'owner' | 'manager' | 'employee', Person>

  beforeAll(async () => {
    people = {
      owner: house.organization.owner,
      manager: house.manager,
      employee: house.employee,
    }
    devices = {
      owner: await addDevice(service, people.owner),
      manager: await addDevice(service, people.manager),
      employee: await addDevice(service, people.employee),
    }
  })

  /** The names of those whose devices have a waiting delivery. */
  async function names() {
    const ids = (await queuedJobs(service)).map(({ payload }) => payload.subscriptionId)
    const found = Object.entries(devices).filter(([, id]) => ids.includes(id))
    return found.map(([name]) => name)
  }

  test('the owner and the manager of a review', async () => {
    await expenseIn(service, house, 'needs_review')
    await follow()
    expect(await names()).toEqual(['owner', 'manager'])
  })

  test("the other reviewer of one's own expense", async () => {
    await expenseIn(service, house, 'needs_review', { person: house.manager })
    await follow()
    expect(await names()).toEqual(['owner'])
  })

  test('the submitter of a requested revision', async () => {
    const { id } = await expenseIn(service, house, 'needs_review')
    await follow()
    await clearJobs()
    await review(service, house, { id, action: 'request_revision' })
    await follow()
    expect(await names()).toEqual(['employee'])
  })

  test('nobody of a required signature where nobody may sign', async () => {
    const { id } = await expenseIn(service, house, 'awaiting_approval')
    await follow()
    const asked = await eventOf(service, { aggregateId: id, targetState: 'awaiting_approval' })
    expect((await told()).filter((one) => one.endsWith(asked))).toEqual([])
  })

  test('the submitter of a payment, and those who can help when it is blocked', async () => {
    const { paymentId } = await expenseIn(service, house, 'draft')
    const { id } = house.organization
    await payment(id, paymentId, 'queued')
    await payment(id, paymentId, 'confirmed')
    await follow()
    expect(await names()).toEqual(['employee'])
    await payment(id, paymentId, 'blocked')
    await follow()
    expect(await names()).toEqual(['owner', 'manager', 'employee'])
    // The employee's earlier delivery was replaced.
    const eventId = await eventOf(service, { aggregateId: paymentId, targetState: 'blocked' })
    const jobs = await queuedJobs(service)
    expect(jobs.map(({ payload }) => payload.eventId)).toEqual([eventId, eventId, eventId])
  })

  test('every device of the recipient, and none of other organizations', async () => {
    const more = await addDevice(service, people.employee)
    const other = await openExpenseHouse(service)
    await addDevice(service, other.employee)
    await addDevice(service, other.organization.owner)
    const { paymentId } = await expenseIn(service, house, 'draft')
    await payment(house.organization.id, paymentId, 'confirmed')
    await follow()
    const ids = (await queuedJobs(service)).map(({ payload }) => payload.subscriptionId)
    expect(ids.sort()).toEqual([devices.employee, more].sort())
  })
})

describe('queues each event once', () => {
  /** An employee with one device and a payment. */
  async function scene() {
    const person = await joinOrganization(service, house.organization, { role: 'employee' })
    await addDevice(service, person)
    const expense = await expenseIn(service, house, 'draft', { person })
    return { organizationId: house.organization.id, paymentId: expense.paymentId as string }
  }

  test('when several workers follow concurrently', async () => {
    const scenes = [await scene(), await scene(), await scene()]
    for (const { organizationId, paymentId } of scenes) {
      await payment(organizationId, paymentId, 'confirmed')
    }
    await Promise.all(Array.from({ length: 8 }, () => follow()))
    expect(new Set(await told()).size).toBe(3)
    expect(await told()).toHaveLength(3)
    // Nothing is left for another poll.
    await clearJobs()
    await follow()
    expect(await told()).toEqual([])
  })

  test("when a stale reader commits after the other's deliveries are done", async () => {
    const { organizationId, paymentId } = await scene()
    await payment(organizationId, paymentId, 'confirmed')
    await settle()
    const { observerDb } = service.ctx
    const late = {
      ...service.ctx,
      observerDb: {
        ...observerDb,
        transaction: async <T>(...look: Parameters<Context['db']['transaction']>) => {
          const ahead = await observerDb.transaction(...look)
          await follow()
          expect(await told()).toHaveLength(1)
          await clearJobs()
          return ahead as T
        },
      },
    }
    expect(await followJournal(late as Context)).toBe('busy')
    expect(await told()).toEqual([])
  })

  test('when a worker dies after reading and before committing', async () => {
    const { organizationId, paymentId } = await scene()
    await payment(organizationId, paymentId, 'confirmed')
    const dying = {
      ...service.ctx,
      db: {
        ...service.ctx.db,
        transaction: <T>(...[scope, work]: Parameters<Context['db']['transaction']>) =>
          service.ctx.db.transaction(scope, async (tx) => {
            await work(tx)
            throw new Error('killed')
          }) as Promise<T>,
      },
    }
    await expect.poll(() => followJournal(dying as Context).catch(String)).toMatch('killed')
    expect(await told()).toEqual([])
    await follow()
    expect(await told()).toHaveLength(1)
  })

  test('even when its transaction commits after a younger one', async () => {
    const [slow, fast] = [await scene(), await scene()]
    await follow()
    const client = new pg.Client(service.database.url)
    onTestFinished(() => client.end())
    await client.connect()
    await client.query('begin; set local search_path = countersign')
    await client.query(
      `insert into live_events (id, organization_id, audience, kind, aggregate_type, aggregate_id,
         target_state, severity, occurred_at)
       values (gen_random_uuid(), $1, 'both', 'payment.changed', 'payment', $2, 'confirmed',
         'healthy', now())`,
      [slow.organizationId, slow.paymentId],
    )
    await payment(fast.organizationId, fast.paymentId, 'confirmed')
    expect(await followJournal(service.ctx)).toBe('busy')
    expect(await told()).toEqual([])
    await client.query('commit')
    await follow()
    expect(await told()).toHaveLength(2)
  })

  test('and not at all when it is outdated', async () => {
    const { organizationId, paymentId } = await scene()
    await payment(organizationId, paymentId, 'confirmed')
    const { db, observerDb, clock } = service.ctx
    const later = { now: () => addSeconds(clock.now(), 25 * 3_600) }
    await follow({ db, observerDb, clock: later })
    expect(await told()).toEqual([])
  })

  test('and restarts at the end when the position is of another server', async () => {
    const { organizationId, paymentId } = await scene()
    await payment(organizationId, paymentId, 'confirmed')
    await settle()
    await service.database.asOwner(
      `update push_position set transaction_id = '9000000000000000000'`,
    )
    await follow()
    expect(await told()).toEqual([])
    await payment(organizationId, paymentId, 'blocked')
    await follow()
    expect((await told()).length).toBeGreaterThan(0)
  })
})

test('a queued delivery contains only ids', async () => {
  const person = await joinOrganization(service, house.organization, { role: 'employee' })
  const id = await addDevice(service, person)
  const expense = await expenseIn(service, house, 'draft', { person })
  await payment(house.organization.id, expense.paymentId, 'confirmed')
  await follow()
  const [job] = await queuedJobs(service)
  expect(job).toEqual({
    payload: {
      organizationId: house.organization.id,
      accountId: person.accountId,
      subscriptionId: id,
      eventId: expect.any(String),
      attempt: 1,
    },
    key: `push:${id}:payment:${expense.paymentId}`,
    queue: expect.stringMatching(/^push:[0-3]$/),
    seconds: expect.any(Number),
  })
})
