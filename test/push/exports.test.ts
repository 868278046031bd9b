import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { setAccountStatus } from '#identity/operators.ts'
import type { JobRunner } from '#platform/jobs/job-runner.ts'
import { createMetrics } from '#platform/metrics.ts'
import { addDevice, fakePush, pushEnvironment, resolveEvent } from '#test/push/steps.ts'
import {
  createOrganization,
  joinOrganization,
  type Person,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { beginExport, type Ceremony, type Holder, makeServerWallet } from '#test/support/exports.ts'
import { times } from '#test/support/steps.ts'
import { startWorker } from '#worker.ts'

const push = fakePush()
let service: TestApp
let worker: JobRunner

beforeAll(async () => {
  service = await startTestApp({ env: pushEnvironment(), replace: { push } })
  worker = await startWorker(service.ctx)
})
afterAll(async () => {
  await worker.stop()
  await service.stop()
})

let devices = 0

async function withDevice(person: Person): Promise<{ messages: () => Body[] }> {
  devices += 1
  const endpoint = `https://push.example/device-${devices}`
  await addDevice(service, person, { endpoint })
  const own = () => push.sent.filter((message) => message.endpoint === endpoint)
  return { messages: () => own().map(({ body }) => JSON.parse(body)) }
}

type Body = { eventId: string; category: string }

const asHolder = ({ token, subject }: Person): Holder => ({ realm: 'consumer', token, subject })

async function begin(person: Person, body: Record<string, unknown> = {}): Promise<Ceremony> {
  const holder = asHolder(person)
  return beginExport(service, holder, await makeServerWallet(service, holder, body))
}

const wrongThrice = (ceremony: Ceremony) =>
  times(3, () => () => ceremony.complete({ mfaAssertion: 'x.y.z' })).reduce(
    (before, next) => before.then(next).then(() => undefined),
    Promise.resolve<undefined>(undefined),
  )

test('notifies a holder without an organization of an exported key', async () => {
  const person = await service.signIn()
  const device = await withDevice(person)
  expect((await (await begin(person)).complete()).status).toBe(200)
  await vi.waitFor(() => expect(device.messages()).toHaveLength(1), 20_000)
  const [message] = device.messages()
  expect(message).toEqual({ eventId: expect.any(String), category: 'wallet_exported' })
  const eventId = message?.eventId ?? ''
  const { status, body } = await resolveEvent(service, person, eventId)
  expect([status, body]).toEqual([200, { category: 'wallet_exported', route: '/wallets' }])
  // Anybody else who has the id learns nothing.
  expect((await resolveEvent(service, await service.signIn(), eventId)).status).toBe(404)
})

test("notifies the organization's owners too, but not other members", async () => {
  const organization = await createOrganization(service)
  const employee = await joinOrganization(service, organization, { role: 'employee' })
  const manager = await joinOrganization(service, organization, { role: 'manager' })
  const holders = await withDevice(employee)
  const owners = await withDevice(organization.owner)
  const managers = await withDevice(manager)
  const ceremony = await begin(employee, { organizationId: organization.id })
  expect((await ceremony.complete()).status).toBe(200)
  await vi.waitFor(() => expect(holders.messages()).toHaveLength(1), 20_000)
  await vi.waitFor(() => expect(owners.messages()).toHaveLength(1), 20_000)
  const eventId = owners.messages()[0]?.eventId ?? ''
  for (const person of [employee, organization.owner]) {
    expect((await resolveEvent(service, person, eventId)).body.category).toBe('wallet_exported')
  }
  expect(managers.messages()).toEqual([])
})

test('notifies of three failed attempts, but not a disabled account', async () => {
  const person = await service.signIn()
  const silenced = await service.signIn()
  const device = await withDevice(person)
  const silent = await withDevice(silenced)
  await worker.stop()
  await wrongThrice(await begin(silenced))
  await setAccountStatus(service.ctx, { accountId: silenced.accountId, event: 'disable' })
  await wrongThrice(await begin(person))
  worker = await startWorker({ ...service.ctx, metrics: createMetrics() })
  await vi.waitFor(() => expect(device.messages()).toHaveLength(1), 20_000)
  expect(device.messages()[0]?.category).toBe('wallet_export_locked')
  expect(silent.messages()).toEqual([])
})
