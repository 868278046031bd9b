/** `npm start` under load while its database repeatedly refuses connections. */
import pg from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { createTestDatabase } from '#test/support/database.ts'
import { cleanUp, onCleanUp } from './processes.ts'
import { ask, makePlace, type Service, startService } from './service.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 })
afterAll(cleanUp)

/** Two of each kind. */
const OUTAGES = 4

async function signIn({ api, helper }: Service): Promise<string> {
  const body = { realm: 'consumer', subject: 'someone' }
  const { body: issued } = await ask('POST', `${helper}/token`, { body })
  const { accessToken: token, identityToken } = issued
  const session = await ask('PUT', `${api}/v1/consumer/session`, { token, body: { identityToken } })
  expect(session.status).toBe(200)
  return token
}

test('answers only 503, does not exit, and recovers afterwards', async () => {
  const database = await createTestDatabase()
  onCleanUp(() => database.drop())
  const name = new URL(database.url).pathname.slice(1)
  const elsewhere = new URL(database.url)
  elsewhere.pathname = '/postgres'
  const server = new pg.Client(elsewhere.href)
  await server.connect()
  onCleanUp(() => server.end())
  const service = await startService(await makePlace(), { DATABASE_URL: database.url })
  const token = await signIn(service)
  const organizations = `${service.api}/v1/consumer/organizations`
  const statuses = new Map<number, number>()
  let isOver = false
  let made = 0

  const keepAsking = async () => {
    while (!isOver) {
      const body = { name: `Organization ${made++}` }
      const [write, list] = await Promise.all([
        ask('POST', organizations, { token, body }),
        ask('GET', organizations, { token }),
      ])
      for (const { status } of [write, list]) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
  }
  const count = (status: number) => statuses.get(status) ?? 0
  const askers = [keepAsking(), keepAsking()]
  const refusals = ['connection limit 0', 'allow_connections false']
  for (let outage = 0; outage < OUTAGES; outage += 1) {
    const before = count(503)
    await server.query(`alter database ${name} ${refusals[outage % 2]}`)
    const ended = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1'
    await server.query(ended, [name])
    await vi.waitFor(() => expect(count(503)).toBeGreaterThan(before), 20_000)
    await server.query(`alter database ${name} connection limit -1 allow_connections true`)
    const served = count(201)
    await vi.waitFor(() => expect(count(201)).toBeGreaterThan(served), 20_000)
  }
  isOver = true
  await Promise.all(askers)
  expect(service.hasEnded(), service.stderr()).toBe(false)
  expect(service.stderr()).not.toMatch(/unhandled/i)
  expect([...statuses.keys()].sort()).toEqual([200, 201, 503])
  // Jobs run as before.
  await vi.waitFor(async () => {
    const beats = await database.asOwner(
      `select from worker_processes where beat_at > now() - interval '3 seconds'`,
    )
    expect(beats).toHaveLength(1)
  }, 20_000)
  service.kill('SIGTERM')
  expect((await service.ended).code).toBe(0)
})
