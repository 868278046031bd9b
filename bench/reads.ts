/**
 * Authenticated reads over HTTP compared with three bare Fastify + pg servers, each in its own
 * process, over loopback, by the same client, alternately. One sends the service's statements one
 * after the other; one only that which reads the answer, past row-level security, for anybody; and
 * one answers with a single statement that also checks the caller (`one-statement.ts`).
 */
import { buildApp } from '#app.ts'
import { closeContext, compose } from '#compose.ts'
import { readConfig } from '#platform/config/config.ts'
import { APP_ROLE } from '#platform/database/settings.ts'
import type { BareRoute } from './bare-api.ts'
import { type Cost, costText, cpuPer } from './cpu.ts'
import { type DataSet, subjectOf, writeDataSet, writeLiveEvents } from './data-set.ts'
import { type Figure, handOver } from './figures.ts'
import { putLoad, requestBytes } from './http-load.ts'
import { bodiesDiffer, detailStatement, listStatement } from './one-statement.ts'
import { oneByOne, type RoundTrip, record, type Statement } from './recording.ts'
import {
  type Ground,
  ISSUER,
  POOL_SIZE,
  prepareGround,
  type Server,
  startBare,
  startService,
} from './service-stage.ts'
import { inTurns, rounded } from './turns.ts'

const EXPENSES = Number(process.env.READ_EXPENSES ?? 2_000)
const CONNECTIONS = Number(process.env.READ_CONNECTIONS ?? 16)
const ROUNDS = Number(process.env.READ_ROUNDS ?? 9)
const ROUND_MS = Number(process.env.READ_ROUND_MS ?? 1_500)
/** Requests to each before anything is measured, until its code is compiled. */
const WARM_UP = Number(process.env.READ_WARM_UP ?? 3_000)
const SAME_RATIO_MIN = 0.9
const LEAST_RATIO_MIN = 0.9
const ONE_RATIO_MIN = 0.8
const SNAPSHOT = 'live snapshot'
const CHANGES = Number(process.env.READ_CHANGES ?? 300)
const SNAPSHOT_CPU_MS_MAX = 2
const NAME = 'reads'
const SUBJECT = subjectOf(NAME, 1)

/** `body` makes one text of what the service's own statement has rendered. */
type Read = { name: string; path: string; body: string; one: Statement }

const readsOf = ({ organizationId, expenseId }: DataSet): Read[] => {
  const expenses = `/v1/consumer/organizations/${organizationId}/expenses`
  const caller = { organizationId, issuer: ISSUER, subject: SUBJECT }
  return [
    {
      name: 'list of 50',
      path: `${expenses}?limit=50`,
      body: "string_agg(x.body, ',')",
      one: listStatement(caller, 50),
    },
    {
      name: 'detail',
      path: `${expenses}/${expenseId}`,
      body: 'x.head || x.remarks',
      one: detailStatement(caller, expenseId),
    },
  ]
}

const profiled = (name: string): string[] => {
  if (!process.env.READ_PROFILE) return []
  return ['--cpu-prof', '--cpu-prof-dir=bench/results', `--cpu-prof-name=${name}.cpuprofile`]
}

/** The statements that the service sends for each of the reads. */
async function recordReads(ground: Ground, token: string, reads: readonly Read[]) {
  const ctx = compose({ ...readConfig(ground.env), logLevel: 'silent' })
  const app = await buildApp(ctx)
  const headers = { authorization: `Bearer ${token}` }
  const trips: RoundTrip[][] = []
  for (const { path } of reads) {
    // The guard sends a read together with its check once it has seen the caller.
    await app.inject({ url: path, headers })
    trips.push(await record(app, { url: path, headers }, 200))
  }
  await app.close()
  await closeContext(ctx)
  return trips
}

