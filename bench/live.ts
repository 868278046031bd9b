/**
 * 2,000 open streams on one process: memory for each and the time from commit to client, beside a
 * bare Node server that fans out the same events to as many. Then 200 readers that take one byte a
 * second: they are cut off, and the others must not notice.
 */
import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { type Figure, handOver } from './figures.ts'
import type { Arrivals, OpenRequest } from './live-clients.ts'
import { type Publisher, prepareBare, prepareService, type Stage } from './live-stage.ts'
import { ask, launch, portOf, type Usage } from './live-wire.ts'
import { rounded, say } from './turns.ts'

const STREAMS = Number(process.env.BENCH_STREAMS ?? 2_000)
const TOPICS = 100
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10)
const EVENTS_A_SECOND = 50
const PAUSE_MS = 1_000 / EVENTS_A_SECOND
const BURSTS = 7
const EVENTS_A_STREAM = 20
const SLOW = 200
const KIB = 1_024
const kibAStream = (bytes: number): number => bytes / KIB / STREAMS

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6
const percentile = (sorted: number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

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

type Figures = {
  rssKib: number
  heapKib: number
  delays: Delays
  deliveriesASecond: number
  cpuMicroseconds: number
}

/** One event at a time, at a steady pace, each to the streams of one topic. */
async function measureDelays(
  clients: ChildProcess,
  publish: Publisher,
  each: number,
): Promise<Delays> {
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

type Contestant = { name: string; stage: Stage; clients: ChildProcess; usedKib: Usage }

/** As fast as it goes, in turns: what else the machine does weighs on both; medians. */
async function measureRates(contestants: Contestant[]) {
  const wanted = Array.from({ length: TOPICS }, (_, topic) => ({ topic, number: topic }))
  const deliveries = STREAMS * EVENTS_A_STREAM
  const spent = contestants.map((): { ms: number[]; microseconds: number[] } => ({
    ms: [],
    microseconds: [],
  }))
  for (let n = 0; n < BURSTS; n += 1) {
    for (const [index, { stage, clients }] of contestants.entries()) {
      await ask(clients, { take: true })
      const before = await glanceAt(stage.server)
      const sentAt = await stage.publish(wanted)
      for (let more = 1; more < EVENTS_A_STREAM; more += 1) await stage.publish(wanted)
      await arrived(clients, deliveries)
      const { times } = await ask<Arrivals>(clients, { take: true })
      const after = await glanceAt(stage.server)
      spent[index]?.ms.push(times.reduce((latest, time) => Math.max(latest, time), 0) - sentAt)
      spent[index]?.microseconds.push(after.cpuMicroseconds - before.cpuMicroseconds)
    }
  }
  const median = (values: number[] = []) =>
    percentile(
      values.sort((a, b) => a - b),
      0.5,
    )
  return spent.map(({ ms, microseconds }) => {
    const seconds = median(ms) / 1_000
    return {
      deliveriesASecond: deliveries / seconds,
      cpuMicroseconds: median(microseconds) / deliveries,
    }
  })
}

/** Opens all streams and says what they have cost in memory. */
async function enter(name: string, stage: Stage): Promise<Contestant> {
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
  const usedKib = {
    ...full,
    rssBytes: kibAStream(full.rssBytes - empty.rssBytes),
    heapBytes: kibAStream(full.heapBytes - empty.heapBytes),
  }
  return { name, stage, clients, usedKib }
}

const round = (value: unknown) => (typeof value === 'number' ? Number(value.toFixed(1)) : value)

/** They follow a topic of their own, which says much; the others go on as before. */
async function measureSlowReaders(
  { port, publish, server, quiet }: Stage,
  clients: ChildProcess,
): Promise<Figure> {
  const slowClients = launch('live-clients')
  await portOf(slowClients)
  const streams = Array.from({ length: SLOW }, () => quiet)
  await ask(slowClients, { open: { port, streams, isSlow: true } })
  const before = await usageOf(server)
  let peakRss = 0
  let isOver = false
  const flood = async () => {
    while (!isOver) {
      const burst = Array.from({ length: 10 }, () => ({ topic: TOPICS, number: 0, size: 8_000 }))
      await publish(burst)
      await wait(200)
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
  slowClients.kill()
  return {
    what: `delay p99 of ${STREAMS} streams beside ${SLOW} slow readers`,
    value: rounded(delays.p99, 1),
    unit: 'ms',
    more: {
      'delay p50 ms': rounded(delays.p50, 1),
      missed: delays.missed,
      'other streams cut off': closed,
      'slow readers cut off': cut,
      'RSS growth at the most, MiB': rounded((peakRss - before.rssBytes) / KIB / KIB, 0),
    },
  }
}

async function main(): Promise<void> {
  const stages = [await prepareBare(TOPICS), await prepareService(TOPICS, STREAMS)]
  const names = ['bare Node', 'service']
  try {
    const contestants: Contestant[] = []
    for (const [n, stage] of stages.entries()) contestants.push(await enter(names[n] ?? '', stage))
    const rates = await measureRates(contestants)
    const figures: Figures[] = []
    for (const [n, { name, stage, clients, usedKib }] of contestants.entries()) {
      const delays = await measureDelays(clients, stage.publish, STREAMS / TOPICS)
      const rate = rates[n] ?? { deliveriesASecond: 0, cpuMicroseconds: 0 }
      const memory = { rssKib: usedKib.rssBytes, heapKib: usedKib.heapBytes }
      figures.push({ ...memory, delays, ...rate })
      say(`${name}: ${JSON.stringify(figures[n], (_key, value) => round(value))}`)
    }
    const service = contestants[1]
    const beside = service && (await measureSlowReaders(service.stage, service.clients))
    await handOver([...figuresOf(figures), ...(beside ? [beside] : [])])
    for (const { clients } of contestants) clients.kill()
    if (figures.some(({ delays }) => delays.missed > 0)) process.exitCode = 1
  } finally {
    for (const stage of stages) await stage.stop()
  }
}

function figuresOf([bare, service]: Figures[]): Figure[] {
  if (!bare || !service) return []
  const streams = `${STREAMS} streams`
  return [
    {
      what: `fan-out to ${streams}`,
      value: rounded(service.deliveriesASecond / bare.deliveriesASecond),
      unit: '',
      beside: 'a bare Node server of the same streams',
      target: { atLeast: 0.8 },
      more: {
        'deliveries a second': Math.round(service.deliveriesASecond),
        'bare, a second': Math.round(bare.deliveriesASecond),
        'CPU µs a delivery': rounded(service.cpuMicroseconds, 1),
        'bare, CPU µs': rounded(bare.cpuMicroseconds, 1),
        'delay p50 ms': rounded(service.delays.p50, 1),
        'bare, p50 ms': rounded(bare.delays.p50, 1),
        'delay p99 ms': rounded(service.delays.p99, 1),
        'bare, p99 ms': rounded(bare.delays.p99, 1),
        missed: service.delays.missed,
      },
    },
    {
      what: `memory of a stream, of ${streams}`,
      value: rounded(service.rssKib, 1),
      unit: 'KiB',
      target: { atMost: 25 },
      more: {
        'heap, KiB': rounded(service.heapKib, 1),
        'bare, KiB': rounded(bare.rssKib, 1),
        'bare, heap, KiB': rounded(bare.heapKib, 1),
      },
    },
  ]
}

await main()
