/**
 * Concurrent writers with late commits and reconnecting readers: no event is missed, repeated,
 * reordered or sent to another tenant. `npm run prove -- live` runs it with 100,000 events.
 */
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildApp } from '#app.ts'
import { createRandom } from '#test/fuzz/random.ts'
import { type Books, type Reader, read, write } from '#test/live/restless-readers.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { reportFigures, sizeOf } from '#test/support/figures.ts'
import { openedLive } from '#test/support/live.ts'

const EVENTS = sizeOf('PROVE_EVENTS', 1_000)
const WRITERS = 16
const READERS_EACH = 2
/** Every writer and reader has its own random generator, seeded upwards from these. */
const SEEDS = { writers: 0, readers: 1_000 }

vi.setConfig({ testTimeout: EVENTS > 1_000 ? 3_600_000 : 120_000 })

let service: TestApp
let second: FastifyInstance
let operator: string
const organizations: Organization[] = []

beforeAll(async () => {
  service = await startTestApp({
    env: { DATABASE_POOL_SIZE: '40' },
    streams: { lifetimeMs: 600_000, perAccount: 100 },
  })
  // Another hub on the same database, as in another process.
  second = await buildApp(service.ctx)
  for (let n = 0; n < 4; n += 1) organizations.push(await createOrganization(service))
  operator = await service.operatorToken()
})
afterAll(async () => {
  await second.close()
  await service.stop()
})

type Follower = { path: string; token: string; organizationId: string | null }

const followers = (): Follower[] => [
  ...organizations.map(({ id, path, owner }) => ({
    path: `${path}/live/stream`,
    token: owner.token,
    organizationId: id,
  })),
  { path: '/v1/admin/live/stream', token: operator, organizationId: null },
]

const beginningOf = async ({ path, token }: Follower): Promise<string> => {
  const client = await openedLive(service, path, { token })
  client.close()
  return client.lastId
}

const listEvents = () =>
  service.database.asOwner<{ id: string; organization_id: string }>(
    'select id, organization_id from live_events order by transaction_id, seq',
  )

function compare(reader: Reader, all: { id: string; organization_id: string }[]) {
  const { organizationId, received } = reader
  const expected = all
    .filter((event) => organizationId === null || event.organization_id === organizationId)
    .map(({ id }) => id)
  const ids = received.map(({ data }) => String(data.id))
  const placeOf = new Map(expected.map((id, place) => [id, place]))
  const seen = new Set(ids)
  const places = ids.map((id) => placeOf.get(id) ?? -1)
  return {
    missed: expected.filter((id) => !seen.has(id)).length,
    twice: ids.length - seen.size,
    outOfOrder: places.filter((place, n) => n > 0 && place <= (places[n - 1] ?? -1)).length,
    foreign: ids.filter((id) => !placeOf.has(id)).length,
    resets: received.filter(({ event }) => event === 'stream.reset').length,
  }
}

function sumOf(verdicts: readonly ReturnType<typeof compare>[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const verdict of verdicts) {
    for (const [name, count] of Object.entries(verdict)) sums[name] = (sums[name] ?? 0) + count
  }
  return sums
}

test(`${EVENTS} events reach every reader once and in order`, async () => {
  const begun = performance.now()
  const books: Books = { committed: [], transactions: 0, rolledBack: 0, unknown: 0 }
  const beginnings = await Promise.all(followers().map(beginningOf))
  let totals: Map<string | null, number> | undefined

  const reading = followers().flatMap((follower, n) =>
    Array.from({ length: READERS_EACH }, (_, k) =>
      read(
        {
          ...follower,
          apps: [service.app, second],
          random: createRandom(SEEDS.readers + n * 10 + k),
          isDone: (count) => count >= (totals?.get(follower.organizationId) ?? Infinity),
        },
        beginnings[n] ?? '',
      ),
    ),
  )
  await Promise.all(
    Array.from({ length: WRITERS }, (_, n) =>
      write(service, {
        organizations,
        random: createRandom(SEEDS.writers + n),
        books,
        count: EVENTS,
      }),
    ),
  )
  const all = await listEvents()
  const counts = Map.groupBy(all, ({ organization_id }) => organization_id)
  totals = new Map<string | null, number>([[null, all.length]])
  for (const [organizationId, own] of counts) totals.set(organizationId, own.length)
  const readers = await Promise.all(reading)

  const kept = new Set(all.map(({ id }) => id))
  const verdicts = readers.map((reader) => compare(reader, all))
  const commitPlace = new Map(books.committed.map((id, place) => [id, place]))
  const order = all.flatMap(({ id }) => commitPlace.get(id) ?? [])
  const late = order.filter((place, n) => n > 0 && place < (order[n - 1] ?? 0)).length
  const connections = readers.reduce((sum, reader) => sum + reader.connections, 0)
  const { transactions, rolledBack, unknown } = books
  const refused = readers.reduce((sum, reader) => sum + reader.refused, 0)
  const received = readers.reduce((sum, reader) => sum + reader.received.length, 0)
  const seconds = Math.round((performance.now() - begun) / 1000)
  const figures = { events: all.length, transactions, rolledBack, unknown, committedLate: late }
  const reached = { readers: readers.length, connections, refused, received, seconds }
  const seed = `writers from ${SEEDS.writers}, readers from ${SEEDS.readers}`
  reportFigures({ seed, ...figures, ...reached, ...sumOf(verdicts) })

  expect(books.committed.filter((id) => !kept.has(id))).toEqual([])
  if (unknown === 0) expect(kept.size).toBe(books.committed.length)
  const clean = { missed: 0, twice: 0, outOfOrder: 0, foreign: 0, resets: 0 }
  expect(verdicts).toEqual(verdicts.map(() => clean))
  // Without late commits and reconnections the test would show nothing.
  expect(late).toBeGreaterThan(EVENTS / 100)
  expect(connections).toBeGreaterThan(readers.length * 5)
})
