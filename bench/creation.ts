/**
 * Creating expenses through the whole HTTP stack, beside pg and beside pgbench, which run the very
 * statements that the service sends for it: the guard's and the command's, in the same scope and
 * under the same row-level security. Several organizations, in turns.
 */
import { once } from 'node:events'
import { type Cost, costText, cpuPer } from './cpu.ts'
import {
  acceptOldDigests,
  CONNECTIONS,
  makeTenants,
  OPTIONS,
  ORGANIZATIONS,
  preparePgbench,
  ROUND_SECONDS,
  ROUNDS,
  recordCreations,
  requestOf,
  type Tenant,
} from './creation-stage.ts'
import { type Figure, handOver } from './figures.ts'
import { putLoad, requestBytes } from './http-load.ts'
import { ask, launch } from './live-wire.ts'
import { oneByOne, type RoundTrip, type Statement } from './recording.ts'
import { type Ground, prepareGround, startService } from './service-stage.ts'
import { type Contestants, inTurns, rounded } from './turns.ts'

const ROUND_MS = ROUND_SECONDS * 1_000
const RATIO_MIN = 0.7
const PGBENCH_RATIO_MIN = 0.4

const sendable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sendable)
  if (value instanceof Date) return { date: value.toISOString() }
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('hex') }
  return typeof value === 'bigint' ? value.toString() : value
}

async function startBarePg(ground: Ground, scripts: readonly Statement[][], known: string[]) {
  const child = launch('bare-pg')
  await once(child, 'message')
  const sent = scripts.map((script) =>
    script.map(({ text, values }) => ({ text, values: values.map(sendable) })),
  )
  const { url } = ground
  const told = { url, options: OPTIONS, connections: CONNECTIONS, scripts: sent, known }
  await ask(child, { asked: 0, told })
  return child
}

async function measureCreation({ durable }: { durable: boolean }): Promise<Figure[]> {
  const ground = await prepareGround({ durable })
  const tenants = await makeTenants(ground)
  const trips = await recordCreations(ground, tenants)
  await acceptOldDigests(ground)
  const scripts = trips.map(oneByOne)
  const known = tenants.flatMap(({ data }) => Object.values(data))
  const profile = process.env.CREATION_PROFILE ? ['--cpu-prof', '--cpu-prof-dir=bench/results'] : []
  const service = await startService(ground, profile)
  const bare = await startBarePg(ground, scripts, known)
  const pgbench = await preparePgbench(ground, scripts, known)
  try {
    const throughHttp = () =>
      putLoad({
        port: service.port,
        connections: CONNECTIONS,
        request: (n) => requestBytes(requestOf(tenants[n % ORGANIZATIONS] as Tenant)),
        status: 201,
        ms: ROUND_MS,
      })
    const throughPg = async () => {
      const question = { asked: 0, ms: ROUND_MS }
      return (await ask<{ perSecond: number }>(bare, question)).perSecond
    }
    const contestants: Contestants<string> = {
      service: async () => (await throughHttp()).perSecond,
      pg: throughPg,
    }
    if (pgbench) contestants.pgbench = () => pgbench.perSecond()
    const { values, ratios } = await inTurns(contestants, ROUNDS)
    const database = ground.postgresPid
    const cpuMicroseconds = {
      service: await cpuPer({ server: service.child.pid, database }, async () => {
        return (await throughHttp()).answered
      }),
      pg: await cpuPer({ server: bare.pid, database }, async () => {
        return (await throughPg()) * ROUND_SECONDS
      }),
    }
    const seen = { durable, trips: trips[0] ?? [], values, ratios, cpu: cpuMicroseconds }
    return figuresOf({ ...seen, pgbenchVersion: pgbench?.version ?? '' })
  } finally {
    bare.disconnect()
    await service.stop()
    await pgbench?.stop()
    await ground.stop()
  }
}

type Seen = {
  durable: boolean
  trips: RoundTrip[]
  values: Record<string, number>
  ratios: Record<string, number>
  cpu: { service: Cost; pg: Cost }
  pgbenchVersion: string
}

function figuresOf({ durable, trips, values, ratios, cpu, pgbenchVersion }: Seen): Figure[] {
  const how = durable ? 'every commit on the disk' : 'no waiting for the disk'
  const aSecond = (name: string) => rounded(values[name] ?? Number.NaN, 0)
  const besidePg: Figure = {
    what: `creation, ${how}`,
    value: rounded(ratios.pg ?? Number.NaN),
    unit: '',
    beside: 'pg, the same statements one after the other, without HTTP',
    target: { atLeast: RATIO_MIN },
    more: {
      'creations a second': aSecond('service'),
      'pg, a second': aSecond('pg'),
      'CPU µs, server + database': costText(cpu.service),
      'pg, CPU µs': costText(cpu.pg),
      'round trips': trips.length,
      statements: trips.flat().length,
      connections: CONNECTIONS,
      organizations: ORGANIZATIONS,
    },
  }
  const what = `creation, ${how}, beside the database’s own limit`
  if (ratios.pgbench === undefined) {
    return [besidePg, { what, value: 0, unit: '', beside: 'pgbench: not on this machine' }]
  }
  const besidePgbench: Figure = {
    what,
    value: rounded(ratios.pgbench),
    unit: '',
    beside: `${pgbenchVersion}: the same statements, prepared, one after the other`,
    target: { atLeast: PGBENCH_RATIO_MIN },
    more: {
      'pgbench, a second': aSecond('pgbench'),
      'pg to pgbench': rounded((values.pg ?? 0) / (values.pgbench ?? 0)),
    },
  }
  return [besidePg, besidePgbench]
}

const figures = await measureCreation({ durable: false })
if (process.env.CREATION_DURABLE !== 'false') {
  figures.push(...(await measureCreation({ durable: true })))
}
await handOver(figures)
