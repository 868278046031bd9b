/** One API and one worker process under mixed load: latency, and whether anything grows. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createRandom } from '#test/fuzz/random.ts'
import { startTestChain } from '#test/support/chain.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { isProof, reportFigures, sizeOf } from '#test/support/figures.ts'
import { openLiveAt } from '#test/support/live.ts'
import {
  openPayingHouse,
  type PayingHouse,
  submitAutomatic,
  untilState,
} from '#test/support/payments.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { canLook, connectionsTo, footprintOf, heapInUseMib, heapOptions } from './footprint.ts'
import { mixedLoad } from './mixed-load.ts'
import { cleanUp, onCleanUp } from './processes.ts'

const SEED = sizeOf('PROVE_SEED', 20_261_117)
const ORGANIZATIONS = sizeOf('PROVE_ORGANIZATIONS', 5)
const RATE = sizeOf('PROVE_RATE', 40)
const SECONDS = sizeOf('PROVE_SECONDS', 1)
const SOAK_RATE = sizeOf('PROVE_SOAK_RATE', 30)
const SOAK_SECONDS = sizeOf('PROVE_SOAK_SECONDS', 1)
const IS_SOAK = isProof('PROVE_SOAK_SECONDS')
const PAYMENTS_A_MINUTE = IS_SOAK ? 5 : 20
const SAMPLE_EVERY_MS = IS_SOAK ? 1_000 : 250
/** A pool reaches its full size only later, and then keeps a connection more or less. */
const MORE_MAX = IS_SOAK ? 2 : 20
const HEAP_MORE_MAX_MIB = 2

vi.setConfig({ testTimeout: 120_000 + 3_000 * (SECONDS + SOAK_SECONDS), hookTimeout: 300_000 })

let cluster: Cluster
let houses: ExpenseHouse[]
let payer: PayingHouse

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-heap-'))
  onCleanUp(() => rm(folder, { recursive: true, force: true }))
  const chain = await startTestChain()
  onCleanUp(() => chain.stop())
  const env = {
    RPC_URLS: chain.rpcUrl,
    TOKEN_ADDRESS: chain.tokenAddress,
    FOLLOW_EVERY_MS: '100',
    ...(IS_SOAK ? heapOptions(folder) : {}),
  }
  cluster = await startCluster({ apis: 1, workers: 1, env })
  houses = []
  for (let n = 0; n < ORGANIZATIONS; n += 1) houses.push(await openExpenseHouse(cluster.service))
  const treasury = { service: cluster.service, chain, stop: async () => {} }
  payer = await openPayingHouse(treasury)
})
afterAll(cleanUp)

const load = (random: ReturnType<typeof createRandom>, rate: number, seconds: number) =>
  mixedLoad({ url: cluster.urls[0] ?? '', houses, random, rate, seconds })

test(`mixed requests, ${RATE} a second for ${SECONDS} s, keep to the contract`, async () => {
  const random = createRandom(SEED)
  // Warms up code and query plans before anything is timed.
  await load(random, RATE / 2, Math.min(2, SECONDS / 2))
  const { contractProblems, ...figures } = await load(random, RATE, SECONDS)
  reportFigures({ seed: SEED, ...figures, contractProblems: contractProblems.length })
  expect(contractProblems).toEqual([])
  expect(figures.serverErrors).toBe(0)
  expect(Object.keys(figures.statuses).toSorted()).toEqual(['200', '201'])
})

/** Repeatedly opens a stream, reads a while and leaves. */
async function comeAndGo(isOver: () => boolean): Promise<number> {
  const random = createRandom(SEED + 1)
  let streams = 0
  while (!isOver()) {
    const { organization } = random.pick(houses)
    const url = `${cluster.urls[0]}${organization.path}/live/stream`
    const client = await openLiveAt(url, { token: organization.owner.token })
    streams += 1
    await wait(random.integer(50, 500))
    client.close()
  }
  return streams
}

/** All amounts differ: equal ones would look like duplicates. */
let nextAmount = 100_000

