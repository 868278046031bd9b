/** One API process with many streams and pollers: each gets its own events, whoever is slow. */
import { Agent, get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Cluster, startCluster } from '#test/processes/cluster.ts'
import { canLook, footprintOf, serverCpuSeconds, serverOf } from '#test/processes/footprint.ts'
import { cleanUp } from '#test/processes/processes.ts'
import { createOrganization, joinOrganization, type Organization } from '#test/support/app.ts'
import { contractProblem } from '#test/support/contract.ts'
import { percentile, reportFigures, sizeOf } from '#test/support/figures.ts'
import { insertEvent, openLiveAt, writeEvents } from '#test/support/live.ts'
import { membershipOf, revokeMember, times } from '#test/support/steps.ts'
import { type Crowd, gatherCrowd, type Wanted } from './stream-crowd.ts'

const TOPICS = sizeOf('PROVE_TOPICS', 4)
const STREAMS = sizeOf('PROVE_STREAMS', 80)
const SECONDS = sizeOf('PROVE_SECONDS', 2)
const SLOW = sizeOf('PROVE_SLOW', 8)
const CLIENTS = sizeOf('PROVE_CLIENTS', 20)
const POLL_SECONDS = sizeOf('PROVE_POLL_SECONDS', 3)
const EVENTS_A_SECOND = 50
/** The server ends a stream after this long. */
const LIFETIME_SECONDS = 600
const POLL_EVERY_MS = CLIENTS > 20 ? 15_000 : 1_000
const MIB = 1_024

vi.setConfig({ testTimeout: 180_000 + 2_000 * (SECONDS + POLL_SECONDS), hookTimeout: 180_000 })

let cluster: Cluster
let organizations: Organization[]
/** A topic followed by the slow readers only. */
let noisy: Organization

beforeAll(async () => {
  cluster = await startCluster({ apis: 1, workers: 0 })
  organizations = []
  for (let n = 0; n < TOPICS; n += 1) organizations.push(await createOrganization(cluster.service))
  noisy = await createOrganization(cluster.service)
})
afterAll(cleanUp)

const streamOf = ({ path, owner }: Organization, topic: number): Wanted => ({
  url: `${cluster.urls[0]}${path}/live/stream`,
  token: owner.token,
  topic,
})

const wanted = (count: number): Wanted[] =>
  times(count, (n) => streamOf(organizations[n % TOPICS] as Organization, n % TOPICS))

const rssKib = async (): Promise<number> =>
  canLook ? (await footprintOf(cluster.apis[0]?.current().pid ?? 0)).rssMib * MIB : Number.NaN

/**
 * Writes events numbered from `first` to one organization each, at the given rate; returns the
 * count.
 */
async function publish(crowd: Crowd, first: number, seconds: number): Promise<number> {
  const { service } = cluster
  const total = seconds * EVENTS_A_SECOND
  const begun = performance.now()
  for (let n = 0; n < total; n += 1) {
    const early = begun + (n * 1_000) / EVENTS_A_SECOND - performance.now()
    if (early > 1) await wait(early)
    const number = first + n
    const { id } = organizations[number % TOPICS] as Organization
    await service.ctx.db.transaction({ organizationId: id }, async (tx) => {
      await insertEvent(tx, service, id, { aggregateId: String(number) })
      crowd.sent(number)
    })
  }
  return total
}

/** Every stream of a topic receives each of its events. */
const expectedOf = (events: number): number => (events * STREAMS) / TOPICS

const untilDelivered = (crowd: Crowd, count: number) =>
  vi.waitFor(() => expect(crowd.deliveries).toBeGreaterThanOrEqual(count), 60_000)

test(`each stream of ${STREAMS} gets its own events, in order, and no other`, async () => {
  const before = gatherCrowd(TOPICS)
  await before.open(wanted(Math.ceil(STREAMS / 5)))
  await before.close()
  await wait(200)
  const empty = await rssKib()
  const crowd = gatherCrowd(TOPICS)
  await crowd.open(wanted(STREAMS))
  const full: number[] = []
  let events = 0
  for (let second = 0; second < SECONDS; second += 1) {
    full.push(await rssKib())
    events += await publish(crowd, events, 1)
  }
  const missed = await untilDelivered(crowd, expectedOf(events)).then(
    () => 0,
    () => expectedOf(events) - crowd.deliveries,
  )
  const kibAStream = Number(((percentile(full, 0.5) - empty) / STREAMS).toFixed(1))
  const found = { streams: crowd.size, missed, ...crowd.figures() }
  reportFigures({ ...found, kibAStream })
  await crowd.close()
  const resumed = STREAMS * Math.floor(SECONDS / LIFETIME_SECONDS)
  expect(found).toMatchObject({ streams: STREAMS, missed: 0, outOfOrder: 0, foreign: 0, resumed })
  expect(found.deliveries).toBe(expectedOf(events))
})

