import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { JobRunner } from '#platform/jobs/job-runner.ts'
import { createLog } from '#platform/log.ts'
import { makeDevice, readVapid } from '#test/push/device.ts'
import { type PushServer, startPushServer } from '#test/push/push-server.ts'
import {
  addDevice,
  devicesOf,
  eventOf,
  pushEnvironment,
  resolveEvent,
  SUBJECT,
} from '#test/push/steps.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { review, submit } from '#test/support/expense-states.ts'
import {
  createExpense,
  type ExpenseHouse,
  openExpenseHouse,
  PURPOSE,
} from '#test/support/expenses.ts'
import { startWorker } from '#worker.ts'

const env = pushEnvironment()
const lines: string[] = []
let server: PushServer
let service: TestApp
let worker: JobRunner
let house: ExpenseHouse

beforeAll(async () => {
  server = await startPushServer()
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } })
  service = await startTestApp({ env, replace: { log } })
  house = await openExpenseHouse(service)
  worker = await startWorker(service.ctx)
})
afterAll(async () => {
  await worker.stop()
  await service.stop()
  await server.close()
})

const arrivedAt = (path: string) => server.received.filter((one) => one.path === `/${path}`)

/** Submits an expense, which the worker analyses as any other. */
async function submitExpense(): Promise<string> {
  const { body } = await createExpense(service, house)
  expect((await submit(service, house, { id: body.id })).status).toBe(202)
  return body.id
}

test("an expense that needs review notifies the manager's device and links to it", async () => {
  const device = makeDevice()
  const { keys } = device
  const endpoint = server.endpoint('manager')
  const subscriptionId = await addDevice(service, house.manager, { endpoint, keys })
  const employees = makeDevice()
  const quiet = { endpoint: server.endpoint('employee'), keys: employees.keys }
  await addDevice(service, house.employee, quiet)

  const expenseId = await submitExpense()
  await vi.waitFor(() => expect(arrivedAt('manager')).toHaveLength(1), 20_000)
  const [received] = arrivedAt('manager')
  if (!received) throw new Error('Nothing arrived')

  const eventId = await eventOf(service, { aggregateId: expenseId, targetState: 'needs_review' })
  const text = device.decrypt(received.body)
  expect(JSON.parse(text)).toEqual({ eventId, category: 'review_needed' })
  for (const leak of [PURPOSE, '25000000', expenseId, 'Acme']) expect(text).not.toContain(leak)
  const { claims, publicKey } = readVapid(String(received.headers.authorization))
  expect(publicKey).toBe(env.VAPID_PUBLIC_KEY)
  expect(claims).toMatchObject({ aud: new URL(endpoint).origin, sub: SUBJECT })

  const { body: resolved } = await resolveEvent(service, house.manager, eventId)
  expect(resolved).toEqual({
    category: 'review_needed',
    route: `/organizations/${house.organization.id}/expenses/${expenseId}`,
  })

  // The employee is notified of their own tasks only.
  expect(arrivedAt('employee')).toEqual([])
  await review(service, house, { id: expenseId, action: 'request_revision' })
  await vi.waitFor(() => expect(arrivedAt('employee')).toHaveLength(1), 20_000)
  const asked = employees.decrypt(arrivedAt('employee')[0]?.body ?? Buffer.alloc(0))
  expect(JSON.parse(asked)).toMatchObject({ category: 'revision_requested' })

  const path = new URL(endpoint).pathname
  for (const secret of [`:${server.port}${path}`, keys.p256dh, keys.auth, env.VAPID_PRIVATE_KEY]) {
    expect(lines.join('')).not.toContain(secret)
  }
  expect(lines.join('')).toContain('deliver_push')
  expect(subscriptionId).toBeTruthy()
}, 60_000)

test('a device that is gone gets no more messages', async () => {
  server.answer((response, { path }) => response.writeHead(path === '/gone' ? 410 : 201).end())
  const owner = house.organization.owner
  await addDevice(service, owner, { endpoint: server.endpoint('gone') })
  await submitExpense()
  await vi.waitFor(
    async () => expect(await devicesOf(service, owner)).toMatchObject([{ isActive: false }]),
    20_000,
  )
  const before = arrivedAt('manager').length
  await submitExpense()
  await vi.waitFor(() => expect(arrivedAt('manager').length).toBeGreaterThan(before), 20_000)
  expect(arrivedAt('gone')).toHaveLength(1)
}, 60_000)

test('a temporarily unavailable device gets its message later', async () => {
  let refusals = 1
  server.answer((response, { path }) => {
    const isRefused = path === '/busy' && refusals > 0
    if (isRefused) refusals -= 1
    response.writeHead(isRefused ? 503 : 201).end()
  })
  await addDevice(service, house.organization.owner, { endpoint: server.endpoint('busy') })
  await submitExpense()
  // A message about the earlier expenses may still be in transit, with the same topic.
  const topics = () => arrivedAt('busy').map(({ headers }) => headers.topic)
  const repeated = () => topics().filter((topic, index, all) => all.indexOf(topic) < index)
  await vi.waitFor(() => expect(repeated()).toHaveLength(1), 30_000)
  expect(repeated()[0]).toBe(topics()[0])
}, 60_000)