/** Pays at the given rate, each to its end. */
async function payOnAndOn(isOver: () => boolean): Promise<number> {
  let payments = 0
  while (!isOver()) {
    const next = performance.now() + 60_000 / PAYMENTS_A_MINUTE
    payments += 1
    nextAmount += 1
    const { id } = await submitAutomatic(payer, { amountBaseUnits: String(nextAmount) })
    await untilState(payer, id, 'paid')
    while (!isOver() && performance.now() < next) await wait(50)
  }
  return payments
}

const pids = () => ({
  api: cluster.apis[0]?.current().pid ?? 0,
  worker: cluster.workers[0]?.current().pid ?? 0,
})

type Peaks = { api: number; worker: number }

async function peaksUntil(isOver: () => boolean): Promise<Peaks> {
  const peaks = { api: 0, worker: 0 }
  const { api, worker } = pids()
  while (canLook && !isOver()) {
    peaks.api = Math.max(peaks.api, (await footprintOf(api)).rssMib)
    peaks.worker = Math.max(peaks.worker, (await footprintOf(worker)).rssMib)
    await wait(SAMPLE_EVERY_MS)
  }
  return peaks
}

/** At rest: the fewest files and connections over a while, and the heap in use. */
async function atRest() {
  const { api, worker } = pids()
  const port = Number(new URL(cluster.service.database.url).port)
  const least = { api: Infinity, worker: Infinity, connections: Infinity }
  for (let n = 0; canLook && n < (IS_SOAK ? 150 : 5); n += 1) {
    least.api = Math.min(least.api, (await footprintOf(api)).files)
    least.worker = Math.min(least.worker, (await footprintOf(worker)).files)
    const open = await Promise.all([connectionsTo(port, api), connectionsTo(port, worker)])
    least.connections = Math.min(least.connections, open[0] + open[1])
    await wait(200)
  }
  const heapMib = (pid: number) => (IS_SOAK ? heapInUseMib(folder, pid) : Number.NaN)
  return {
    connections: least.connections,
    api: { files: least.api, heapMib: await heapMib(api) },
    worker: { files: least.worker, heapMib: await heapMib(worker) },
  }
}

/** Runs everything that the soak consists of for a while. */
async function soak(random: ReturnType<typeof createRandom>, rate: number, seconds: number) {
  let isDone = false
  const isOver = () => isDone
  const others = [comeAndGo(isOver), payOnAndOn(isOver), peaksUntil(isOver)] as const
  const figures = await load(random, rate, seconds).finally(() => {
    isDone = true
  })
  const [streams, payments, peaks] = await Promise.all(others)
  return { ...figures, streams, payments, peaks }
}

test(`a soak of ${SOAK_SECONDS} s leaves memory, files and connections as they were`, async () => {
  const random = createRandom(SEED + 2)
  // Opens what is created on first use and kept, before measuring.
  await soak(random, 2 * SOAK_RATE, Math.min(60, SOAK_SECONDS))
  const before = await atRest()
  const begun = performance.now()
  const { contractProblems, peaks, ...figures } = await soak(random, SOAK_RATE, SOAK_SECONDS)
  const seconds = Math.round((performance.now() - begun) / 1_000)
  const after = await atRest()
  const part = (of: 'api' | 'worker') => ({
    heapMib: Number(after[of].heapMib.toFixed(1)),
    heapMore: Number((after[of].heapMib - before[of].heapMib).toFixed(1)),
    filesMore: after[of].files - before[of].files,
    rssMax: Math.round(peaks[of]),
  })
  const found = { api: part('api'), worker: part('worker') }
  const connectionsMore = after.connections - before.connections
  reportFigures({ seed: SEED, ...figures, seconds, connectionsMore, ...found })
  expect(contractProblems).toEqual([])
  expect(figures.serverErrors).toBe(0)
  expect(figures.payments).toBeGreaterThan(0)
  if (!canLook) return
  expect(after.connections).toBeGreaterThan(0)
  expect(connectionsMore).toBeLessThanOrEqual(MORE_MAX)
  expect(found.api.filesMore).toBeLessThanOrEqual(MORE_MAX)
  expect(found.worker.filesMore).toBeLessThanOrEqual(MORE_MAX)
  if (!IS_SOAK) return
  expect(found.api.heapMore).toBeLessThanOrEqual(HEAP_MORE_MAX_MIB)
  expect(found.worker.heapMore).toBeLessThanOrEqual(HEAP_MORE_MAX_MIB)
})