test('the stream of somebody who is revoked ends within seconds', async () => {
  const { service, urls } = cluster
  const [organization] = organizations as [Organization]
  const person = await joinOrganization(service, organization, { role: 'employee' })
  const client = await openLiveAt(`${urls[0]}${organization.path}/live/stream`, person)
  expect(client.status).toBe(200)
  const { membershipId } = await membershipOf(service, organization, person)
  const begun = performance.now()
  expect((await revokeMember(service, organization, membershipId)).status).toBe(200)
  await client.ended()
  const streamEndsMax = Number(((performance.now() - begun) / 1_000).toFixed(1))
  reportFigures({ streamEndsMax })
  expect(streamEndsMax).toBeLessThan(15)
})

/** As the process itself counts them. */
async function cutOff(): Promise<number> {
  const said = /"url":"([^"]+)","msg":"metrics listening"/
  const [, url = ''] = (await cluster.apis[0]?.current().says(said)) ?? []
  const text = await (await fetch(new URL('/metrics', url))).text()
  return Number(
    /^countersign_live_streams_ended_total\{reason="slow"\} (\d+)/m.exec(text)?.[1] ?? 0,
  )
}

/** Writes large events to the slow readers until all of them are cut off. */
async function flood(isOver: () => boolean): Promise<number> {
  let peak = 0
  while (!isOver()) {
    await writeEvents(cluster.service, noisy.id, 10, 8_000)
    peak = Math.max(peak, await rssKib())
    await wait(100)
  }
  return peak
}

test(`${SLOW} slow readers are cut off, and the others notice nothing`, async () => {
  const crowd = gatherCrowd(TOPICS)
  await crowd.open(wanted(STREAMS))
  const sluggards = gatherCrowd(1)
  await sluggards.open(
    times(SLOW, () => streamOf(noisy, 0)),
    { slow: true },
  )
  const before = await rssKib()
  let isOver = false
  const flooding = flood(() => isOver)
  const first = 1_000_000 * TOPICS
  const events = await publish(crowd, first, Math.min(SECONDS, 30))
  await vi.waitFor(async () => expect(await cutOff()).toBe(SLOW), {
    timeout: 120_000,
    interval: 200,
  })
  isOver = true
  const grownMib = Math.round(((await flooding) - before) / MIB)
  await untilDelivered(crowd, expectedOf(events))
  const { resumed: victims, p99, ...rest } = crowd.figures()
  const missed = expectedOf(events) - rest.deliveries
  const slow = sluggards.size
  reportFigures({ slow, spared: slow - (await cutOff()), victims, missed, grownMib, p99 })
  await Promise.all([crowd.close(), sluggards.close()])
  expect({ victims, missed, ...rest }).toMatchObject({ victims: 0, missed: 0, outOfOrder: 0 })
})

type Snapshot = { ms: number; events: number; problem: string | undefined }

function readSnapshot(agent: Agent, { path, owner }: Organization): Promise<Snapshot> {
  const { promise, resolve, reject } = Promise.withResolvers<Snapshot>()
  const url = `${path}/live/snapshot`
  const begun = performance.now()
  const headers = { authorization: `Bearer ${owner.token}` }
  get(`${cluster.urls[0]}${url}`, { agent, headers }, async (response) => {
    const text = Buffer.concat(await response.toArray()).toString()
    const ms = performance.now() - begun
    const status = response.statusCode ?? 0
    const body = JSON.parse(text)
    const problem = status === 200 ? contractProblem('GET', url, { status, text, body }) : text
    resolve({ ms, events: body.events?.length ?? 0, problem })
  }).on('error', reject)
  return promise
}

test(`${CLIENTS} clients that poll the snapshot get it, whole and soon`, async () => {
  const { service } = cluster
  // More than a snapshot shows.
  for (const { id } of organizations) await writeEvents(service, id, 60)
  const [backend] = await service.ctx.db.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  const server = canLook ? await serverOf(backend?.pid ?? 0) : Number.NaN
  const cpu = () => (canLook ? serverCpuSeconds(server) : Promise.resolve(Number.NaN))
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  const [begun, cpuBefore] = [performance.now(), await cpu()]
  const snapshots: Snapshot[] = []
  const poll = async (n: number) => {
    await wait((n / CLIENTS) * POLL_EVERY_MS)
    while (performance.now() - begun < POLL_SECONDS * 1_000) {
      const next = performance.now() + POLL_EVERY_MS
      snapshots.push(await readSnapshot(agent, organizations[n % TOPICS] as Organization))
      await wait(Math.max(0, next - performance.now()))
    }
  }
  await Promise.all(times(CLIENTS, poll))
  const seconds = (performance.now() - begun) / 1_000
  const databaseCpuPercent = Math.round((100 * ((await cpu()) - cpuBefore)) / seconds)
  agent.destroy()
  const problems = snapshots.flatMap(({ problem }) => problem ?? [])
  const eventsMax = Math.max(...snapshots.map(({ events }) => events))
  const times99 = percentile(
    snapshots.map(({ ms }) => ms),
    0.99,
  )
  const counts = { snapshots: snapshots.length, contractProblems: problems.length, eventsMax }
  reportFigures({ ...counts, p99: times99, databaseCpuPercent })
  expect(problems).toEqual([])
  expect(eventsMax).toBe(50)
  if (canLook) expect(databaseCpuPercent).toBeGreaterThanOrEqual(0)
})
