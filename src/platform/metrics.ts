/** Prometheus metrics, served on a separate loopback port. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { StartupError } from './errors.ts'

export type Metrics = {
  registry: Registry
  request(seen: { method: string; route: string; status: number; seconds: number }): void
  job(seen: { job: string; ok: boolean; seconds: number }): void
  streamOpened(): void
  streamEnded(ending: string): void
  /** The lag from a change to its delivery; undefined for events of a catch-up. */
  eventsSent(seen: { sent: number; lagSeconds?: number }): void
  /** Evaluated at every scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** One value per label. Labels that are no longer returned disappear. */
  gauges(
    name: string,
    input: { help: string; label: string; read: () => Promise<Record<string, number>> },
  ): void
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, by method, route template and status',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  })
  const jobs = new Histogram({
    name: 'job_duration_seconds',
    help: 'Time a durable job took, by name',
    labelNames: ['job'],
    buckets: SECONDS,
    registers: [registry],
  })
  const failures = new Counter({
    name: 'job_failures_total',
    help: 'Tries of durable jobs that failed, by name',
    labelNames: ['job'],
    registers: [registry],
  })
  return {
    registry,
    ...createStreamMetrics(registry),
    request: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status }, seconds),
    job: ({ job, ok, seconds }) => {
      jobs.observe({ job }, seconds)
      if (!ok) failures.inc({ job })
    },
    gauge: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read())
        },
      })
    },
    gauges: (name, { help, label, read }) => {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        async collect() {
          const values = await read()
          this.reset()
          for (const [value, number] of Object.entries(values)) this.set({ [label]: value }, number)
        },
      })
    },
  }
}

function createStreamMetrics(
  registry: Registry,
): Pick<Metrics, 'streamOpened' | 'streamEnded' | 'eventsSent'> {
  const registers = [registry]
  const open = new Gauge({ name: 'live_streams_open', help: 'Open live streams', registers })
  const ended = new Counter({
    name: 'live_streams_ended_total',
    help: 'Live streams that ended, by reason; slow ones were cut off',
    labelNames: ['reason'],
    registers,
  })
  const events = new Counter({
    name: 'live_events_sent_total',
    help: 'Live events written to streams',
    registers,
  })
  const lag = new Histogram({
    name: 'live_lag_seconds',
    help: 'Time from a change to its being written to the streams',
    buckets: SECONDS,
    registers,
  })
  return {
    streamOpened: () => open.inc(),
    streamEnded: (reason) => {
      open.dec()
      ended.inc({ reason })
    },
    eventsSent: ({ sent, lagSeconds }) => {
      events.inc(sent)
      if (lagSeconds !== undefined) lag.observe(lagSeconds)
    },
  }
}

export type MetricsServer = { url: string; close(): Promise<void> }

export async function serveMetrics({
  registry,
  host,
  port,
}: {
  registry: Registry
  host: string
  port: number
}): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    const body = await registry.metrics().catch(() => undefined)
    if (body === undefined) response.writeHead(503).end()
    else response.writeHead(200, { 'content-type': registry.contentType }).end(body)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new StartupError(
          `METRICS_PORT ${port} on ${host} cannot be used: ${error.code}. Choose another.`,
        ),
      ),
    )
    server.listen(port, host, resolve)
  })
  const { port: actual } = server.address() as AddressInfo
  return {
    url: `http://${host}:${actual}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
