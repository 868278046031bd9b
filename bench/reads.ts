/**
 * Authenticated reads through the whole HTTP stack beside a bare Fastify + pg server, each in a
 * process of its own, over loopback, by the same client, in turns. The bare server runs the same
 * statements, one after the other; and once only those whose rows are the answer, past row-level
 * security, without asking who calls.
 */
import { buildApp } from '#app.ts'
import { closeContext, compose } from '#compose.ts'
import { readConfig } from '#platform/config/config.ts'
import { APP_ROLE } from '#platform/database/database.ts'
import { type Cost, costText, cpuPer } from './cpu.ts'
import { type Books, subjectOf, writeBooks } from './expense-books.ts'
import { type Figure, handOver } from './figures.ts'
import { putLoad, requestBytes } from './http-load.ts'
import { oneByOne, type RoundTrip, record, withoutFrame } from './recording.ts'
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
/** Of each, before anything is measured: code is compiled once it is known to be busy. */
const WARM_UP = Number(process.env.READ_WARM_UP ?? 3_000)
const RATIO_MIN = 0.8

type Read = { name: string; path: string }

const readsOf = ({ organizationId, expenseId }: Books): Read[] => {
  const expenses = `/v1/consumer/organizations/${organizationId}/expenses`
  return [
    { name: 'list of 50', path: `${expenses}?limit=50` },
    { name: 'detail', path: `${expenses}/${expenseId}` },
  ]
}

const profiled = (name: string): string[] => {
  if (!process.env.READ_PROFILE) return []
  return ['--cpu-prof', '--cpu-prof-dir=bench/results', `--cpu-prof-name=${name}.cpuprofile`]
}

/** What the service says to the database for each of the reads. */
async function recordReads(ground: Ground, token: string, reads: readonly Read[]) {
  const ctx = compose({ ...readConfig(ground.env), logLevel: 'silent' })
  const app = await buildApp(ctx)
  const headers = { authorization: `Bearer ${token}` }
  const trips: RoundTrip[][] = []
  for (const { path } of reads) trips.push(await record(app, { url: path, headers }, 200))
  await app.close()
  await closeContext(ctx)
  return trips
}

const isGuard = (text: string) => /\bfrom (accounts|memberships)\b/.test(text)

async function startBareServers(ground: Ground, trips: readonly RoundTrip[][]) {
  const { url } = ground
  const told = { url, poolSize: POOL_SIZE }
  const isAnswer = (text: string) => /\bfrom expense/.test(text)
  const routes = (of: (trip: RoundTrip[]) => ReturnType<typeof oneByOne>, inOneSession: boolean) =>
    Object.fromEntries(
      trips.map((trip, n) => {
        const statements = of(trip).map((one) => ({ ...one, isAnswer: isAnswer(one.text) }))
        return [`/${n}`, { statements, inOneSession }]
      }),
    )
  const answers = (trip: RoundTrip[]) => withoutFrame(trip).filter(({ text }) => !isGuard(text))
  const same = await startBare(
    { ...told, role: APP_ROLE, routes: routes(oneByOne, true) },
    profiled('bare'),
  )
  const least = await startBare({ ...told, routes: routes(answers, false) }, profiled('least'))
  return { same, least }
}

type Name = 'service' | 'same' | 'least'
type Seen = {
  name: string
  trips: RoundTrip[]
  values: Record<Name, number>
  ratios: Record<Name, number>
  cpu: Record<Name, Cost>
}

const figuresOf = ({ name, trips, values, ratios, cpu }: Seen): Figure[] => [
  {
    what: name,
    value: rounded(ratios.same),
    unit: '',
    beside: 'bare Fastify + pg, the same statements',
    target: { atLeast: RATIO_MIN },
    more: {
      'requests a second': rounded(values.service, 0),
      'bare, a second': rounded(values.same, 0),
      'CPU µs, server + database': costText(cpu.service),
      'bare, CPU µs': costText(cpu.same),
      'round trips': trips.length,
      statements: trips.flat().length,
      connections: CONNECTIONS,
      expenses: EXPENSES,
    },
  },
  {
    what: `${name}, beside the least that answers`,
    value: rounded(ratios.least),
    unit: '',
    beside: 'bare Fastify + pg, only what the answer is made of: no caller, no tenant, no log',
    more: { 'least, a second': rounded(values.least, 0), 'least, CPU µs': costText(cpu.least) },
  },
]

async function measureReads(): Promise<void> {
  const ground = await prepareGround()
  const books = await writeBooks(ground.pool, { name: 'reads', expenses: EXPENSES, issuer: ISSUER })
  await ground.pool.query('vacuum analyze')
  const token = await ground.tokenOf(subjectOf('reads', 1))
  const reads = readsOf(books).filter(({ name }) => name.includes(process.env.READ_ONLY ?? ''))
  const trips = await recordReads(ground, token, reads)
  const service = await startService(ground, profiled('service'))
  const { same, least } = await startBareServers(ground, trips)
  try {
    const figures: Figure[] = []
    for (const [n, { name, path }] of reads.entries()) {
      const bytes = requestBytes({ path, headers: { authorization: `Bearer ${token}` } })
      const bareBytes = requestBytes({ path: `/${n}` })
      const load = async (server: Server, request: Buffer) => {
        const about = { port: server.port, connections: CONNECTIONS, status: 200 }
        await putLoad({ ...about, request: () => request, count: WARM_UP })
        return () => putLoad({ ...about, request: () => request, ms: ROUND_MS })
      }
      const loads = {
        service: await load(service, bytes),
        same: await load(same, bareBytes),
        least: await load(least, bareBytes),
      }
      const rate = (one: () => Promise<{ perSecond: number }>) => async () =>
        (await one()).perSecond
      const { values, ratios } = await inTurns(
        { service: rate(loads.service), same: rate(loads.same), least: rate(loads.least) },
        ROUNDS,
      )
      const cpuOf = (server: Server, one: () => Promise<{ answered: number }>) =>
        cpuPer({ server: server.child.pid, database: ground.postgresPid }, async () => {
          return (await one()).answered
        })
      const cpu = {
        service: await cpuOf(service, loads.service),
        same: await cpuOf(same, loads.same),
        least: await cpuOf(least, loads.least),
      }
      figures.push(...figuresOf({ name, trips: trips[n] ?? [], values, ratios, cpu }))
    }
    await handOver(figures)
  } finally {
    for (const server of [service, same, least]) await server.stop()
    await ground.stop()
  }
}

await measureReads()
