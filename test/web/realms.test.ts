/** Two gateways, two realms: what opens one opens nothing in the other. */
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

let service: TestApp
let consumer: TestGateway
let admin: TestGateway

beforeAll(async () => {
  service = await startTestApp()
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  const options = {
    apiUrl: `http://127.0.0.1:${port}`,
    databaseUrl: service.database.url,
    identity: service.identity,
  }
  consumer = await startGateway(options)
  admin = await startGateway({ ...options, realm: 'admin' })
  await service.operatorToken('operator')
})
afterAll(async () => {
  await consumer.stop()
  await admin.stop()
  await service.stop()
})

const cookieOf = ({ origin, ctx }: TestGateway): string =>
  `countersign-${ctx.config.realm}-${new URL(origin).port}`

test('an operator signs in at the gateway of operators, with a cookie of its own', async () => {
  const browser = admin.browser()
  await browser.signIn('Operator')
  expect((await browser.call('GET', '/v1/admin/me')).status).toBe(200)
  expect([...browser.jar.keys()]).toContain(cookieOf(admin))
  expect([...browser.jar.keys()]).not.toContain(cookieOf(consumer))
})

test("a gateway passes nothing on to the other realm's operations", async () => {
  const operator = admin.browser()
  await operator.signIn('Operator')
  expect((await operator.call('GET', '/v1/consumer/me')).status).toBe(404)
  const member = consumer.browser()
  await member.signIn('Ana Ruiz')
  expect((await member.call('GET', '/v1/admin/me')).status).toBe(404)
})

test('a session of one application is none in the other under any cookie name', async () => {
  const member = consumer.browser()
  await member.signIn('Ben Adeyemi')
  const operator = admin.browser()
  await operator.signIn('Operator')
  const swapped = [
    { at: admin.browser(), from: member, name: cookieOf(consumer), as: cookieOf(admin) },
    { at: consumer.browser(), from: operator, name: cookieOf(admin), as: cookieOf(consumer) },
  ]
  for (const { at, from, name, as } of swapped) {
    const id = from.jar.get(name) ?? ''
    expect(id).not.toBe('')
    at.jar.set(as, id)
    expect((await at.call('GET', '/session')).body).toEqual({ state: 'signed_out' })
  }
  expect((await swapped[0]?.at.call('GET', '/v1/admin/me'))?.status).toBe(401)
  expect((await swapped[1]?.at.call('GET', '/v1/consumer/me'))?.status).toBe(401)
})

test('a token of one realm is refused by the operations of the other', async () => {
  const token = await service.operatorToken()
  const own = await service.call('GET', '/v1/admin/me', { token })
  const other = await service.call('GET', '/v1/consumer/me', { token })
  expect([own.status, other.status]).toEqual([200, 401])
})

test('somebody who is no operator is told so, and gets no session', async () => {
  const browser = admin.browser()
  const where = await browser.signIn('Ana Ruiz').catch((error: Error) => error.message)
  expect(String(where)).toMatch(/operator_required/)
  expect((await browser.call('GET', '/session')).body).toEqual({ state: 'signed_out' })
})

test('an operator whose role is revoked has no access any more', async () => {
  const browser = admin.browser()
  await browser.signIn('Operator')
  await service.database.asOwner("update operators set status = 'revoked'")
  expect((await browser.call('GET', '/v1/admin/me')).status).toBe(403)
  await service.database.asOwner("update operators set status = 'active'")
  expect((await browser.call('GET', '/v1/admin/me')).status).toBe(200)
})
