/**
 * What traces cost. Over HTTP: two API processes that differ only in whether they export traces
 * answer the same reads alternately. In this process, per statement: the check that remains while
 * traces are off, a statement with traces off, and one inside a traced job, over a client that
 * answers at once. All are CPU time, which other programs on the machine change less than the rate.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type pg from 'pg'
import { createOtlpTracer } from '#adapters/otlp/otlp-tracer.ts'
import { runTogether } from '#platform/database/pipeline.ts'
import { currentTracer, type Tracer, useTracer } from '#platform/tracing.ts'
import { cpuPer } from './cpu.ts'
import { subjectOf, writeDataSet } from './data-set.ts'
import { type Figure, handOver } from './figures.ts'
import { putLoad, requestBytes } from './http-load.ts'
import { type Ground, ISSUER, prepareGround, type Server, startService } from './service-stage.ts'
import { inTurns, median, rounded } from './turns.ts'

const CHECKS = Number(process.env.TRACING_CHECKS ?? 50_000_000)
const STATEMENTS = Number(process.env.TRACING_STATEMENTS ?? 300_000)
const ROUNDS = Number(process.env.TRACING_ROUNDS ?? 9)
const ROUND_MS = Number(process.env.TRACING_ROUND_MS ?? 1_500)
const WARM_UP = Number(process.env.TRACING_WARM_UP ?? 3_000)
const CONNECTIONS = 16
const EXPENSES = 2_000
const CHECK_NS_MAX = 20
/** Of a request, to the same with traces off. */
const CPU_RATIO_MAX = 1.5
const NAME = 'tracing'

type Switch = 'off' | 'on'

/** Accepts all batches of spans and counts them. It shares this process with the load generator. */
async function startCollector() {
  let batches = 0
  const server = createServer((request, response) => {
    batches += 1
    request.resume().on('end', () => response.end('{}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, batches: () => batches, stop }
}

async function measureReads(
  ground: Ground,
  servers: Record<Switch, Server>,
  batches: () => number,
): Promise<Figure[]> {
  const data = await writeDataSet(ground.pool, { name: NAME, expenses: EXPENSES, issuer: ISSUER })
  await ground.pool.query('vacuum analyze')
  const headers = { authorization: `Bearer ${await ground.tokenOf(subjectOf(NAME, 1))}` }
  const expenses = `/v1/consumer/organizations/${data.organizationId}/expenses`
  const reads = { 'list of 50': `${expenses}?limit=50`, detail: `${expenses}/${data.expenseId}` }
  const figures: Figure[] = []
  for (const [name, path] of Object.entries(reads)) {
    const request = requestBytes({ path, headers })
    const load = (which: Switch, until: { ms: number } | { count: number }) =>
      putLoad({
        port: servers[which].port,
        connections: CONNECTIONS,
        status: 200,
        request: () => request,
        ...until,
      })
    const rates: Record<Switch, number[]> = { off: [], on: [] }
    const cpuOf = (which: Switch) => async () => {
      const pids = { server: servers[which].child.pid, database: ground.postgresPid }
      const { server } = await cpuPer(pids, async () => {
        const { answered, perSecond } = await load(which, { ms: ROUND_MS })
        rates[which].push(perSecond)
        return answered
      })
      return server
    }
    for (const which of ['off', 'on'] as const) await load(which, { count: WARM_UP })
    const { values, ratios } = await inTurns({ off: cpuOf('off'), on: cpuOf('on') }, ROUNDS)
    figures.push({
      what: `${name}, CPU time of the server with traces on`,
      value: rounded(1 / ratios.on),
      unit: '',
      beside: 'the same service with traces off',
      target: { atMost: CPU_RATIO_MAX },
      more: {
        'CPU µs': rounded(values.on, 0),
        'traces off, CPU µs': rounded(values.off, 0),
        'requests/s': rounded(median(rates.on), 0),
        'traces off, requests/s': rounded(median(rates.off), 0),
        connections: CONNECTIONS,
      },
    })
  }
  if (batches() === 0) throw new Error('The collector received nothing')
  return figures
}

const client = {
  query: ({ callback }: { callback(error: null, results: object[][]): void }) =>
    callback(null, [[]]),
} as unknown as pg.ClientBase

const statement = {
  name: 'bench',
  text: 'select id, state, amount from payments where organization_id = $1 and id = $2',
  values: ['0198c0de-0000-7000-8000-000000000001', '0198c0de-0000-7000-8000-000000000002'],
}

const parserOf = () => (text: string) => text

/** In nanoseconds. */
const cpuTime = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1_000
}

async function runStatements(): Promise<number> {
  const began = cpuTime()
  for (let n = 0; n < STATEMENTS; n += 1) await runTogether(client, [statement], parserOf)
  return (cpuTime() - began) / STATEMENTS
}

async function runChecks(): Promise<number> {
  let found = 0
  const began = cpuTime()
  for (let n = 0; n < CHECKS; n += 1) if (currentTracer()) found += 1
  const took = cpuTime() - began
  if (found > 0) throw new Error('Traces are on')
  return took / CHECKS
}

/** Everything but the request to the collector. */
const createTracer = (): Tracer =>
  createOtlpTracer({ exporter: { add: () => {}, reportTo: () => {} }, sampleRatio: 1 })

async function runTraced(): Promise<number> {
  const tracer = createTracer()
  useTracer(tracer)
  const span = { name: 'job bench', kind: 'consumer' } as const
  const took = await tracer.runJob(null, span, runStatements)
  useTracer(undefined)
  return took
}

async function measureStatements(): Promise<Figure[]> {
  const turns = { off: runStatements, on: runTraced, check: runChecks }
  const { values, ratios } = await inTurns(turns, Math.ceil(ROUNDS / 2))
  return [
    {
      what: 'the check that remains with traces off',
      value: rounded(values.check, 1),
      unit: 'ns',
      target: { atMost: CHECK_NS_MAX },
      more: { 'ns of a statement, traces off': rounded(values.off, 0) },
    },
    {
      what: 'a statement over a client that answers at once, traces on',
      value: rounded(1 / ratios.on),
      unit: '',
      beside: 'the same statement with traces off',
      more: { 'ns, traces on': rounded(values.on, 0), 'ns, traces off': rounded(values.off, 0) },
    },
  ]
}

const ground = await prepareGround()
const collector = await startCollector()
const running: Server[] = []
const start = async (env: Ground['env']): Promise<Server> => {
  const server = await startService({ ...ground, env })
  running.push(server)
  return server
}
try {
  const traced = { ...ground.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const servers = { off: await start(ground.env), on: await start(traced) }
  const reads = await measureReads(ground, servers, collector.batches)
  await handOver([...reads, ...(await measureStatements())])
} finally {
  for (const server of running) await server.stop()
  collector.stop()
  await ground.stop()
}