async function startBareServers(
  ground: Ground,
  reads: readonly Read[],
  trips: readonly RoundTrip[][],
) {
  const settings = { url: ground.url, poolSize: POOL_SIZE }
  const isAnswer = (text: string) => /\bfrom expense/.test(text)
  const same: Record<string, BareRoute> = {}
  const least: Record<string, BareRoute> = {}
  const single: Record<string, BareRoute> = {}
  for (const [n, { body, one }] of reads.entries()) {
    const statements = oneByOne(trips[n] ?? []).map((each) => {
      return { ...each, isAnswer: isAnswer(each.text) }
    })
    same[`/${n}`] = { statements }
    least[`/${n}`] = { one: leastOf(statements, body) }
    single[`/${n}`] = { one }
  }
  return {
    same: await startBare({ ...settings, role: APP_ROLE, routes: same }, profiled('bare')),
    least: await startBare({ ...settings, routes: least }, profiled('least')),
    one: await startBare({ ...settings, routes: single }, profiled('one-statement')),
  }
}

/** The one statement that reads the answer, whose text is sent as it is. */
function leastOf(statements: readonly (Statement & { isAnswer: boolean })[], body: string) {
  const [read, ...others] = statements.filter(({ isAnswer }) => isAnswer)
  if (!read || others.length > 0) throw new Error('The answer is not read by one statement')
  return { text: `select ${body} as body from (${read.text}) x`, values: read.values }
}

/** The baseline of one statement must answer what the service answers. */
async function expectSameBody(service: string, one: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  const [wanted, found] = await Promise.all(
    [fetch(service, { headers }), fetch(one)].map(async (answer) => (await answer).text()),
  )
  if (wanted === undefined || found === undefined || bodiesDiffer(wanted, found)) {
    throw new Error(`The one statement answers otherwise:\n${found}\ninstead of\n${wanted}`)
  }
  return Buffer.byteLength(found)
}

const NAMES = ['service', 'same', 'least', 'one'] as const
type Name = (typeof NAMES)[number]
type Seen = {
  name: string
  trips: RoundTrip[]
  bytes: number
  values: Record<Name, number>
  ratios: Record<Name, number>
  cpu: Record<Name, Cost>
}

const figuresOf = ({ name, trips, bytes, values, ratios, cpu }: Seen): Figure[] => [
  {
    what: name,
    value: rounded(ratios.same),
    unit: '',
    beside: 'bare Fastify + pg, the same statements one after the other',
    target: { atLeast: SAME_RATIO_MIN },
    more: {
      'requests/s': rounded(values.service, 0),
      'baseline, requests/s': rounded(values.same, 0),
      'CPU µs, server + database': costText(cpu.service),
      'baseline, CPU µs': costText(cpu.same),
      'round trips': trips.length,
      'baseline, round trips': oneByOne(trips).length,
      statements: trips.flat().length,
      connections: CONNECTIONS,
      expenses: EXPENSES,
    },
  },
  {
    what: `${name}, to the least that answers`,
    value: rounded(ratios.least),
    unit: '',
    beside: 'bare Fastify + pg, only the statement that reads the answer',
    target: { atLeast: LEAST_RATIO_MIN },
    more: {
      'baseline, requests/s': rounded(values.least, 0),
      'baseline, CPU µs': costText(cpu.least),
    },
  },
  {
    what: `${name}, to one statement`,
    value: rounded(ratios.one),
    unit: '',
    beside: 'bare Fastify + pg, one statement with account and membership check, equal bytes',
    target: { atLeast: ONE_RATIO_MIN },
    more: {
      'baseline, requests/s': rounded(values.one, 0),
      'baseline, CPU µs': costText(cpu.one),
      'bytes of the response': bytes,
    },
  },
]

