/**
 * 2,000 open streams on one process: memory for each and the time from commit to client, beside a
 * bare Node server that fans out the same events to as many. Then 200 readers that take one byte a
 * second: they are cut off, and the others must not notice. Run with `npm run bench:live`.
 */
import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import type { Arrivals, OpenRequest } from './live-clients.ts'
import { type Publisher, prepareBare, prepareService, type Stage } from './live-stage.ts'
import { ask, launch, portOf, type Usage } from './live-wire.ts'

const STREAMS = Number(process.env.BENCH_STREAMS ?? 2_000)
const TOPICS = 100
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10)
const EVENTS_A_SECOND = 50
const PAUSE_MS = 1_000 / EVENTS_A_SECOND
const ROUNDS = 40
const SLOW = 200
const KIB = 1_024
const kibAStream = (bytes: number): number => bytes / KIB / STREAMS

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6
const percentile = (sorted: number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

const say = (line: string) => process.stdout.write(`${line}\n`)
const usageOf = (child: ChildProcess) => ask<Usage>(child, { usage: true, tidy: true })
const glanceAt = (child: ChildProcess) => ask<Usage>(child, { usage: true })

const streamsOf = ({ streams }: Stage, count: number): OpenRequest['streams'] =>
  Array.from({ length: count }, (_, n) => streams[n % streams.length] as OpenRequest['streams'][0])

async function arrived(clients: ChildProcess, count: number): Promise<void> {
  const deadline = performance.now() + 60_000
  for (;;) {
    const state = await ask<{ count: number }>(clients, { count: true })
    if (state.count >= count) return
    if (performance.now() > deadline) throw new Error(`${state.count} of ${count} arrived`)
    await wait(2)
  }
}

type Delays = { p50: number; p99: number; worst: number; missed: number }

/** One event at a time, at a steady pace, each to the streams of one topic. */
async function measureDelays(clients: ChildProcess, publish: Publisher, each: number) {
  await ask(clients, { take: true })
  const sentAt = new Map<number, number>()
  const count = SECONDS * EVENTS_A_SECOND
  const begun = nowMs()
  for (let n = 0; n < count; n += 1) {
    await wait(Math.max(0, begun + n * PAUSE_MS - nowMs()))
    sentAt.set(n, await publish([{ topic: n % TOPICS, number: n }]))
  }
  await arrived(clients, count * each)
  const { numbers, times } = await ask<Arrivals>(clients, { take: true })
  const delays = numbers
    .map((number, n) => (times[n] ?? 0) - (sentAt.get(number) ?? 0))
    .sort((a, b) => a - b)
  return {
    p50: percentile(delays, 0.5),
    p99: percentile(delays, 0.99),
    worst: delays.at(-1) ?? Number.NaN,
    missed: count * each - delays.length,
  }
}

/** Rounds of one event to every topic at once: each stream gets one a round. */
async function measureRate(clients: ChildProcess, server: ChildProcess, publish: Publisher) {
  const round = Array.from({ length: TOPICS }, (_, topic) => ({ topic, number: topic }))
  await ask(clients, { take: true })
  const before = await glanceAt(server)
  let spentMs = 0
  for (let n = 0; n < ROUNDS; n += 1) {
    const sentAt = await publish(round)
    await arrived(clients, STREAMS)
    const { times } = await ask<Arrivals>(clients, { take: true })
    spentMs += times.reduce((latest, time) => Math.max(latest, time), 0) - sentAt
  }
  const after = await glanceAt(server)
  const deliveries = ROUNDS * STREAMS
  const spentSeconds = spentMs / 1_000
  const spentMicroseconds = after.cpuMicroseconds - before.cpuMicroseconds
  return {
    deliveriesASecond: deliveries / spentSeconds,
    cpuMicroseconds: spentMicroseconds / deliveries,
  }
}

type Figures = {
  rssKib: number
  heapKib: number
  delays: Delays
  deliveriesASecond: number
  cpuMicroseconds: number
}

async function measure(name: string, stage: Stage): Promise<Figures> {
  const { server, port, publish } = stage
  const clients = launch('live-clients')
  await portOf(clients)
  // Code is compiled and pools are filled before memory is compared.
  await ask(clients, { open: { port, streams: streamsOf(stage, 300) } })
  await publish([{ topic: 0, number: 0 }])
  await ask(clients, { closeAll: true })
  await wait(1_000)
  const empty = await usageOf(server)
  await ask(clients, { open: { port, streams: streamsOf(stage, STREAMS) } })
  const full = await usageOf(server)
  const delays = await measureDelays(clients, publish, STREAMS / TOPICS)
  const rate = await measureRate(clients, server, publish)
  const figures = {
    rssKib: kibAStream(full.rssBytes - empty.rssBytes),
    heapKib: kibAStream(full.heapBytes - empty.heapBytes),
    delays,
    ...rate,
  }
  say(`${name}: ${JSON.stringify(figures, (_key, value) => round(value))}`)
  if (name === 'service') await measureSlowReaders(stage, clients)
  clients.kill()
  return figures
}

const round = (value: unknown) => (typeof value === 'number' ? Number(value.toFixed(1)) : value)

/** They follow a topic of their own, which says much; the others go on as before. */
async function measureSlowReaders({ port, publish, server, quiet }: Stage, clients: ChildProcess) {
  const slowClients = launch('live-clients')
  await portOf(slowClients)
  const streams = Array.from({ length: SLOW }, () => quiet)
  await ask(slowClients, { open: { port, streams, isSlow: true } })
  const before = await usageOf(server)
  let peakRss = 0
  let isOver = false
  const flood = async () => {
    while (!isOver) {
      const burst = Array.from({ length: 40 }, () => ({ topic: TOPICS, number: 0, size: 8_000 }))
      await publish(burst)
      await wait(20)
      const usage = await glanceAt(server)
      peakRss = Math.max(peakRss, usage.rssBytes)
      if (usage.cut - before.cut >= SLOW) return
    }
  }
  const flooding = flood()
  const delays = await measureDelays(clients, publish, STREAMS / TOPICS)
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    if ((await glanceAt(server)).cut - before.cut >= SLOW) break
    await wait(500)
  }
  isOver = true
  await flooding
  const cut = (await usageOf(server)).cut - before.cut
  const { closed } = await ask<{ closed: number }>(clients, { count: true })
  const grownBytes = peakRss - before.rssBytes
  const memory = grownBytes / KIB / KIB
  say(`slow readers: ${cut} of ${SLOW} cut off, ${memory.toFixed(0)} MiB more at the most`)
  say(`the others meanwhile: ${JSON.stringify(delays, (_key, value) => round(value))}`)
  say(`victims among them: ${closed}`)
  slowClients.kill()
}

async function main(): Promise<void> {
  const bare = await prepareBare(TOPICS)
  const bareFigures = await measure('bare Node', bare).finally(() => bare.stop())
  const service = await prepareService(TOPICS, STREAMS)
  const own = await measure('service', service).finally(() => service.stop())
  const share = (mine: number, bare: number) => (mine / bare).toFixed(2)
  say(
    `fan-out rate, service to bare: ${share(own.deliveriesASecond, bareFigures.deliveriesASecond)}`,
  )
  say(`CPU a delivery, service to bare: ${share(own.cpuMicroseconds, bareFigures.cpuMicroseconds)}`)
  say(`memory a stream, service to bare: ${share(own.rssKib, bareFigures.rssKib)}`)
  say(`delay p50, service to bare: ${share(own.delays.p50, bareFigures.delays.p50)}`)
  say(`delay p99, service to bare: ${share(own.delays.p99, bareFigures.delays.p99)}`)
  if (own.delays.missed > 0) process.exitCode = 1
}

await main()
