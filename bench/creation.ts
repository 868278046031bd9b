/**
 * Creating expenses through the whole HTTP stack, beside pg and beside pgbench, which run the very
 * statements that the service sends for it: the guard's and the command's, in the same scope and
 * under the same row-level security. Several organizations, in turns.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { buildApp } from '#app.ts'
import { closeContext, compose } from '#compose.ts'
import { createIds } from '#platform/clock.ts'
import { readConfig } from '#platform/config.ts'
import { APP_ROLE } from '#platform/database.ts'
import { type Cost, costText, cpuPer } from './cpu.ts'
import { type Books, subjectOf, writeBooks } from './expense-books.ts'
import { type Figure, handOver } from './figures.ts'
import { putLoad, requestBytes } from './http-load.ts'
import { ask, launch } from './live-wire.ts'
import { oneByOne, type RoundTrip, record, type Statement } from './recording.ts'
import { pgbenchScript } from './same-statements.ts'
import { type Ground, ISSUER, prepareGround, startService } from './service-stage.ts'
import { type Contestants, inTurns, rounded } from './turns.ts'

const ORGANIZATIONS = 8
const CONNECTIONS = Number(process.env.CREATION_CONNECTIONS ?? 8)
const ROUNDS = Number(process.env.CREATION_ROUNDS ?? 7)
/** Whole ones: pgbench knows no others. */
const ROUND_SECONDS = Number(process.env.CREATION_ROUND_SECONDS ?? 5)
const ROUND_MS = ROUND_SECONDS * 1_000
const RATIO_MIN = 0.7
const PGBENCH_RATIO_MIN = 0.4
const OPTIONS = `-c search_path=countersign -c timezone=UTC -c role=${APP_ROLE}`

const ids = createIds()
const run = promisify(execFile)

type Tenant = { books: Books; token: string }

const requestOf = ({ books, token }: Tenant) => ({
  method: 'POST' as const,
  path: `/v1/consumer/organizations/${books.organizationId}/expenses`,
  headers: { authorization: `Bearer ${token}`, 'idempotency-key': ids.next() },
  body: JSON.stringify({
    vaultId: books.vaultId,
    recipientId: books.recipientId,
    purpose: 'Paper for the office, as agreed with the supplier in the spring',
    amountBaseUnits: '20000100',
    requestedMode: 'approved',
  }),
})

async function makeTenants(ground: Ground): Promise<Tenant[]> {
  const tenants: Tenant[] = []
  for (let n = 0; n < ORGANIZATIONS; n += 1) {
    const name = `creation-${n}`
    const books = await writeBooks(ground.pool, { name, expenses: 200, issuer: ISSUER })
    tenants.push({ books, token: await ground.tokenOf(subjectOf(name, 2)) })
  }
  await ground.pool.query('vacuum analyze')
  return tenants
}

async function recordCreations(ground: Ground, tenants: readonly Tenant[]) {
  const ctx = compose({ ...readConfig(ground.env), logLevel: 'silent' })
  const app = await buildApp(ctx)
  const trips: RoundTrip[][] = []
  for (const tenant of tenants) {
    const { method, path, headers, body } = requestOf(tenant)
    const typed = { ...headers, 'content-type': 'application/json' }
    trips.push(await record(app, { method, url: path, headers: typed, payload: body }, 201))
  }
  await app.close()
  await closeContext(ctx)
  return trips
}

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

/** Before it is measured: what is prepared and planned once a connection. */
const PGBENCH_WARM_UP_SECONDS = 2

/** Its progress, one line a second, without the first ones. */
const perSecondOf = (progress: string): number => {
  const seconds = [...progress.matchAll(/^progress: [\d.]+ s, ([\d.]+) tps/gm)]
  const counted = seconds.slice(PGBENCH_WARM_UP_SECONDS).map(([, tps]) => Number(tps))
  return counted.reduce((sum, tps) => sum + tps, 0) / counted.length
}

/** Undefined where there is no pgbench. */
async function preparePgbench(ground: Ground, scripts: readonly Statement[][], known: string[]) {
  const exists = await run('pgbench', ['--version']).catch(() => undefined)
  if (!exists) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'countersign-pgbench-'))
  const file = join(folder, 'creation.sql')
  const client = new pg.Client({ connectionString: ground.url, options: OPTIONS })
  await client.connect()
  await writeFile(file, await pgbenchScript(client, scripts, known))
  await client.end()
  const { hostname, port, username, password, pathname } = new URL(ground.url)
  const where = ['-h', hostname, '-p', port, '-U', username]
  const seconds = `${PGBENCH_WARM_UP_SECONDS + ROUND_SECONDS}`
  const how = ['-n', '-M', 'prepared', '-c', `${CONNECTIONS}`, '-T', seconds, '-P', '1']
  const env = { ...process.env, PGPASSWORD: password, PGOPTIONS: OPTIONS }
  return {
    version: exists.stdout.trim(),
    async perSecond() {
      const args = [...where, ...how, '-f', file, pathname.slice(1)]
      return perSecondOf((await run('pgbench', args, { env })).stderr)
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  }
}

async function measureCreation({ durable }: { durable: boolean }): Promise<Figure[]> {
  const ground = await prepareGround({ durable })
  const tenants = await makeTenants(ground)
  const trips = await recordCreations(ground, tenants)
  const scripts = trips.map(oneByOne)
  const known = tenants.flatMap(({ books }) => Object.values(books))
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