async function measureReads(): Promise<void> {
  const ground = await prepareGround()
  const data = await writeDataSet(ground.pool, { name: NAME, expenses: EXPENSES, issuer: ISSUER })
  await writeLiveEvents(ground.pool, { name: NAME, expenses: EXPENSES, data })
  await ground.pool.query('vacuum analyze')
  const token = await ground.tokenOf(SUBJECT)
  const reads = readsOf(data).filter(({ name }) => name.includes(process.env.READ_ONLY ?? ''))
  const trips = await recordReads(ground, token, reads)
  const service = await startService(ground, profiled('service'))
  const bare = await startBareServers(ground, reads, trips)
  try {
    const figures: Figure[] = []
    for (const [n, { name, path }] of reads.entries()) {
      const at = ({ port }: Server, where: string) => `http://127.0.0.1:${port}${where}`
      const bytes = await expectSameBody(at(service, path), at(bare.one, `/${n}`), token)
      const request = requestBytes({ path, headers: { authorization: `Bearer ${token}` } })
      const bareRequest = requestBytes({ path: `/${n}` })
      const servers = { service, ...bare }
      const found = await measureRead(ground, servers, (which) =>
        which === 'service' ? request : bareRequest,
      )
      figures.push(...figuresOf({ name, trips: trips[n] ?? [], bytes, ...found }))
    }
    if (SNAPSHOT.includes(process.env.READ_ONLY ?? '')) {
      figures.push(...(await measureSnapshot(ground, service, { data, token })))
    }
    await handOver(figures)
  } finally {
    for (const server of [service, ...Object.values(bare)]) await server.stop()
    await ground.stop()
  }
}

/**
 * The snapshot that clients poll, of an owner with as many tasks and events as it lists: while
 * nothing changes, and read anew after each of many changes. The changes themselves count as well.
 */
async function measureSnapshot(
  { pool, postgresPid }: Ground,
  service: Server,
  { data: { organizationId }, token }: { data: DataSet; token: string },
): Promise<Figure[]> {
  const path = `/v1/consumer/organizations/${organizationId}/live/snapshot`
  const request = requestBytes({ path, headers: { authorization: `Bearer ${token}` } })
  const load = (until: { ms: number } | { count: number }, connections = CONNECTIONS) =>
    putLoad({ port: service.port, connections, status: 200, request: () => request, ...until })
  const readAnew = async () => {
    for (let n = 0; n < CHANGES; n += 1) {
      await pool.query('insert into task_changes (organization_id) values ($1)', [organizationId])
      await load({ count: 1 }, 1)
    }
    return CHANGES
  }
  const pids = { server: service.child.pid, database: postgresPid }
  await load({ count: Math.ceil(WARM_UP / 3) })
  const kept = await cpuPer(pids, async () => (await load({ ms: 3 * ROUND_MS })).answered)
  await readAnew()
  const anew = await cpuPer(pids, readAnew)
  const figureOf = (when: string, { server, database }: Cost): Figure => ({
    what: `${SNAPSHOT} ${when}, CPU of server and database`,
    value: rounded((server + database) / 1_000),
    unit: 'ms',
    target: { atMost: SNAPSHOT_CPU_MS_MAX },
    more: { 'CPU µs, server + database': costText({ server, database }) },
  })
  return [figureOf('without a change', kept), figureOf('after a change', anew)]
}

async function measureRead(
  ground: Ground,
  servers: Record<Name, Server>,
  requestOf: (name: Name) => Buffer,
): Promise<Pick<Seen, 'values' | 'ratios' | 'cpu'>> {
  const load = (name: Name, until: { ms: number } | { count: number }) => {
    const about = { port: servers[name].port, connections: CONNECTIONS, status: 200 }
    return putLoad({ ...about, request: () => requestOf(name), ...until })
  }
  for (const name of NAMES) await load(name, { count: WARM_UP })
  const rate = (name: Name) => async () => (await load(name, { ms: ROUND_MS })).perSecond
  const rates = Object.fromEntries(NAMES.map((name) => [name, rate(name)]))
  const { values, ratios } = await inTurns(rates as Record<Name, (typeof rates)[string]>, ROUNDS)
  const cpuOf = (name: Name) =>
    cpuPer({ server: servers[name].child.pid, database: ground.postgresPid }, async () => {
      return (await load(name, { ms: ROUND_MS })).answered
    })
  const cpu = {} as Record<Name, Cost>
  for (const name of NAMES) cpu[name] = await cpuOf(name)
  return { values, ratios, cpu }
}

await measureReads()
